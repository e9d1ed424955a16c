"""The user's own files, with one row per pair of user and item: ratings, folds, target items, scores, runs and judgements."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from recsens.files.exact_reader import Invalid, checked, read_exactly, records
from recsens.files.fast_reader import read_swiftly
from recsens.files.kinds import PAIRS, Kind
from recsens.files.layout import Form, Layout, detect, find_columns
from recsens.files.parquet import column_names as names_in_parquet
from recsens.files.parquet import first_values, read_first_rows, read_frame, read_parquet, read_table, tell_lists
from recsens.files.recognised import RATED, recognised_names, recognised_text
from recsens.files.rows import read_rows, read_tabbed
from recsens.files.table import FileTable, Names
from recsens.files.text import starts_with
from recsens.files.told_columns import ToldColumns
from recsens.files.trec import refuse_what_may_be_otherwise

_PARQUET = b"PAR1"

_TRIED = 1000
"""Rows that a try reads."""


def is_parquet(path: Path) -> bool:
    """Whether a file begins as a parquet file does; False if it cannot be opened."""
    return starts_with(path, _PARQUET)


def read(path: Path, kind: Kind, form: Form | None = None, told: ToldColumns | None = None) -> FileTable:
    """Read a file of a kind: a table with the kind's column names, or TREC's form; without ``form``, the content decides which.

    Columns may be told. If not, a table without a header, scores that are called ratings, and judgements without ratings are
    recognised, and logged.
    """
    if form == "parquet" or (form is None and is_parquet(path)):
        return _read_parquet(path, kind, told)
    layout = None
    if kind.fields and form != "trec":
        layout = recognised_text(path, kind) if told is None else told.layout(path, kind)
    layout = layout or detect(path, kind, form)
    table = _rated(read_text(path, _without_ratings(kind, layout.columns), layout), kind)
    if layout.trec is not None:
        refuse_what_may_be_otherwise(table, kind)
    return checked(table, kind)


def _read_parquet(path: Path, kind: Kind, told: ToldColumns | None) -> FileTable:
    tell_lists(path)
    names = {role: role for role in kind.roles}
    if told is not None:
        names = told.names(kind, names_in_parquet(path), str(path))
    elif kind.fields:
        taken = recognised_names(str(path), kind, names_in_parquet(path), lambda at: first_values(path, at, _TRIED))
        names = names if taken is None else {role: str(name) for role, name in taken.items()}
    return _rated(read_parquet(path, _without_ratings(kind, names), names), kind)


def _without_ratings(kind: Kind, columns: Mapping[str, int | str]) -> Kind:
    """Return a kind without the columns that a file lacks, as judgements without ratings do."""
    return kind if set(kind.roles) <= set(columns) else replace(kind, columns=tuple(c for c in kind.columns if c.role in columns))


def _rated(table: FileTable, kind: Kind) -> FileTable:
    """Return judgements with a rating of 1 for every row if they have none."""
    if "rating" not in kind.roles or "rating" in table.columns:
        return table
    return replace(table, columns={**table.columns, "rating": np.full(len(table), RATED)})


def read_text(path: Path, kind: Kind, layout: Layout, invalid: Invalid = "error") -> FileTable:
    """Read a text file of a layout: swiftly if every line is in order, otherwise exactly."""
    found = find_columns(path, kind, layout, next(records(path, layout), None))
    table = read_swiftly(path, layout, found)
    # The exact reader knows how a fault is written, and over how many lines.
    if table is not None and all(column.is_sound(table.columns[column.role]) for column in found.columns):
        return table
    return read_exactly(str(path), records(path, layout), lambda line: f"{path}:{line}", found, invalid)


def try_first_rows(path: Path, kind: Kind, layout: Layout) -> None:
    """Read the first thousand rows of a text file of a layout.

    Raises
    ------
    DataError
        If one of them does not hold what it should; the message names the line.
    """
    found = find_columns(path, kind, layout, next(records(path, layout), None))
    read_exactly(str(path), islice(records(path, layout), _TRIED), lambda line: f"{path}:{line}", found, "error")


def columns_of(path: Path) -> list[str]:
    """Return the names of a table's columns; none for an empty file."""
    if is_parquet(path):
        return names_in_parquet(path)
    return next(records(path, detect(path, PAIRS, "csv")), (0, [], 0))[1]


__all__ = [
    "FileTable",
    "Form",
    "Invalid",
    "Layout",
    "Names",
    "ToldColumns",
    "columns_of",
    "is_parquet",
    "read",
    "read_first_rows",
    "read_frame",
    "read_parquet",
    "read_rows",
    "read_tabbed",
    "read_table",
    "read_text",
    "records",
    "try_first_rows",
]
