"""The contract of a grouping, and how members are divided by a number."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from recsens.arrays import Bools, Floats, Ints
from recsens.data.interactions import Interactions, SideTable
from recsens.plugins import Plugin
from recsens.plugins.own import Call, returns

Side = Literal["users", "items"]
"""Whose groups they are."""

Groups = dict[str, Bools]
"""Which users or items are in each group, shape (n,), by the group's label, in the order in which reports show them."""

OF: Any = Field("users", description="whose groups they are")
"""The parameter of a grouping that suits users and items."""

FEWEST_IN_GROUP = 10
"""The fewest users of a group for an interval and a p of its difference."""

NONE_IN_TRAIN = "no train ratings"
"""Label of the members without train ratings, in groupings by numbers of train ratings."""

_RESULTS = frozenset({"test", "relevant", "test_ratings"})


def _check_groups(call: Call, groups: object) -> Groups:
    if not isinstance(groups, dict) or not all(isinstance(label, str) and label for label in groups):
        raise call.refused("did not return groups by label", "a dict of labels to arrays of booleans")
    shape = counts_of(call.arguments["train"], call.plugin.side).shape
    return {label: call.array(group, "groups", "b", shape).copy() for label, group in groups.items()}


class Grouping(Plugin):
    """A division of users or items into groups by what is known before the test, that is, by the train set and side tables.

    A group of items stands for the users with a relevant test item in it: a user's value is that of the metric if only the items of
    the group were judged, in the same ranking.
    """

    kind: ClassVar[str] = "group"

    @model_validator(mode="before")
    @classmethod
    def _refuse_results(cls, given: Any) -> Any:
        if isinstance(given, dict) and _RESULTS & {*given, *(each for each in given.values() if isinstance(each, str))}:
            raise ValueError(
                "groups by what the test set holds condition on the result: a user with many relevant test items is one whom a "
                "random list hits more often. Allowed: the train set and columns of side tables"
            )
        return given

    @property
    def side(self) -> Side:
        """Whose groups they are."""
        return "users"

    @property
    def title(self) -> str:
        """The grouping in a few words, after *users* or *items*."""
        return f"in groups by {self.spec}"

    @property
    def labels(self) -> Sequence[str]:
        """The groups that there can be; empty if the data decide."""
        return ()

    def lacks(self, train: Interactions) -> str:
        """Say what a data set lacks for the grouping; empty if nothing."""
        return ""

    def missing(self, columns: Mapping[str, Sequence[str]]) -> str:
        """Say what a data set with such columns of side tables (``user``, ``item``) lacks for the grouping; empty if nothing."""
        return ""

    @abstractmethod
    @returns(_check_groups)
    def divide(self, train: Interactions) -> Groups:
        """Return the groups of the users or items of a fold, whose train set is all that a grouping sees."""


def counts_of(train: Interactions, side: Side) -> Ints:
    """Count the train ratings of each user or item."""
    return train.user_counts if side == "users" else train.item_counts


def side_table_of(train: Interactions, side: Side) -> SideTable | None:
    """Return the side table of users or items."""
    return train.user_table if side == "users" else train.item_table


def equal_parts(values: Floats, weights: Floats, n: int) -> Ints:
    """Divide members by value into parts that have about 1/n of the weight; return the part of each, shape (n_members,).

    A member is in part floor(n W / T), where W is the weight of all members with smaller values, and T that of all members. So
    members with the same value are in the same part, and parts can be empty.

    Examples
    --------
    >>> parts_of(np.array([5.0, 1.0, 1.0, 9.0]), np.ones(4), 2)
    array([1, 0, 0, 1])
    """
    _, code = np.unique(values, return_inverse=True)
    totals = np.bincount(code, weights=weights)
    below = np.cumsum(totals) - totals
    parts = np.floor(n * below / max(totals.sum(), 1.0) + 1e-9).astype(np.int64)
    return np.asarray(np.minimum(parts, n - 1)[code])


def divide_by_counts(counts: Ints, weights: Ints, n: int, ends: tuple[str, str], *, most_first: bool = False) -> Groups:
    """Divide members by train ratings with `equal_parts`, in ascending order by default; those without any form a further group."""
    known = counts > 0
    parts = np.full(len(counts), -1)
    parts[known] = equal_parts((-counts if most_first else counts)[known].astype(np.float64), weights[known].astype(np.float64), n)
    groups = {label: parts == nth if nth >= 0 else ~known for nth, label in enumerate(count_labels(n, ends), start=-1)}
    return {label: group for label, group in groups.items() if group.any()}


def count_labels(n: int, ends: tuple[str, str]) -> list[str]:
    """List the groups of `divide_by_counts`."""
    return [NONE_IN_TRAIN, ends[0], *(f"{nth} of {n}" for nth in range(2, n)), ends[1]]
