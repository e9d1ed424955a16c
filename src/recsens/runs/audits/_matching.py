"""Check that the sets and a run spell users and items in the same way, and that the train set is a train set."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DataError
from recsens.files import FileTable, Names, indices_in
from recsens.files.spellings import examples, spelling_difference, usual_spelling_difference


def refuse_two_spellings(train: FileTable, test: FileTable, *, where: str) -> None:
    """Refuse a test set if most of its users or items are in the train set under another spelling.

    Raises DataError if most names of the test set are not in the train set and one difference in spelling, such as a decimal point,
    explains this. Without such a difference they are new users or items, which are accepted, because a split may test them on
    purpose.
    """
    for what in ("user", "item"):
        known, tested = train.names(what).names, test.names(what).names
        new = _unknown_names(tested, known)
        if 2 * len(new) <= len(tested):
            continue
        unseen = _unknown_names(known, tested)
        why = usual_spelling_difference(new, unseen)
        if why:
            raise DataError(
                f"{len(new):,} of {len(tested):,} {what}s of the test set are not in the train set, but spelt differently",
                where=where,
                remedy=f"write {what}s the same way in both files: only test has {examples(new)}, only train has "
                f"{examples(unseen)}; {why}",
            )


def refuse_test_as_train(n_train: int, n_shared: int, *, where: str) -> None:
    """Refuse a train set if all its pairs are in the test set too, because nothing would be left in train.

    Raises DataError.
    """
    if n_shared == n_train:
        raise DataError(
            f"all {n_train:,} pairs of the train set are in the test set too, so nothing is left to train on",
            where=where,
            remedy="check which file is the train set; it may be a copy of the test set, or all ratings before the split",
        )


@dataclass(frozen=True)
class ForeignItems:
    """The items of a run that are in no set, and the share of the run's rows that have one of them."""

    names: Sequence[str]
    share: float


@dataclass(frozen=True)
class SetsOfFold:
    """The users, items and pairs of one fold, with which its runs are compared.

    Attributes
    ----------
    users, items
        Names of all users and items of the sets.
    tested
        Users with train and test ratings in this fold.
    trained
        The pairs in train and validation of this fold as ascending codes: user * number of items + item.
    least
        The smallest accepted share of tested users who have a list, and of items that are in both the run and the sets; if 0, no
        run is refused.
    """

    users: Sequence[str]
    items: Sequence[str]
    tested: Sequence[str]
    trained: NDArray[np.int64]
    least: float

    def check(
        self, users: Sequence[str], items: Sequence[str], *, where: str, listed: NDArray[np.int64] | None = None
    ) -> ForeignItems:
        """Refuse a run if few of its ``users`` and ``items`` match the sets; return its items that are in no set.

        ``listed`` is the number of rows of each item; None if every user has every item. Raises DataError if too few of the tested
        users have a list, or if few rows have an item that the sets know and few of the sets' items are in the run.
        """
        without = _unknown_names(self.tested, users)
        _refuse_mismatch(
            f"{len(self.tested) - len(without):,} of {len(self.tested):,} users with train and test ratings have a list",
            *("users", 1 - len(without) / max(len(self.tested), 1), self.least, where),
            *(_unknown_names(users, self.users), without),
        )
        known = set(self.items)
        is_foreign = np.array([item not in known for item in items], dtype=np.bool_)
        rows = np.ones(len(items), dtype=np.int64) if listed is None else listed
        foreign = ForeignItems(list(compress(items, is_foreign.tolist())), float(rows[is_foreign].sum() / max(rows.sum(), 1)))
        n_known = len(items) - len(foreign.names)
        _refuse_mismatch(
            f"{foreign.share:.0%} of its rows have one of {len(foreign.names):,} items that are in no set",
            *("items", max(1 - foreign.share, n_known / max(len(self.items), 1)), self.least, where),
            *(foreign.names, _unknown_names(self.items, items)),
        )
        return foreign

    def n_trained(self, user: Names, item: Names) -> int:
        """Return the number of a run's rows whose pair is in train or validation."""
        users, items = (indices_in(known, own.names)[own.code] for known, own in ((self.users, user), (self.items, item)))
        pairs = (users * len(self.items) + items)[(users >= 0) & (items >= 0)]
        if not len(self.trained):
            return 0
        # A search among sorted codes is much faster than np.isin, because most rows are in the order of users.
        nearest = np.minimum(np.searchsorted(self.trained, pairs), len(self.trained) - 1)
        return int((self.trained[nearest] == pairs).sum())


def _refuse_mismatch(
    problem: str, what: str, share: float, least: float, where: str, only_run: Sequence[str], only_sets: Sequence[str]
) -> None:
    if share >= least:
        return
    why = spelling_difference(only_run, only_sets)
    both = f"only the run has {examples(only_run)}, only the sets have {examples(only_sets)}"
    spelt = f"write {what} as in the sets: {both}{f'; {why}' if why else ''}"
    missing = f"{what} such as {examples(only_sets)} are missing: add them"
    lower = math.floor(100 * share) / 100
    intended = f"; if this is intended, --least-matched {lower:g}, least_matched={lower:g}"
    raise DataError(
        f"the run hardly matches the sets: {problem}",
        where=where,
        allowed=f"at least {100 * least:g} %",
        remedy=f"{spelt if only_run else missing}{intended if lower else ''}",
    )


def _unknown_names(names: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the names that are not in ``known``, in the order of ``names``."""
    there = set(known)
    return [name for name in names if name not in there]
