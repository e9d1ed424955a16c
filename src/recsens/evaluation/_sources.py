"""What a run or judgements may be given as: a file, a data frame, or three arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from recsens.errors import DataError
from recsens.evaluation import _kernels
from recsens.evaluation._ranking import frozen
from recsens.pairs import BY_RANK, QRELS, Layout, Names, Rows, checked, read

Source: TypeAlias = Any
"""A path; a data frame with the columns user, item and score, rank or rating; or a tuple of these three arrays."""


def rows_of(source: Source, layout: Layout) -> Rows:
    """Read rows from wherever they are.

    Raises
    ------
    DataError
        If they are not written as a layout says.
    """
    if isinstance(source, Rows):
        return source
    if isinstance(source, str | Path):
        return read(Path(source), layout)
    what = f"the {'judgements' if layout is QRELS else 'run'}"
    if isinstance(source, tuple | list) and len(source) == len(layout.columns):
        columns = list(source)
    elif hasattr(source, "columns"):
        missing = [name for name in layout.columns if name not in source.columns]
        if missing:
            raise DataError(
                f"no column {', '.join(map(repr, missing))}",
                where=what,
                allowed=f"the columns {', '.join(layout.columns)}",
                remedy=BY_RANK if missing == ["score"] and "rank" in source.columns else None,
            )
        columns = [source[name] for name in layout.columns]
    else:
        raise DataError(
            f"cannot be read from a {type(source).__name__}",
            where=what,
            allowed=f"a path, a data frame with the columns {', '.join(layout.columns)}, or a tuple of these three",
        )
    user, item, value = _array_of_names(columns[0]), _array_of_names(columns[1]), np.asarray(columns[2])
    if not len(user) == len(item) == len(value):
        raise DataError(
            f"{len(user)} users, {len(item)} items and {len(value)} {layout.value}s", where=what, allowed="one each a row"
        )
    if value.dtype.kind not in "biuf":
        raise DataError(f"the {layout.value}s are of type {value.dtype}", where=what, allowed="numbers", remedy=layout.remedy)
    rows = Rows(
        _names(user, what, "user"), _names(item, what, "item"), value.astype(np.float64), lambda row: f"{what}, row {row + 1}"
    )
    return checked(what, rows, layout)


def _array_of_names(column: Any) -> NDArray[Any]:
    """Return a column as an array; of a list of whole numbers that no integer of numpy holds, these numbers themselves."""
    found = np.asarray(column)
    return np.asarray(column, dtype=object) if found.dtype.kind == "f" and isinstance(column, list | tuple) else found


def _names(values: Any, what: str, name: str) -> Names:
    if values.dtype.kind in "iu" and len(values):
        coded = _numbered(values)
        if coded is not None:
            return coded
    if values.dtype.kind == "U" and len(values):
        return _worded(values)
    if values.dtype.kind == "O" and all(type(value) is int for value in values):
        # Of any size: they are names, and text.
        return Names.of(pa.chunked_array([pa.array(map(str, values), pa.large_string())]))
    try:
        column = pa.chunked_array([pa.array(values.tolist() if values.dtype.kind == "O" else values)])
    except pa.ArrowException as error:
        raise DataError(f"the {name}s are not of one type: {error}", where=what, allowed="text or integers") from error
    if not (pa.types.is_integer(column.type) or pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        raise DataError(f"the {name}s are of type {column.type}", where=what, allowed="text or integers")
    if column.null_count:
        raise DataError(f"a {name} is missing", where=what)
    return Names.of(column.cast(pa.large_string()))


def _numbered(values: NDArray[np.integer[Any]]) -> Names | None:
    """Code whole numbers without writing each row out as text; None where they are too large, or too far apart, for a table."""
    lowest, highest = int(values.min()), int(values.max())
    if highest > _LARGEST or highest - lowest > _MOST_PER_ROW * len(values) + _SMALL:
        return None
    code_of = np.full(highest - lowest + 1, -1, dtype=np.int32)
    code, distinct = np.empty(len(values), dtype=np.int32), np.empty(min(len(values), len(code_of)), dtype=np.int64)
    n_distinct = _kernels.code_numbers(frozen(values.astype(np.int64, copy=False)), lowest, code_of, code, distinct)
    return Names([str(number) for number in distinct[:n_distinct].tolist()], code)


def _worded(values: NDArray[np.str_]) -> Names:
    """Code text, of which numpy has as many bytes in each row, by these bytes: only distinct names are read."""
    cells = pa.py_buffer(np.ascontiguousarray(values).view(np.uint8))
    coded = pa.FixedSizeBinaryArray.from_buffers(pa.binary(values.itemsize), len(values), [None, cells]).dictionary_encode()
    distinct = np.frombuffer(b"".join(coded.dictionary.to_pylist()), dtype=values.dtype)
    return Names(distinct.tolist(), np.from_dlpack(coded.indices).astype(np.int32, copy=False))


_LARGEST = 2**63 - 1
"""The largest signed whole number of 64 bits: beyond it, unsigned ones would turn negative."""

_SMALL, _MOST_PER_ROW = 2**16, 4
"""A table of whole numbers is made where it is small, or not much longer than there are rows."""
