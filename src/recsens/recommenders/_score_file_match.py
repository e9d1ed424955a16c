"""How well the users and items of a score file match those of a data set."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Bools, Ints
from recsens.data.interactions import Interactions
from recsens.errors import DataError, DesignError
from recsens.files import Names
from recsens.files.spellings import examples, spelling_difference
from recsens.recommenders._base import Arrays


def names_of(train: Interactions, path: Path) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
    """Return the raw names of users and items.

    Raises
    ------
    DesignError
        If the train set has no raw names.
    """
    if train.user_ids is None or train.item_ids is None:
        raise DesignError(f"'{path}' names users and items by their raw names, but these data have no names")
    return train.user_ids, train.item_ids


def refuse_strangers(path: Path, of: Mapping[str, tuple[Any, Sequence[str], Ints]]) -> None:
    """Refuse a file if none of its users, or none of its items, is in the data set.

    For users and for items, ``of`` contains the data set's names, the file's names, and the index of each name of one list in the
    other list, or -1.

    Raises
    ------
    DataError
        If no user, or no item, of the file is in the data set; the message shows a name from the data set and a name from the file.
    """
    for what, (ids, names, codes) in of.items():
        if (codes < 0).all():
            raise DataError(
                f"the data set contains no {what} of the file",
                where=str(path),
                allowed=f"raw names such as '{ids[0]}'; the file has names such as '{names[0]}'" if len(ids) else None,
                remedy=f"write the {what}s as 'recsens export' does; names are text, so '007' is not '7', and '7.0' is not '7'",
            )


_COUNTS, _STRANGERS, _HAS_ROW = "file_counts", "file_strangers", "file_users"
"""Names of the arrays about the file that are stored with a model."""

_KEPT = 100
"""Largest number of unknown names that are stored with a model."""


@dataclass(frozen=True)
class Counts:
    """Users and items found only in a score file or only in a data set.

    Attributes
    ----------
    file_users, file_items, file_scores
        Number of users, items and scores in the file.
    unknown_users, unknown_items, unknown_scores
        Number of users and items in the file that are not in the data set, and of scores for them.
    items, items_without
        Number of items in the data set, and number of these items that have no score for any user.
    """

    file_users: int
    unknown_users: int
    file_items: int
    unknown_items: int
    file_scores: int
    unknown_scores: int
    items: int
    items_without: int


@dataclass(frozen=True)
class Matching:
    """How well a score file matches the data set; stored with the model.

    Attributes
    ----------
    counts
        Users and items found only in the file or only in the data set.
    has_row
        Whether each user of the data set has a score, shape (n_users,).
    strangers
        The first few users in the file that are not in the data set.
    """

    counts: Counts
    has_row: Bools
    strangers: tuple[str, ...]

    @classmethod
    def of(cls, users: Names, items: Names, user_of: Ints, item_of: Ints, train: Interactions) -> Self:
        """Match a file's rows; ``user_of`` and ``item_of`` give the data set's code of each name in the file, or -1."""
        user, item = user_of[users.code], item_of[items.code]
        known = (user >= 0) & (item >= 0)
        unknown_users = np.flatnonzero(user_of < 0)
        counts = Counts(
            file_users=len(users.names),
            unknown_users=len(unknown_users),
            file_items=len(items.names),
            unknown_items=int(np.count_nonzero(item_of < 0)),
            file_scores=len(known),
            unknown_scores=int(np.count_nonzero(~known)),
            items=train.n_items,
            items_without=train.n_items - int(np.count_nonzero(np.bincount(item[known]))),
        )
        has_row = np.bincount(user[known], minlength=train.n_users) > 0
        return cls(counts, has_row, tuple(users.names[each] for each in unknown_users[:_KEPT]))

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays that are stored with a model."""
        numbers = np.array(list(asdict(self.counts).values()), dtype=np.int64)
        return {_COUNTS: numbers, _STRANGERS: np.array(self.strangers, dtype=np.str_), _HAS_ROW: self.has_row}

    @classmethod
    def read(cls, arrays: Arrays) -> Self:
        """Restore the matching from a model's arrays."""
        return cls(Counts(*arrays[_COUNTS].tolist()), arrays[_HAS_ROW], tuple(arrays[_STRANGERS].tolist()))

    def check(self, train: Interactions, judged: Bools, least: float, *, where: str) -> None:
        """Refuse a file that matches too little of the data set.

        Raises DataError if a smaller share than ``least`` matches.

        Parameters
        ----------
        train
            The train set.
        judged
            Users with test ratings, shape (n_users,).
        least
            Share of the judged users with train ratings who must have a score. The same share of the items must match: of the
            file's items or of the data set's items, whichever are fewer.
        where
            The recommender that reads the file.
        """
        counts = self.counts
        wanted = judged & (train.user_counts > 0)
        n_wanted, without = int(np.count_nonzero(wanted)), wanted & ~self.has_row
        n_without = int(np.count_nonzero(without))
        shared, known = counts.file_items - counts.unknown_items, min(counts.file_items, counts.items)
        found = min(1 - n_without / max(n_wanted, 1), shared / max(known, 1))
        if n_wanted - n_without < least * n_wanted:
            names = [] if train.user_ids is None else [str(name) for name in train.user_ids[without]]
            raise _mismatch_error(
                f"{n_without:,} of {n_wanted:,} users with train and test ratings have no score in the file, and the data set does "
                f"not know {counts.unknown_users:,} of the file's {counts.file_users:,} users",
                _spelling_hint(self.strangers, names) or f"users without a score are {examples(names)}",
                (least, found),
                where,
            )
        if shared < least * known:
            raise _mismatch_error(
                f"the data set does not know {counts.unknown_items:,} of the file's {counts.file_items:,} items, and "
                f"{counts.items_without:,} of its {counts.items:,} items have no score in the file",
                "",
                (least, found),
                where,
            )


def _spelling_hint(strangers: tuple[str, ...], names: list[str]) -> str:
    if not strangers:
        return ""
    why = spelling_difference(strangers, names)
    return f"only the file has {examples(strangers)}, only the data set has {examples(names)}{f'; {why}' if why else ''}"


def _mismatch_error(problem: str, found: str, shares: tuple[float, float], where: str) -> DataError:
    least, would_do = shares[0], math.floor(100 * shares[1]) / 100
    return DataError(
        f"too few names in the score file match the data: {problem}",
        where=where,
        allowed=f"a score for {100 * least:g} % of these users, and the same share of the items in both (least_matched={least:g})",
        remedy=(
            f"write names as 'recsens export' does{f': {found}' if found else ''}; if this is intended, lower "
            f"least_matched: from_file(path=...,least_matched={would_do:g})"
        ),
    )
