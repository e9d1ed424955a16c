"""A user's parquet files; a column declared as text may contain bytes that are not valid text."""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from recsens.errors import DataError
from recsens.files import line_faults
from recsens.files.column_names import column_of, tell
from recsens.files.exact_reader import Invalid, checked
from recsens.files.kinds import Column, Kind
from recsens.files.table import FileTable, Names, numbers
from recsens.files.timestamps import stamps_of

_IS = pa.types
_HELD: dict[str, tuple[tuple[Callable[[Any], bool], ...], str]] = {
    "name": ((_IS.is_string, _IS.is_large_string, _IS.is_string_view), "text or integers"),
    "time": ((_IS.is_timestamp, _IS.is_date, _IS.is_floating), "whole numbers, such as seconds since 1970, or times"),
    "number": ((_IS.is_floating, _IS.is_decimal), "numbers"),
}
"""Content of a column -> checks of the types that it may have besides integers, and these types in words."""


def read_parquet(path: Path, kind: Kind, names: Mapping[str, str], invalid: Invalid = "error") -> FileTable:
    """Read a parquet file, given its column names by role; errors give the row number, counted from 1.

    Names are text or integers, which become text. Numbers are integers, decimals or floating-point numbers. Time stamps are
    integers, or dates and times, which become seconds since 1970 (microseconds if one has a fraction of a second).
    """
    found = column_names(path)
    meant = {role: column_of(str(path), role, found) for role, name in names.items() if name == role}
    names = {**names, **meant}
    wanted = list(names.values())
    for role, name in names.items():
        if found.count(name) != 1:
            raise line_faults.no_column(str(path), kind, found, role, name, None)
    tell(str(path), meant)
    table = _tried(path, lambda: pq.read_table(path, columns=wanted, partitioning=None))
    return read_frame(table, str(path), kind, names, invalid, [name for name in found if name not in wanted])


def read_frame(
    table: pa.Table, source: str, kind: Kind, names: Mapping[str, str], invalid: Invalid = "error", ignored: Sequence[str] = ()
) -> FileTable:
    """Read a table in memory as `read_parquet` would read its file; messages call the table ``source``."""
    columns = {column.role: _values(source, column, names[column.role], table) for column in kind.columns}
    return checked(FileTable(source, columns, lambda row: f"{source}, row {row + 1}", ignored=ignored), kind, invalid)


def read_table(path: Path) -> pa.Table:
    """Read a whole parquet file unchanged."""
    return _tried(path, lambda: pq.read_table(path, partitioning=None))


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table to a parquet file."""
    pq.write_table(table, path)


def read_first_rows(path: Path, n: int) -> pa.Table:
    """Read a parquet file's first ``n`` rows; only the row groups that contain these rows are read."""

    def read() -> pa.Table:
        with pq.ParquetFile(path) as file:
            return pa.Table.from_batches(islice(file.iter_batches(n), 1), file.schema_arrow)

    return _tried(path, read)


def column_names(path: Path) -> list[str]:
    """Return the names of a file's columns."""
    return list(_tried(path, lambda: pq.read_schema(path).names))


def _tried(path: Path, read: Callable[[], Any]) -> Any:
    try:
        return read()
    except UnicodeDecodeError as error:
        raise DataError(f"the name of a column is not UTF-8: {error.object!r}", where=str(path), remedy="rename it") from error
    except (pa.ArrowException, OSError) as error:
        remedy = "write or download it again; delimited(...) reads text for ratings, format=csv or trec for scores"
        problem = f"not a parquet file that can be read: {error}" if path.exists() else "no such file"
        raise DataError(problem, where=str(path), remedy=remedy) from error


def _values(source: str, column: Column, name: str, table: pa.Table) -> Names | NDArray[Any]:
    """Return a column in its own type, or as text if a row has no value."""
    read, is_name = table.column(name), column.holds == "name"
    read = read.cast(read.type.value_type) if _IS.is_dictionary(read.type) else read
    kind, (tests, allowed) = read.type, _HELD["number" if column.holds == "whole" else column.holds]
    try:
        if not any(test(kind) for test in (_IS.is_integer, *tests)):
            raise pa.ArrowInvalid  # noqa: TRY301 - caught below, like a value that does not fit
        is_time = _IS.is_temporal(kind) or (column.holds == "time" and _IS.is_floating(kind))
        read = stamps_of(read) if is_time else read
        # Integers that a float cannot represent exactly would be rounded, and different scores could become equal.
        read = read if is_name else read.cast(column.kind, safe=not (_IS.is_floating(kind) or _IS.is_decimal(kind)))
    except pa.ArrowInvalid as error:
        too_large = " values too large to be exact" if _IS.is_integer(kind) and column.holds == "number" else ""
        problem = f"column '{name}' contains {kind}{too_large}"
        raise DataError(problem, where=source, allowed=allowed, remedy="convert the column first") from error
    if not is_name and not read.null_count:
        return numbers(read)
    text = read.cast(pa.large_string())
    try:
        return Names.of(text.fill_null(""))
    except UnicodeDecodeError as error:
        row = text.cast(pa.large_binary()).index(error.object).as_py() + 1
        problem = f"column '{name}' is declared as text but contains {error.object[:40]!r}, which is not UTF-8"
        raise DataError(problem, where=f"{source}, row {row}", remedy="decode the column when writing the file") from error
