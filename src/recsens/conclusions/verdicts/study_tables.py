"""Read a study's tables, which its steps wrote: give columns their types, and check them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd

from recsens.artefacts.storage import read_bytes
from recsens.errors import ArtefactError
from recsens.study import Experiment
from recsens.study.columns import TABLES


def empty_table(table: str) -> pd.DataFrame:
    """Return one of a study's tables with its columns but without rows, for data that the study lacks or that are unknown."""
    return pd.DataFrame(columns=TABLES[table].names)


class Results:
    """The tables of a study.

    Every table of `recsens.study.columns.TABLES` is an attribute. A table is read when it is first used, and has no rows if the
    study lacks it.

    Parameters
    ----------
    tables
        The tables by name, or functions that read them.
    """

    def __init__(self, tables: Mapping[str, pd.DataFrame | Callable[[], pd.DataFrame]]) -> None:
        self._tables = dict(tables)

    def __getattr__(self, name: str) -> pd.DataFrame:
        if name not in TABLES:
            raise AttributeError(f"a study has no table '{name}'")
        table = self._tables.get(name)
        if table is None:
            return empty_table(name)
        return table() if callable(table) else table

    def with_tables(self, **tables: pd.DataFrame) -> Results:
        """Return the results with some tables replaced."""
        return Results({**self._tables, **tables})

    def of(self, part: Experiment) -> Results:
        """Select one experiment's outcomes."""
        return self.with_tables(**{name: experiment_rows(part, getattr(self, name)) for name in _OUTCOMES})

    def by_dataset(self, labels: Iterable[str]) -> dict[str, Results]:
        """Select the outcomes on each of these data sets or experiments; there may be none."""
        rows = {name: dict(list(getattr(self, name).groupby("dataset", sort=False))) for name in _OUTCOMES}
        return {
            label: self.with_tables(**{name: of_table.get(label, getattr(self, name).iloc[:0]) for name, of_table in rows.items()})
            for label in labels
        }


def read_results(files: Iterable[str | Path]) -> Results:
    """Return the tables in some files, which are named after them."""
    # Selections of the results share the functions, so each table is read once.
    return Results({Path(file).stem: cache(partial(read_table, file, Path(file).stem)) for file in files})


_OUTCOMES = ("summary", "comparisons", "verdicts", "counted", "effort", "searches", "unrated", "unrated_rates")
"""The tables with a row per data set."""


def experiment_rows(part: Experiment, table: pd.DataFrame) -> pd.DataFrame:
    """Select one experiment's rows: the rows with the labels of its data sets."""
    return table[table["dataset"].isin(list(part.datasets))]


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """List a table's rows, each as a mapping from column to value."""
    columns = {str(name): values.tolist() for name, values in table.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def read_table(path: str | Path, name: str) -> pd.DataFrame:
    """Read one of a study's tables (`recsens.study.columns`), with identifying columns as text.

    Raises
    ------
    ArtefactError
        If the file is missing or lacks a column.
    """
    columns = TABLES[name].columns
    try:
        # Read everything as text first, because a system may be called NA, and a design's 'relevance' is sometimes a word.
        table = pd.read_csv(BytesIO(read_bytes(path)), dtype=object, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise ArtefactError(f"cannot be read: {error}", where=str(path), remedy="delete the file and run again") from error
    for column in columns:
        if column.unwritten and column.name not in table.columns:
            table[column.name] = column.unwritten
    missing = [column.name for column in columns if column.name not in table.columns]
    if missing:
        raise ArtefactError(f"lacks the column '{missing[0]}'", where=str(path), remedy="delete the file and run again")
    for column in columns:
        if column.is_number:
            table[column.name] = _parse_numbers(table[column.name], path)
        elif column.holds == "true or false":
            table[column.name] = table[column.name].str.lower() == "true"
    # Rows are selected many times faster if columns of one type lie together, as they do in a copy.
    return table[[column.name for column in columns]].copy()


def _parse_numbers(column: pd.Series[str], path: str | Path) -> list[float]:
    try:
        return [float(text or "nan") for text in column]
    except ValueError as error:
        raise ArtefactError(f"column '{column.name}': {error}", where=str(path), remedy="delete the file and run again") from error
