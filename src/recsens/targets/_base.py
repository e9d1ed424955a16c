"""The contract of a target selection."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.interactions import Interactions
from recsens.plugins import Plugin
from recsens.seeds import Stream


class Targets(Plugin):
    """Chooses the items that are ranked for each user; never an item of the user's train set."""

    kind: ClassVar[str] = "targets"
    uses_test: ClassVar[bool] = False
    """Whether the choice looks at the test set, so that a thinned test set must be ranked anew."""

    @abstractmethod
    def mask(self, train: Interactions, test: Interactions, users: NDArray[np.int64], stream: Stream) -> NDArray[np.bool_]:
        """Say which items are ranked for these users, shape (len(users), n_items).

        Whatever is sampled is drawn from ``stream`` by the keys of user and item, hence whatever the block of users.
        """
