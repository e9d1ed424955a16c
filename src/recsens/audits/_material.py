"""The material of an audit: sets and runs, read in any accepted form and written in the one that a study reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from recsens.errors import DataError
from recsens.evaluation import LabelledRows, run_of
from recsens.files import FileTable, Names
from recsens.files.as_it_is import read_as_it_is
from recsens.files.kinds import QRELS, RUNS, RankBy
from recsens.files.parquet import write_table
from recsens.files.scale import Scale
from recsens.files.told_columns import ToldColumns
from recsens.outcomes.measuring.own_positions import scale_of
from recsens.score_files import JudgedRanks, ScoreFile, format_by_content
from recsens.study.labels import file_name

Source: TypeAlias = Path | FileTable
"""A file, or rows in memory."""

Run: TypeAlias = Path | FileTable | ScoreFile | JudgedRanks
"""A file, or a run that is read."""

FOLDER = Path("data")
"""Where the canonical files are written, below the folder of an audit."""

INTERACTIONS, ROLES = FOLDER / "interactions.parquet", FOLDER / "roles.parquet"

_MOST_USERS = 0.5
"""Share of a run's users with lists of one length from which on lists count as cut at that length."""

_LATER_WINS = ("train", "validation", "test")
"""The sets; a pair that is in two of them keeps the role of the later one."""


@dataclass(frozen=True)
class Sets:
    """The union of train, validation and test set.

    Attributes
    ----------
    scale
        The rating scale: given, or found from the ratings.
    relevance
        The threshold of relevance; None if it is the default of the scale.
    sizes
        Number of rows of each set.
    shared
        Number of pairs that are in two sets, by the names of both.
    users, items
        Names of all users and items.
    test_ratings
        The distinct ratings of the test set, ascending.
    lowest_train
        The lowest rating of train and validation.
    n_untrained
        Number of items that train lacks.
    """

    scale: Scale
    relevance: float | None
    sizes: Mapping[str, int]
    shared: Mapping[tuple[str, str], int]
    users: Sequence[str]
    items: Sequence[str]
    test_ratings: Sequence[float]
    lowest_train: float
    n_untrained: int

    @property
    def threshold(self) -> float:
        """The lowest relevant rating."""
        return self.scale.threshold(self.relevance)


@dataclass(frozen=True)
class RunFile:
    """A run as a study reads it.

    Attributes
    ----------
    source
        What the user gave.
    path
        The file that the study reads, below the folder of the audit or absolute.
    n_rows
        Number of its rows; 0 for compact scores, which have none.
    lengths
        Fewest and most rows of a user; both 0 for compact scores.
    is_cut
        Whether its lists end at one depth: most users have as many rows as the user with the most, and items are left.
    n_foreign_items
        Number of items that it names and no set has: they are not ranked.
    has_places_only
        Whether it holds judged ranks, so that there are no lists and no scores.
    """

    source: str
    path: str
    n_rows: int
    lengths: tuple[int, int]
    is_cut: bool
    n_foreign_items: int
    has_places_only: bool = False


