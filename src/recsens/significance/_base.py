"""The contract of a significance test."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.plugins import Plugin


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a test says of system A against system B.

    Attributes
    ----------
    difference
        Estimate of A minus B.
    low, high
        Confidence interval of the difference.
    p_value
        Two-sided; NaN with fewer than two users.
    n_users
        Users compared.
    """

    difference: float
    low: float
    high: float
    p_value: float
    n_users: int


class SignificanceTest(Plugin):
    """Compares two systems over the users that both are measured on (decision D)."""

    kind: ClassVar[str] = "test"

    @abstractmethod
    def compare(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> Comparison:
        """Compare paired values, both of shape (n_users,)."""
