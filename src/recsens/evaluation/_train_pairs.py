"""The train set beside a run: its pairs are not ranked, and weights between items are summed over its profiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from recsens.errors import DataError
from recsens.evaluation._input_forms import Source, rows_of
from recsens.files import FileTable, Names, columns_of, is_parquet, read
from recsens.files.column_names import column_of
from recsens.files.kinds import PAIRS, QRELS
from recsens.files.layout import detect


@dataclass(frozen=True)
class TrainPairs:
    """Users and items of the train set, with ratings if there are any."""

    table: FileTable

    @classmethod
    def of(cls, source: Source) -> TrainPairs:
        """Read a train set in any form of judgements; a file may lack ratings, which are then 1.

        Raises DataError if it is in no such form, or a pair occurs twice.
        """
        table = _read(Path(source)) if isinstance(source, str | Path) else rows_of(source, QRELS)
        if table.n_repeats:
            problem = f"{table.n_repeats:,} rows repeat a pair of user and item"
            raise DataError(problem, where=f"the train set, {table.source}", remedy="give each pair once")
        return cls(table)

    def without(self, run: FileTable) -> tuple[FileTable, int]:
        """Leave out the rows of a run whose pair of user and item is in train, and count them.

        Raises DataError if no row is left.
        """
        users, items = self.table.user.codes_in(run.user.names), self.table.item.codes_in(run.item.names)
        known, n = (users >= 0) & (items >= 0), len(run.item.names)
        is_known = np.isin(run.user.code.astype(np.int64) * n + run.item.code, users[known] * n + items[known])
        if is_known.all():
            raise DataError("every row of the run is a pair of the train set", where=run.source, remedy="check which file is which")
        return _kept(run, ~is_known), int(np.count_nonzero(is_known))

    def matrix(self, users: Sequence[str], items: Sequence[str]) -> csr_array:
        """Return the ratings of some users for some items, shape (len(users), len(items)), with sorted indices."""
        user, item = self.table.user.codes_in(users), self.table.item.codes_in(items)
        known = (user >= 0) & (item >= 0)
        values = self.table.value if "rating" in self.table.columns else np.ones(len(user))
        matrix = csr_array((values[known], (user[known], item[known])), shape=(len(users), len(items)))
        matrix.sort_indices()
        return matrix


def _read(path: Path) -> FileTable:
    if not is_parquet(path) and detect(path, QRELS, None).trec is not None:
        return read(path, QRELS)
    names = columns_of(path)
    return read(path, QRELS if column_of(str(path), "rating", names) in names else PAIRS, None if is_parquet(path) else "csv")


def _kept(table: FileTable, keep: NDArray[np.bool_]) -> FileTable:
    if keep.all():
        return table
    rows = np.flatnonzero(keep)
    names = {role: _present(table.names(role), rows) for role in ("user", "item")}
    others = {role: np.asarray(column)[rows] for role, column in table.columns.items() if role not in names}
    return replace(table, columns={**names, **others}, place=lambda row: table.place(int(rows[row])))


def _present(names: Names, rows: NDArray[np.intp]) -> Names:
    """Keep some rows, and of the names those that are left."""
    used, code = np.unique(names.code[rows], return_inverse=True)
    return Names([names.names[each] for each in used.tolist()], code.astype(np.int32))
