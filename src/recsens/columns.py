"""Columns of parquet files of the user's own: nobody checks what a file calls text before it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from recsens.errors import DataError

_SHOWN = 40


def column_names(path: Path) -> list[str]:
    """Return the names of a file's columns.

    Raises
    ------
    DataError
        If one is not UTF-8.
    """
    try:
        return list(pq.read_schema(path).names)
    except UnicodeDecodeError as error:
        raise DataError(
            f"the name of a column is not UTF-8: {error.object!r}", where=str(path), remedy="rename it when writing the file"
        ) from error


def is_text(kind: pa.DataType) -> bool:
    """Say whether a type holds text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def check_text(path: Path, name: str, column: pa.ChunkedArray) -> None:
    """Check that a column of text, or of integers, is what it is called.

    Raises
    ------
    DataError
        If a text is not UTF-8, with its row.
    """
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        kind: Any = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        for row, raw in enumerate(column.cast(kind).cast(pa.large_string()).cast(pa.large_binary()).to_pylist(), start=1):
            try:
                (raw or b"").decode()
            except UnicodeDecodeError:
                raise DataError(
                    f"column '{name}' is declared as text and holds {raw[:_SHOWN]!r}, which is not UTF-8",
                    where=f"{path}, row {row}",
                    allowed="text in UTF-8",
                    remedy="decode the column when writing the file",
                ) from error
        raise DataError(f"column '{name}' is damaged: {error}", where=str(path), remedy="write the file again") from error
