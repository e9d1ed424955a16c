"""The contract of an aggregate."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.plugins import Plugin


class Aggregate(Plugin):
    """Turns the values of the users averaged into the value of a system (decision C3)."""

    kind: ClassVar[str] = "aggregate"

    @abstractmethod
    def combine(self, values: NDArray[np.float64]) -> float:
        """Aggregate one value a user, shape (n,); NaN for no user at all."""
