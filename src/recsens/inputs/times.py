"""Time stamps beside the ratings of a file."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DataError
from recsens.files import FileTable, Layout, has_types, read_parquet, read_text
from recsens.files.column_names import column_of, role_called
from recsens.files.declared_columns import DeclaredColumns
from recsens.files.foreign_files import foreign_columns
from recsens.files.kinds import QRELS, Column, Kind
from recsens.files.layout import first_record
from recsens.files.timestamps import days_as_seconds, mixed_units, order_of

log = logging.getLogger(__name__)

TIME = "timestamp"
"""The column of time stamps."""


def with_times(table: FileTable, path: Path, told: DeclaredColumns | None) -> FileTable:
    """Add the time stamps of the file behind a table, from the column that its header or the declared columns name.

    The table is returned unchanged if the file has no such column, or if one of them cannot be read, which the log says.
    """
    if TIME in table.columns:
        return table
    try:
        times = _times_in(path, told)
    except DataError as fault:
        log.warning("%s: its times are not used: %s", path, fault.problem)
        return table
    return table if times is None else replace(table, columns={**table.columns, TIME: times})


def _times_in(path: Path, told: DeclaredColumns | None) -> NDArray[np.int64] | None:
    if told is not None and TIME not in told.at:
        return None
    separator, fields = ("", foreign_columns(path)) if has_types(path) else first_record(path)
    if told is not None:
        at: int | str = told.at[TIME]
    else:
        has_names = any(role_called(name) in {"user", "item"} for name in fields)
        if not (has_types(path) or (separator in {"\t", ","} and has_names)):
            return None
        at = column_of(str(path), TIME, fields)
        if at not in fields:
            return None
    names: dict[str, Any] = {TIME: fields[at] if isinstance(at, int) and has_types(path) else at}
    has_header = told is None or has_types(path) or told.layout(path, QRELS).header

    def read(column: Column) -> FileTable:
        kind = Kind((column,))
        return read_parquet(path, kind, names) if has_types(path) else read_text(path, kind, Layout(separator, names, has_header))

    try:
        rows = read(Column(TIME, "time"))
    except DataError:
        dates = order_of(read(Column(TIME)).names(TIME).names, str(path))
        if dates is None:
            raise
        rows = read(Column(TIME, "time", dates=dates))
    times = days_as_seconds(np.asarray(rows.columns[TIME], dtype=np.int64))
    if units := mixed_units(times):
        raise DataError(f"they seem to have two units: {units}", where=str(path), remedy="write all times in one unit")
    return times
