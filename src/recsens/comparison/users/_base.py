"""The contract of a user selection."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.plugins import Plugin
from recsens.plugins.frozen import Frozen
from recsens.plugins.own import Call, returns


@dataclass(frozen=True, slots=True)
class Population(Frozen):
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


def _admitted(call: Call, admitted: object) -> NDArray[np.bool_]:
    # A copy: the selection may fill the same array at its next call.
    return call.array(admitted, "users", "b", call.arguments["population"].train.shape).copy()


class Users(Plugin):
    """A choice of the users who are averaged (decision B1), made after the split, for evaluation only."""

    kind: ClassVar[str] = "users"

    @property
    def reads(self) -> frozenset[str]:
        """Counts of the population on which the choice depends; all of them by default."""
        return frozenset(Population.__slots__)

    @abstractmethod
    @returns(_admitted)
    def admit(self, population: Population) -> NDArray[np.bool_]:
        """Return which users are averaged, shape (n_users,)."""
