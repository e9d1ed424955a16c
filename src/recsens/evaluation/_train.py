"""The train set of an evaluation: which of its items stay in lists, and which users and items it knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DataError, DesignError
from recsens.evaluation._settings import Settings
from recsens.files import FileTable, Names


@dataclass(frozen=True)
class Rated:
    """What users have rated before the test.

    Attributes
    ----------
    train
        The train set.
    validation
        The validation set; None if there is none.
    """

    train: FileTable
    validation: FileTable | None = None

    def known(self, judgements: FileTable) -> tuple[FileTable, tuple[str, ...]]:
        """Return the judgements of users and items that train knows, and how many others there are, in words.

        Raises DataError if there are none.
        """
        kept, said = self._known(judgements)
        if not kept.any():
            here, there = (f"{_example(rows.user)} and {_example(rows.item)}" for rows in (self.train, judgements))
            raise DataError(
                f"the train set knows no judged user, or no judged item: it has {here}, the judgements have {there}, and so on",
                where=self.train.source,
                remedy='write names the same way in both files, or measure all: --unknown keep, unknown="keep"',
            )
        n = int(np.count_nonzero(~kept))
        return rows_at(judgements, kept), ((f"{n:,} of {len(kept):,} judgements are left out: {said}",) if n else ())

    def listed(self, run: FileTable, settings: Settings) -> tuple[FileTable, tuple[str, ...]]:
        """Return the rows of a run that may be in lists, and what was left out and what stays, in words.

        Raises DataError if none may.
        """
        kept, notes = np.ones(len(run), dtype=np.bool_), []
        if settings.unknown == "drop":
            kept, said = self._known(run)
            notes += [f"{np.count_nonzero(~kept):,} scores are left out: {said}"] if not kept.all() else []
        if settings.train_items != "all":
            threshold = settings.relevance if settings.train_items == "low" else -np.inf
            out, stay = _pairs_in(run, self._tables, threshold)
            notes.append(f"{np.count_nonzero(out & kept):,} scores of train pairs are left out")
            if settings.train_items == "low":
                n_low = sum(int(np.count_nonzero(table.value < threshold)) for table in self._tables)
                notes[-1] += f"; {np.count_nonzero(stay & kept):,} of {n_low:,} pairs rated below {threshold:g} are ranked"
            kept &= ~out
        if not kept.any():
            raise DataError(
                "no row of the run is left: all are train items, or of users or items that train lacks",
                where=run.source,
                remedy="check that the train set is not the test set, and that the run ranks items that users have not rated",
            )
        return rows_at(run, kept), tuple(notes)

    @property
    def _tables(self) -> list[FileTable]:
        return [self.train, *([] if self.validation is None else [self.validation])]

    def _known(self, rows: FileTable) -> tuple[NDArray[np.bool_], str]:
        """Return which rows have a known user and item, and say of how many users and items the others are."""
        users, items = (_is_among(names, known) for names, known in ((rows.user, self.train.user), (rows.item, self.train.item)))
        said = f"train lacks {np.count_nonzero(~users):,} users and {np.count_nonzero(~items):,} items"
        return users[rows.user.code] & items[rows.item.code], said


def rows_at(table: FileTable, kept: NDArray[np.bool_]) -> FileTable:
    """Return some rows of a table, a mask of shape (n,), with the places that they have in their file."""
    if kept.all():
        return table
    at = np.flatnonzero(kept)
    columns: dict[str, Any] = {
        role: _names_at(values, at) if isinstance(values, Names) else np.asarray(values)[at]
        for role, values in table.columns.items()
    }
    return FileTable(table.source, columns, lambda row: table.place(int(at[row])), table.n_invalid, table.ignored)


def check_needed(cases: Mapping[str, Any], *, has_train: bool, convention: str, given: Iterable[str | None]) -> None:
    """Refuse decisions about a train set that is missing.

    Raises DesignError if there is no train set, and it was asked what happens to its items, or the convention needs it.
    """
    if has_train:
        return
    if any(word is not None and word not in {"all", "keep"} for word in given):
        raise DesignError(
            "train_items and unknown decide about the items of a train set, but none is given", remedy="give it: --train, train=..."
        )
    if cases["train_items"] == "low" or cases["unknown"] == "drop":
        raise DesignError(
            f"{convention} leaves what a user rated well in train out of the lists, and lets the rest stay: it needs the train set",
            remedy="give it as --train, train=...; for lists that are already as they should be measured, --train-items all "
            '--unknown keep, train_items="all", unknown="keep"',
        )


def _names_at(names: Names, at: NDArray[np.int64]) -> Names:
    """Return the names of some rows, without those that none of them has."""
    code = names.code[at]
    is_used = np.zeros(len(names.names), dtype=np.bool_)
    is_used[code] = True
    return Names([names.names[each] for each in np.flatnonzero(is_used)], (np.cumsum(is_used) - 1).astype(np.int32)[code])


def _pairs_in(rows: FileTable, tables: Iterable[FileTable], threshold: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which rows have a pair rated at least ``threshold`` in some table, and which one that is rated lower in all."""
    high, low = np.zeros((2, len(rows)), dtype=np.bool_)
    pairs = _pairs(rows.user.code, rows.item.code, rows)
    for table in tables:
        users, items = (_codes_in(names, own) for names, own in ((table.user, rows.user), (table.item, rows.item)))
        user, item = users[table.user.code], items[table.item.code]
        is_here = (user >= 0) & (item >= 0)
        rated = _pairs(user[is_here], item[is_here], rows)
        is_high = table.value[is_here] >= threshold
        high |= np.isin(pairs, rated[is_high])
        low |= np.isin(pairs, rated[~is_high])
    return high, low & ~high


def _pairs(user: NDArray[Any], item: NDArray[Any], rows: FileTable) -> NDArray[np.int64]:
    return user.astype(np.int64) * len(rows.item.names) + item


def _codes_in(names: Names, others: Names) -> NDArray[np.int64]:
    """Return the code that each name has among others, or -1, shape (n_names,)."""
    code_of = dict(zip(others.names, range(len(others.names)), strict=True))
    return np.fromiter(map(code_of.get, names.names, repeat(-1)), dtype=np.int64, count=len(names.names))


def _is_among(names: Names, known: Names) -> NDArray[np.bool_]:
    return np.asarray(_codes_in(names, known) >= 0)


def _example(names: Names) -> str:
    return f"'{names.names[0]}'"
