"""The contract of a filter."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.interactions import Interactions
from recsens.plugins import Plugin
from recsens.seeds import Stream


class Filter(Plugin):
    """Keeps some interactions of a data set and drops the others (decision A1)."""

    kind: ClassVar[str] = "filter"

    @abstractmethod
    def keep(self, interactions: Interactions, stream: Stream) -> NDArray[np.bool_]:
        """Say which interactions stay, shape (n,)."""