def write_sets(
    folder: Path, sources: Mapping[str, Source], told: Mapping[str, ToldColumns], *, scale: Scale | None, relevance: float | None
) -> Sets:
    """Read the sets, and write all interactions and the role of each into the folder of an audit.

    Raises DataError if a set cannot be read, repeats a pair, or holds several folds; or if no test rating is relevant.
    """
    tables = {name: _set_of(sources[name], name, told.get("rating")) for name in _LATER_WINS if name in sources}
    users, items = (_joined([table.names(role) for table in tables.values()]) for role in ("user", "item"))
    value = np.concatenate([table.value for table in tables.values()])
    role = np.repeat(np.arange(len(tables)), [len(table) for table in tables.values()])
    pairs = users.code.astype(np.int64) * len(items.names) + items.code
    kept = _last_of_each(pairs)
    known = scale or scale_of(value)
    test = tables["test"].value
    threshold = scale_of(test).relevance if scale is None and relevance is None else known.threshold(relevance)
    if not (test >= threshold).any():
        raise DataError(
            f"nothing is relevant: no test rating reaches {threshold:g}",
            where=_name(sources["test"]),
            allowed=f"up to {test.max():g}, the highest rating of the test set",
            remedy="give the lowest relevant rating: --relevance, relevance=...",
        )
    columns = {"user": _column(users, kept), "item": _column(items, kept)}
    roles = pa.DictionaryArray.from_arrays(pa.array(role[kept].astype(np.int8)), pa.array(list(tables)))
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    write_table(pa.table({**columns, "rating": value[kept]}), folder / INTERACTIONS)
    write_table(pa.table({**columns, "role": roles}), folder / ROLES)
    return Sets(
        scale=known,
        relevance=None if threshold == known.relevance else threshold,
        sizes={name: len(table) for name, table in tables.items()},
        shared=_shared(pairs, role, list(tables)),
        users=users.names,
        items=items.names,
        test_ratings=np.unique(test).tolist(),
        lowest_train=float(min(table.value.min() for name, table in tables.items() if name != "test")),
        n_untrained=len(set(items.names) - set(tables["train"].item.names)),
    )


def write_runs(
    folder: Path, sources: Mapping[str, Run], sets: Sets, told: Mapping[str, ToldColumns], rank_by: RankBy
) -> dict[str, RunFile]:
    """Read runs one at a time and write each as rows of user, item and score; compact scores stay where they are.

    A file of several systems becomes a run for each. Raises DataError if a run cannot be read, or a name repeats.
    """
    runs: dict[str, RunFile] = {}
    for given, source in sources.items():
        read = run_of(source, rank_by, told.get(rank_by))
        if isinstance(read, JudgedRanks):
            found = {given: _places(folder, given, source, read, sets)}
        elif isinstance(read, ScoreFile):
            found = {given: _compact(source, read, sets)}
        else:
            found = _rows(folder, given, source, read, sets, told.get(rank_by), rank_by, several=len(sources) > 1)
        again = next((name for name in found if file_name(name) in map(file_name, runs)), None)
        if again is not None:
            raise DataError(f"two runs are called '{again}'", where=_name(source), remedy="name them: --run A=... --run B=...")
        runs |= found
    return runs


def _set_of(source: Source, name: str, told: ToldColumns | None) -> FileTable:
    table = source if isinstance(source, FileTable) else _set_in(source, name, told)
    if table.n_repeats:
        problem = f"{table.n_repeats:,} rows repeat a pair of user and item"
        raise DataError(problem, where=f"the {name} set, {_name(source)}", remedy="give each pair once")
    return table


def _set_in(path: Path, name: str, told: ToldColumns | None) -> FileTable:
    if format_by_content(path) is not None:
        raise DataError("holds compact scores, not ratings", where=str(path), remedy=f"check which file is the {name} set")
    rows = LabelledRows.of(path, read_as_it_is(path, QRELS, told=told), QRELS, told)
    folds = rows.names("fold")
    if len(folds) > 1:
        raise DataError(
            f"the {name} set holds {len(folds)} folds: {', '.join(folds)}",
            where=str(path),
            allowed="one fold",
            remedy="write each fold into files of its own, and audit them one at a time; 'recsens evaluate --fold each' averages",
        )
    return rows.table


def _rows(
    folder: Path, given: str, source: Run, read: FileTable, sets: Sets, told: ToldColumns | None, rank_by: RankBy, *, several: bool
) -> dict[str, RunFile]:
    """Write the rows of each of a file's systems."""
    rows = LabelledRows(read, {})
    if isinstance(source, Path) and format_by_content(source) is None:
        rows = LabelledRows.of(source, read, RUNS[rank_by], told)
    folds = rows.names("fold")
    if len(folds) > 1:
        raise DataError(f"holds {len(folds)} folds: {', '.join(folds)}", where=_name(source), allowed="one fold")
    systems = rows.names("model")
    named = {f"{given}/{each}" if several else each: rows.only("model", each) for each in systems} or {given: rows}
    return {name: _written(folder, name, source, own.table, sets) for name, own in named.items()}


