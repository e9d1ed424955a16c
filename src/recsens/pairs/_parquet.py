"""Parquet files of the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from recsens.columns import check_text, column_names, is_text
from recsens.errors import DataError
from recsens.pairs._rows import RUN, Layout, Names, Rows, check_columns, checked, numbers


def read_parquet(path: Path, layout: Layout = RUN) -> Rows:
    """Read a parquet file with the columns of a layout; integers that name users or items become text.

    Raises
    ------
    DataError
        If it is not such a file.
    """
    try:
        check_columns(path, column_names(path), str(path), layout)
        table = pq.read_table(path, columns=list(layout.columns), partitioning=None)
    except (pa.ArrowException, OSError) as error:
        raise DataError(
            f"not a parquet file, or a damaged one: {error}",
            where=str(path),
            remedy="write it again, or declare format=csv or trec",
        ) from error
    for name in layout.columns:
        missing = table.column(name).is_null().to_numpy()
        if missing.any():
            raise DataError(
                f"the {name} is missing", where=f"{path}, row {int(np.argmax(missing)) + 1}", remedy="leave out the row"
            )
    user, item = (_names(path, name, table.column(name)) for name in layout.columns[:2])
    values = table.column(layout.value)
    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        raise _wrong_type(path, layout.value, values.type, "numbers")
    return checked(str(path), Rows(user, item, numbers(values), lambda row: f"{path}, row {row + 1}"), layout)


def _names(path: Path, name: str, column: pa.ChunkedArray) -> Names:
    kind: Any = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_integer(kind) or is_text(kind)):
        raise _wrong_type(path, name, kind, "text or integers")
    check_text(path, name, column)
    return Names.of(column.cast(kind).cast(pa.large_string()))


def _wrong_type(path: Path, name: str, kind: pa.DataType, allowed: str) -> DataError:
    return DataError(f"column '{name}' holds {kind}", where=str(path), allowed=allowed, remedy="convert it when writing the file")
