"""The contract of a user selection."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from recsens.arrays import Bools, Ints
from recsens.plugins import Plugin
from recsens.plugins.frozen import Frozen
from recsens.plugins.own import Call, returns

_MANY = 10**6
"""A number of ratings that meets the minimum of any selection."""


@dataclass(frozen=True, slots=True)
class Population(Frozen):
    """Counts for each user in one fold, all of shape (n_users,), int64.

    Attributes
    ----------
    train, test
        Numbers of ratings in train and in test.
    relevant
        Number of test ratings that reach the threshold of relevance.
    listed
        Number of items ranked for the user under the view, which is the length of the user's list.
    """

    train: Ints
    test: Ints
    relevant: Ints
    listed: Ints


def _check_admitted(call: Call, admitted: object) -> Bools:
    # The result is copied, because the selection may use the same array again in its next call.
    return call.array(admitted, "users", "b", call.arguments["population"].train.shape).copy()


class Users(Plugin):
    """A selection of the users to average (decision B1). It is made after the split, and affects only evaluation."""

    kind: ClassVar[str] = "users"
    prose_lead: ClassVar[str] = "The users averaged are those of"

    def prose(self, relevant: int = 0) -> str:
        """Say which users were averaged; only users with at least ``relevant`` relevant test ratings have a ranking."""
        return f"{super().prose()} {self.prose_admission(relevant)}"

    def prose_admission(self, relevant: int = 0) -> str:
        """Say whether users without train, test or relevant test ratings are averaged, according to `admit`."""
        without = {
            "train ratings": ((0, _MANY, _MANY), "are averaged"),
            "test ratings": ((_MANY, 0, 0), "are averaged and count as zero"),
            "relevant test ratings": ((_MANY, _MANY, 0), "are averaged and count as zero"),
        }
        fates = []
        for what, (numbers, fate) in without.items():
            is_unranked = numbers[2] < relevant
            told = "have no ranking and are left out" if is_unranked else fate if self.admits(*numbers) else "are left out"
            fates.append(f"users without {what} {told}")
        text = "; ".join(fates)
        return f"{text[0].upper()}{text[1:]}."

    def admits(self, train: int = _MANY, test: int = _MANY, relevant: int = _MANY) -> bool:
        """Return whether a user with these numbers of train, test and relevant test ratings is averaged; the default is many."""
        one = [np.array([n], dtype=np.int64) for n in (train, test, relevant, _MANY)]
        return bool(self.admit(Population(*one))[0])

    @property
    def reads(self) -> frozenset[str]:
        """The counts of `Population` on which the choice depends; by default, all of them."""
        return frozenset(Population.__slots__)

    @abstractmethod
    @returns(_check_admitted)
    def admit(self, population: Population) -> Bools:
        """Return which users are averaged, shape (n_users,)."""
