"""The swift reader of delimited files: for files without a fault and without quotes; it gives up on any other."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
from numpy.typing import NDArray

from recsens.datasets._exact import line_of_row, records
from recsens.datasets._layout import Layout, Positions, find_columns
from recsens.datasets._rows import Rows
from recsens.datasets._text import BLOCK, decoded_blocks
from recsens.datasets._values import on_scale

_STAND_IN = "\x1f"
"""The one character that stands for a separator of several while the file is read."""


def read_swiftly(path: Path, layout: Layout) -> Rows | None:
    """Read a file in parallel blocks, or return None where anything about it is out of the ordinary.

    What is returned equals what the reference reader returns; the order of rows does not depend on the number of threads.

    Raises
    ------
    DataError
        If a declared column does not exist.
    """
    first = next(records(path, layout), None)
    if first is None:
        return None
    line, fields, _ = first
    positions = find_columns(path, layout, fields, line)
    try:
        table = _read(path, layout, positions, skip=line if layout.header else 0)
    except (pa.ArrowInvalid, _OutOfTheOrdinaryError):
        return None
    rating = None if positions.rating is None else _numbers(table, positions.rating)
    if len(table) == 0 or (rating is not None and not on_scale(rating, layout.scale).all()):
        return None
    user_names, user = _coded(table, positions.user)
    item_names, item = _coded(table, positions.item)
    if "" in user_names or "" in item_names:
        return None
    return Rows(
        source=str(path),
        user_names=user_names,
        item_names=item_names,
        user=user,
        item=item,
        rating=rating,
        timestamp=None if positions.timestamp is None else _numbers(table, positions.timestamp),
        place=lambda row: f"{path}:{line_of_row(path, layout, row)}",
    )


def _read(path: Path, layout: Layout, positions: Positions, skip: int) -> pa.Table:
    wanted = {
        str(positions.user): pa.dictionary(pa.int32(), pa.string()),
        str(positions.item): pa.dictionary(pa.int32(), pa.string()),
    }
    if positions.rating is not None:
        wanted[str(positions.rating)] = pa.float64()
    if positions.timestamp is not None:
        wanted[str(positions.timestamp)] = pa.int64()
    is_plain = len(layout.separator) == 1 and layout.separator.isascii()
    return pa_csv.read_csv(
        pa.PythonFile(io.BufferedReader(_Utf8Stream(path, layout, is_plain), BLOCK), mode="r"),
        read_options=pa_csv.ReadOptions(column_names=list(map(str, range(positions.width))), skip_rows=skip, block_size=BLOCK),
        parse_options=pa_csv.ParseOptions(delimiter=layout.separator if is_plain else _STAND_IN, quote_char=False),
        convert_options=pa_csv.ConvertOptions(column_types=wanted, include_columns=list(wanted), null_values=[]),
    )


def _coded(table: pa.Table, column: int) -> tuple[list[str], NDArray[np.int32]]:
    coded = table.column(str(column)).unify_dictionaries().combine_chunks()
    return coded.dictionary.to_pylist(), coded.indices.to_numpy()


def _numbers(table: pa.Table, column: int) -> NDArray[Any]:
    numbers: NDArray[Any] = table.column(str(column)).to_numpy()
    return numbers


class _OutOfTheOrdinaryError(Exception):
    """The file holds something that only the reference reader reads."""


class _Utf8Stream(io.RawIOBase):
    """A text file as UTF-8 bytes, with a stand-in for a separator of several characters."""

    def __init__(self, path: Path, layout: Layout, is_plain: bool) -> None:
        self.refused = ["\0", '"'] if layout.reads_quotes else ["\0"]
        self.blocks = decoded_blocks(path, layout.encoding)
        if not is_plain:
            self.blocks = _replaced(self.blocks, layout.separator)
        self.rest = memoryview(b"")

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill a buffer; 0 at the end of the file."""
        while not self.rest:
            text = next(self.blocks, None)
            if text is None:
                return 0
            if any(character in text for character in self.refused):
                raise _OutOfTheOrdinaryError
            self.rest = memoryview(text.encode())
        view = memoryview(buffer)
        size = min(len(view), len(self.rest))
        view[:size] = self.rest[:size]
        self.rest = self.rest[size:]
        return size


def _replaced(blocks: Iterator[str], separator: str) -> Iterator[str]:
    # Only whole lines are replaced: a separator must not be cut in two by the end of a block.
    rest = ""
    for block in blocks:
        text = rest + block
        end = text.rfind("\n") + 1
        rest = text[end:]
        yield _stand_in(text[:end], separator)
    yield _stand_in(rest, separator)


def _stand_in(text: str, separator: str) -> str:
    if _STAND_IN in text:
        raise _OutOfTheOrdinaryError
    return text.replace(separator, _STAND_IN)