def _written(folder: Path, name: str, source: Run, table: FileTable, sets: Sets) -> RunFile:
    if table.n_repeats:
        raise DataError(
            f"{table.n_repeats:,} rows repeat a pair of user and item", where=_name(source), remedy="give each pair once"
        )
    path = FOLDER / f"run-{file_name(name) or 'unnamed'}.parquet"
    score = -table.value if "rank" in table.columns else table.value
    everything = np.ones(len(table), dtype=np.bool_)
    columns = {role: _column(table.names(role), everything) for role in ("user", "item")}
    write_table(pa.table({**columns, "score": score}), folder / path)
    rows_of_users = np.bincount(table.user.code)
    most = int(rows_of_users.max())
    is_cut = bool(most < len(table.item.names) and (rows_of_users == most).mean() >= _MOST_USERS)
    lengths = (int(rows_of_users.min()), most)
    return RunFile(_name(source), str(path), len(table), lengths, is_cut, _foreign(table.item.names, sets))


def _compact(source: Run, read: ScoreFile, sets: Sets) -> RunFile:
    path = str(Path(read.source).resolve())
    return RunFile(_name(source), path, 0, (0, 0), is_cut=False, n_foreign_items=_foreign(read.items, sets))


def _places(folder: Path, name: str, source: Run, read: JudgedRanks, sets: Sets) -> RunFile:
    path = FOLDER / f"run-{file_name(name) or 'unnamed'}.parquet"
    of_rows, everything = read.candidates[read.user], np.ones(len(read.user), dtype=np.bool_)
    sides = {
        role: Names(list(names), code) for role, names, code in (("user", read.users, read.user), ("item", read.items, read.item))
    }
    columns = {role: _column(names, everything) for role, names in sides.items()}
    write_table(pa.table({**columns, "above": read.above, "equal": read.equal, "candidates": of_rows}), folder / path)
    few_and_many = (int(of_rows.min()), int(of_rows.max()))
    foreign = _foreign(read.items, sets)
    return RunFile(
        _name(source), str(path), len(read.user), few_and_many, is_cut=False, n_foreign_items=foreign, has_places_only=True
    )


def _foreign(items: Sequence[str], sets: Sets) -> int:
    return len(set(items) - set(sets.items))


def _name(source: Run) -> str:
    return str(source) if isinstance(source, Path) else source.source


def _joined(columns: Sequence[Names]) -> Names:
    """Join columns of names; the codes follow the order of appearance."""
    names = list(dict.fromkeys(name for column in columns for name in column.names))
    code_of = {name: code for code, name in enumerate(names)}
    parts = [np.array([code_of[name] for name in column.names], dtype=np.int32)[column.code] for column in columns]
    return Names(names, np.concatenate(parts))


def _column(names: Names, kept: NDArray[np.bool_]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(names.code[kept]), pa.array(names.names, pa.string()))


def _last_of_each(pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which rows are the last of their pair."""
    _, first = np.unique(pairs[::-1], return_index=True)
    kept = np.zeros(len(pairs), dtype=np.bool_)
    kept[len(pairs) - 1 - first] = True
    return kept


def _shared(pairs: NDArray[np.int64], role: NDArray[np.int64], names: Sequence[str]) -> dict[tuple[str, str], int]:
    """Count the pairs that two sets share."""
    of = [pairs[role == number] for number in range(len(names))]
    counts = {
        (names[a], names[b]): len(np.intersect1d(of[a], of[b], assume_unique=True))
        for a in range(len(names))
        for b in range(a + 1, len(names))
    }
    return {both: n for both, n in counts.items() if n}
