"""The contract of a policy for not computable items."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.plugins import Plugin
from recsens.specs import Spec


class NotComputable(Plugin):
    """Says what becomes of target items without a score (decision B2): they are left out, or another recommender ranks them last.

    Whatever a policy fills in stands below everything that the system itself scored.
    """

    kind: ClassVar[str] = "nc"

    @property
    @abstractmethod
    def fallback(self) -> Spec | None:
        """The recommender that orders the items without a score; None leaves them out."""

    @abstractmethod
    def fills(self, train_counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say for which users items are filled in, given their numbers of train ratings; both of shape (n_users,)."""
