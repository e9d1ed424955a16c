"""The contract of a user selection."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.plugins import Plugin


@dataclass(frozen=True, slots=True)
class Population:
    """What is known of each user in one fold, all of shape (n_users,), int64.

    Attributes
    ----------
    train, test
        Ratings on either side of the split.
    relevant
        Test ratings that reach the threshold of relevance.
    listed
        Items ranked for the user under the view: the length of the user's recommendation.
    """

    train: NDArray[np.int64]
    test: NDArray[np.int64]
    relevant: NDArray[np.int64]
    listed: NDArray[np.int64]


class Users(Plugin):
    """Says which users are averaged (decision B1); acts after the split, on evaluation only."""

    kind: ClassVar[str] = "users"

    @property
    def reads(self) -> frozenset[str]:
        """Counts of the population that the choice looks at; all of them, unless a selection says that it needs fewer."""
        return frozenset(Population.__slots__)

    @abstractmethod
    def admit(self, population: Population) -> NDArray[np.bool_]:
        """Say which users are averaged, shape (n_users,)."""
