"""The train set of a run: the pairs that are not ranked, the known users and items, and profiles for weights between items."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy.sparse import csr_array

from recsens.errors import DataError, DesignError
from recsens.files import FileTable
from recsens.files.declared_columns import DeclaredColumns
from recsens.files.kinds import QRELS
from recsens.inputs.forms import Source, read_any_rows
from recsens.plugins.prose import several
from recsens.runs.evaluation._evaluation import Settings
from recsens.runs.evaluation._ranking import repeated_pair


@dataclass(frozen=True)
class TrainPairs:
    """The users, items and ratings of a train set and, if there is one, of a validation set; missing ratings are 1."""

    table: FileTable
    validation: FileTable | None = None

    @classmethod
    def of(cls, train: Source, validation: Source | None = None, told: DeclaredColumns | None = None) -> TrainPairs:
        """Read a train set, and a validation set, in any form of judgements. Missing ratings count as 1.

        Raises DataError if a set has none of these forms, or if a pair occurs twice.
        """
        return cls(_read_set(train, "train", told), None if validation is None else _read_set(validation, "validation", told))

    def apart_from(self, judgements: FileTable) -> tuple[TrainPairs, int]:
        """Return the pairs that are not judged, because a pair of two sets belongs to the later one, and the number of the others.

        Raises DataError if every pair of the train set is judged.
        """
        tables = [table.kept(~_are_in(table, judgements)) for table in self._tables]
        n = sum(map(len, self._tables)) - sum(map(len, tables))
        if not len(tables[0]):
            raise DataError(
                f"all {len(self.table):,} pairs of the train set are judged too, so nothing is left to train on",
                where=self.table.source,
                remedy="check which file is the train set; it may be a copy of the test set, or all ratings before the split",
            )
        return TrainPairs(tables[0], tables[1] if self.validation is not None else None), n

    def known(self, judgements: FileTable) -> tuple[FileTable, tuple[str, ...]]:
        """Return the judgements with a user and an item from the train set, and say how many judgements were left out.

        Raises DataError if no judgements are left.
        """
        kept = self._has_train_names(judgements)
        if not kept.any():
            here, there = (f"'{rows.user[0]}' and '{rows.item[0]}'" for rows in (self.table, judgements))
            raise DataError(
                f"no judged user, or no judged item, is in the train set: it has {here}, the judgements have {there}, and so on",
                where=self.table.source,
                remedy='spell names the same way in both files, or measure all: --unknown keep, unknown="keep"',
            )
        n = int(np.count_nonzero(~kept))
        return judgements.kept(kept), ((f"{n:,} judgements of users or items without a train rating are left out",) if n else ())

    def without(self, run: FileTable, settings: Settings) -> tuple[FileTable, tuple[str, ...]]:
        """Remove the rows of a run that the settings exclude, and say how many.

        Raises DataError if a removed pair occurs twice, or if no row is left.
        """
        kept, notes = np.ones(len(run), dtype=np.bool_), []
        if settings.unknown == "drop":
            kept = self._has_train_names(run)
            n = np.count_nonzero(~kept)
            notes += [f"{n:,} scores of users or items without a train rating are left out"] if n else []
        if settings.train_items != "all":
            is_train, is_low = self._removed_and_kept(run, settings)
            n_low = int(np.count_nonzero(is_low & kept))
            notes.append(left_out_in_words(int(np.count_nonzero(is_train & kept)), n_low, settings))
            kept &= ~is_train
        # Later steps see only the rows that stay.
        removed = run.kept(~kept)
        rows = removed.first_repeat()
        if rows:
            raise repeated_pair(removed, *rows)
        if not kept.any():
            raise DataError("every row of the run is a pair of the train set", where=run.source, remedy="check which file is which")
        return run.kept(kept), tuple(notes)

    def unknown_items(self, run: FileTable, judged: Collection[str]) -> str:
        """Say what share of a run's rows has items that no set has, and what to do; empty if there are none."""
        known = set(judged).union(*(table.item.names for table in self._tables))
        unknown = np.array([name not in known for name in run.item.names], dtype=np.bool_)
        if not unknown.any():
            return ""
        items, share = several(int(unknown.sum()), "item"), f"{100 * unknown[run.item.code].mean():.2g} %"
        return (
            f"{items} that no set has, in {share} of the rows, keep their places and are never relevant; 'recsens audit' says "
            "which verdicts rest on them"
        )

    def matrix(self, users: Sequence[str], items: Sequence[str]) -> csr_array:
        """Return the train ratings of some users for some items, shape (len(users), len(items)), with sorted indices."""
        return _pair_matrix(self.table, users, items)

    def out(self, users: Sequence[str], items: Sequence[str], settings: Settings) -> tuple[csr_array, csr_array]:
        """Return, as non-zeros, the pairs that the settings remove from users' lists, and the pairs rated too low for removal."""
        shape = (len(users), len(items))
        if settings.train_items == "all":
            return csr_array(shape), csr_array(shape)
        out, low = csr_array(shape), csr_array(shape)
        for table in self._tables:
            rated, threshold = _pair_matrix(table, users, items), _removal_threshold(settings)
            is_high = rated.data >= threshold
            # Ratings may be 0, so every pair is marked by 1.
            out = out + csr_array((is_high.astype(np.float64), rated.indices, rated.indptr), shape=shape)
            low = low + csr_array((~is_high * 1.0, rated.indices, rated.indptr), shape=shape)
        out.eliminate_zeros()
        low.eliminate_zeros()
        out.sort_indices()
        return out, low

    def lacks(self, items: Sequence[str]) -> NDArray[np.bool_]:
        """Return which items lack a train rating, shape (len(items),)."""
        known = set(self.table.item.names)
        return np.array([item not in known for item in items], dtype=np.bool_)

    @property
    def _tables(self) -> list[FileTable]:
        return [self.table, *([] if self.validation is None else [self.validation])]

    def _has_train_names(self, rows: FileTable) -> NDArray[np.bool_]:
        """Return which rows have a user and an item with a train rating."""
        return (rows.user.codes_in(self.table.user.names) >= 0) & (rows.item.codes_in(self.table.item.names) >= 0)

    def _removed_and_kept(self, run: FileTable, settings: Settings) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which rows of a run are removed because the pair is rated in train, and which stay because it is rated too low."""
        n, (out, low) = len(run.item.names), np.zeros((2, len(run)), dtype=np.bool_)
        pairs = run.user.code.astype(np.int64) * n + run.item.code
        for table in self._tables:
            users, items = table.user.codes_in(run.user.names), table.item.codes_in(run.item.names)
            is_here = (users >= 0) & (items >= 0)
            rated, is_high = users[is_here] * n + items[is_here], table.value[is_here] >= _removal_threshold(settings)
            out |= np.isin(pairs, rated[is_high])
            low |= np.isin(pairs, rated[~is_high])
        return out, low & ~out


def check_needed(cases: Mapping[str, Any], *, has_train: bool, convention: str, given: Iterable[str | None]) -> None:
    """Refuse settings about a train set that is missing.

    Raises DesignError if a setting or the convention needs a train set and there is none.
    """
    if has_train:
        return
    if any(word is not None and word not in {"all", "keep"} for word in given):
        raise DesignError("train_items and unknown apply to a train set, but there is none", remedy="give it: --train, train=...")
    if cases["train_items"] == "low" or cases["unknown"] == "drop":
        raise DesignError(
            f"{convention} removes from the lists what a user rated well in train, and keeps the rest: it needs the train set",
            remedy="give it as --train, train=...; for lists that are already as they should be measured, --train-items all "
            '--unknown keep, train_items="all", unknown="keep"',
        )


def left_out_in_words(n: int, n_low: int, settings: Settings) -> str:
    """Say how many scores of train pairs were left out and, if pairs with low ratings are ranked, how many there are."""
    stay = f", and {n_low:,} rated below {settings.relevance:g} are ranked" if settings.train_items == "low" else ""
    return f"{n:,} scores of train pairs are left out{stay}"


def _removal_threshold(settings: Settings) -> float:
    """Return the lowest rating for which an item is removed from the list."""
    return settings.relevance if settings.train_items == "low" else -np.inf


def _read_set(source: Source, what: str, told: DeclaredColumns | None) -> FileTable:
    table = read_any_rows(source, QRELS, told)
    table.refuse_repeats(f"the {what} set")
    return table


def _are_in(table: FileTable, judgements: FileTable) -> NDArray[np.bool_]:
    """Return which rows have a judged pair, shape (n,)."""
    users, items = table.user.codes_in(judgements.user.names), table.item.codes_in(judgements.item.names)
    n = len(judgements.item.names)
    judged = judgements.user.code.astype(np.int64) * n + judgements.item.code
    # A hash table is three times as fast as the sort of np.isin.
    found = pc.is_in(pa.array(users * n + items), value_set=pa.array(judged))
    return np.asarray((users >= 0) & (items >= 0) & np.asarray(found))


def _pair_matrix(table: FileTable, users: Sequence[str], items: Sequence[str]) -> csr_array:
    user, item = table.user.codes_in(users), table.item.codes_in(items)
    known = (user >= 0) & (item >= 0)
    matrix = csr_array((table.value[known], (user[known], item[known])), shape=(len(users), len(items)))
    matrix.sort_indices()
    return matrix
