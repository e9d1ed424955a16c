"""The results of a study as tidy CSV tables."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from recsens.artefacts import storage
from recsens.study.columns import TABLES


def write_rows(path: str, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as one of a study's tables; a field is empty if a row has no value for a column."""
    columns = TABLES[table].names
    unknown = {name for row in rows for name in row} - set(columns)
    assert not unknown, f"{table} has no column {sorted(unknown)}"
    write_frame(path, table, pd.DataFrame(list(rows), columns=columns))


def write_frame(path: str, table: str, frame: pd.DataFrame) -> None:
    """Write a data frame as one of a study's tables; counts are whole numbers, also beside empty fields.

    A column with the same option of a decision in every row is left out if results do not write that option.
    """
    counts = [column.name for column in TABLES[table].columns if column.is_number and column.holds == "whole number"]
    unwritten = [
        each.name for each in TABLES[table].columns if each.unwritten and (frame[each.name].astype(str) == each.unwritten).all()
    ]
    content = frame[TABLES[table].names].astype(dict.fromkeys(counts, "Int64")).drop(columns=unwritten)
    storage.write_file(path, lambda temporary: content.to_csv(temporary, index=False, lineterminator="\n"))
