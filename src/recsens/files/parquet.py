"""A user's files whose columns have types, parquet and JSON lines: one row per pair, or one row per list.

Text in parquet may contain bytes that are not valid.
"""

import contextlib
import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from io import BufferedIOBase, BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj
import pyarrow.parquet as pq
from numpy.typing import NDArray

from recsens.errors import DataError
from recsens.files import line_faults
from recsens.files.column_names import column_of, tell
from recsens.files.kinds import Column, Kind
from recsens.files.paths import Files, in_words, parts_of
from recsens.files.table import FileTable, Names, numbers
from recsens.files.text import DAMAGES, open_unpacked, starts_with
from recsens.files.text_reader import Invalid, valid_rows
from recsens.files.timestamps import parse_times, stamps_of

_IS = pa.types
_HELD: dict[str, tuple[tuple[Callable[[Any], bool], ...], str]] = {
    "name": ((_IS.is_string, _IS.is_large_string, _IS.is_string_view), "text or integers"),
    "time": (
        (_IS.is_timestamp, _IS.is_date, _IS.is_floating, _IS.is_string, _IS.is_large_string),
        "whole numbers, such as seconds since 1970, or times",
    ),
    "number": ((_IS.is_floating, _IS.is_decimal, _IS.is_boolean, _IS.is_string, _IS.is_large_string), "numbers"),
}
"""Content of a column -> checks of the types that it may have besides integers, and these types in words."""


_PARQUET = b"PAR1"
_JSON, _FIRST_BYTES = re.compile(rb"\{|\s*\[\s*\{"), 256
_LONGEST_OBJECT = 1 << 24
"""Largest number of bytes in a line of JSON."""

_MOST_FIELDS = 10
"""Objects within the only object have at most as many fields, unless these name rows or items."""


def is_json_lines(path: Files) -> bool:
    """Whether a file, perhaps packed, begins like a JSON object or a list of these; False if it cannot be read."""
    with contextlib.suppress(OSError, EOFError, *DAMAGES), open_unpacked(path) as stream:
        return _JSON.match(stream.read(_FIRST_BYTES)) is not None
    return False


def _parse_objects(stream: BufferedIOBase, path: Path, n: int | None = None) -> pa.Table:
    """Return the objects of a JSON list, of one object in each line (the first ``n``), or of one over several lines.

    An object within an object becomes columns such as ``a.b``. Only a list is in memory as text.
    """
    first = next(stream, b"")
    is_line = first.rstrip().endswith(b"}")
    if first.lstrip()[:1] in {b"[", b""}:
        table = pa.Table.from_pylist(json.loads(first + stream.read()))
    else:
        stream.seek(0)
        lines = stream if n is None or not is_line else BytesIO(b"".join(islice(stream, n)))
        options = pj.ParseOptions(newlines_in_values=not is_line)
        table = pj.read_json(lines, pj.ReadOptions(block_size=_LONGEST_OBJECT), options)
    if table.num_rows == 1 and table.num_columns > 1 and all(_IS.is_struct(field.type) for field in table.schema):
        told = f"pandas.read_json({str(path)!r}).rename_axis(index='item', columns='user').stack().rename('rating').reset_index()"
        inner = {field.name for column in table.schema for field in column.type}
        if all(map(str.isdecimal, inner)):
            told = f"pandas.read_json({str(path)!r})"
        if len(inner) > _MOST_FIELDS:
            raise DataError(
                "this looks like an object for each column or user, not for each row",
                where=str(path),
                remedy=f"in Python: recsens.load({told})",
            )
    while any(_IS.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    return table


def has_types(path: Files) -> bool:
    """Whether a file is parquet or JSON lines; False if it cannot be read."""
    return starts_with(path, _PARQUET) or is_json_lines(path)


def read_parquet(path: Files, kind: Kind, names: Mapping[str, str], invalid: Invalid = "error") -> FileTable:
    """Read parquet or JSON lines, given the column names by role; errors give the row number, counted from 1.

    If a column contains lists, there is a row for each entry; errors then give the row and the entry.

    Names are text or integers, which become text. Numbers are integers, decimals or floating-point numbers. Time stamps are
    integers, or dates and times, which become seconds since 1970 (microseconds if one has a fraction of a second). The parts of a
    folder, or several files, are read one after the other.
    """
    parts = parts_of(path)
    tables = [_read_columns(part, kind, names, invalid) for part in parts]
    return tables[0] if len(parts) == 1 else FileTable.joined(in_words(path), tables)


def _read_columns(path: Path, kind: Kind, names: Mapping[str, str], invalid: Invalid) -> FileTable:
    is_read_whole = is_json_lines(path) or lists_in(path) is not None
    whole, place = entries_of(read_table(path), str(path)) if is_read_whole else (None, None)
    found = column_names(path) if whole is None else whole.column_names
    meant = {role: column_of(str(path), role, found) for role, name in names.items() if name == role}
    names = {**names, **meant}
    wanted = list(names.values())
    for role, name in names.items():
        if found.count(name) != 1:
            raise line_faults.no_column(str(path), kind, found, role, name, None)
    tell(str(path), meant)
    if whole is None:
        whole = _explain_failure(path, lambda: pq.read_table(path, columns=wanted, partitioning=None))
    others = [name for name in found if name not in wanted]
    rows = read_frame(whole.select(wanted), str(path), kind, names, invalid, others)
    return rows if place is None else replace(rows, place=place)


def read_frame(
    table: pa.Table, source: str, kind: Kind, names: Mapping[str, str], invalid: Invalid = "error", ignored: Sequence[str] = ()
) -> FileTable:
    """Read a table in memory as `read_parquet` would read its file; messages call the table ``source``."""
    columns = {column.role: _column_values(source, column, names[column.role], table) for column in kind.columns}
    return valid_rows(FileTable(source, columns, lambda row: f"{source}, row {row + 1}", ignored=ignored), kind, invalid)


def read_table(path: Path) -> pa.Table:
    """Read a whole file unchanged."""

    def read() -> pa.Table:
        if not is_json_lines(path):
            return pq.read_table(path, partitioning=None)
        with open_unpacked(path) as stream:
            return _parse_objects(stream, path)

    return _explain_failure(path, read)


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table to a parquet file."""
    pq.write_table(table, path)


def read_first_rows(path: Files, n: int) -> pa.Table:
    """Read the first ``n`` rows of a file or the first part; of parquet, only the row groups that contain these rows are read."""
    path = parts_of(path)[0]

    def read() -> pa.Table:
        if is_json_lines(path):
            with open_unpacked(path) as stream:
                return _parse_objects(stream, path, n)
        with pq.ParquetFile(path) as file:
            return pa.Table.from_batches(islice(file.iter_batches(n), 1), file.schema_arrow)

    return _explain_failure(path, read)


def column_names(path: Path) -> list[str]:
    """Return the names of a file's columns; of JSON lines, those of the first objects."""
    if is_json_lines(path):
        return list(read_first_rows(path, _LOOKED_AT).column_names)
    return list(_explain_failure(path, lambda: pq.read_schema(parts_of(path)[0]).names))


def _explain_failure(path: Path, read: Callable[[], Any]) -> Any:
    try:
        return read()
    except UnicodeDecodeError as error:
        raise DataError(f"the name of a column is not UTF-8: {error.object!r}", where=str(path), remedy="rename it") from error
    except (pa.ArrowException, OSError, ValueError, AttributeError) as error:
        form = "JSON object in each line" if is_json_lines(path) else "parquet file"
        if starts_with(path, b"{'"):
            as_json = "python -c 'import ast, json, sys; [print(json.dumps(ast.literal_eval(line))) for line in sys.stdin]'"
            named = shlex.quote(str(path))
            raise DataError(
                "this looks like objects of Python", where=str(path), remedy=f"{as_json} < {named} > ratings.jsonl"
            ) from error
        remedy = "write or download it again; delimited(...) reads text for ratings, format=csv or trec for scores"
        problem = f"not a {form} that can be read: {error}" if path.exists() else "no such file"
        raise DataError(problem, where=str(path), remedy=remedy) from error


def _column_values(source: str, column: Column, name: str, table: pa.Table) -> Names | NDArray[Any]:
    """Return a column in its own type, or as text if a row has no value."""
    read = table.column(name)
    read = read.cast(read.type.value_type) if _IS.is_dictionary(read.type) else read
    are_days = column.dates == "year_first" and _IS.is_integer(read.type)
    has_texts = column.holds == "time" and (_IS.is_string(read.type) or _IS.is_large_string(read.type) or are_days)
    if has_texts and not read.null_count:
        times = parse_times(read.cast(pa.string()), column.dates)
        read, has_texts = (read, True) if times is None else (times, False)
    is_name = column.holds == "name" or has_texts
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


_LOOKED_AT = 1000
"""Number of rows that an inspection reads."""


def lists_in(path: Path) -> str | None:
    """Return the name of the only column with lists of items, as in LensKit's native layout; None if there is none."""
    return _only_list_column(read_first_rows(path, 1).schema)


def names_in(path: Path) -> list[str]:
    """Return a file's column names, with the fields of the list entries in place of the list column."""
    found = column_names(path)
    schema = read_first_rows(path, 1).schema
    nested = _only_list_column(schema)
    if nested is None:
        return found
    at = found.index(nested)
    return [*found[:at], *(inner.name for inner in schema.field(nested).type.value_type), *found[at + 1 :]]


def first_rows(path: Path, name: str) -> list[str]:
    """Return the first values of a column, or of a field of the list entries, as text; an empty list unless they are numbers."""
    column = entries_of(read_first_rows(path, _LOOKED_AT), str(path))[0].column(name)[:_LOOKED_AT]
    is_number = _IS.is_integer(column.type) or _IS.is_floating(column.type) or _IS.is_decimal(column.type)
    return [str(value) for value in column.to_pylist()] if is_number else []


def entries_of(table: pa.Table, source: str) -> tuple[pa.Table, Callable[[int], str] | None]:
    """Return a table with one row per list entry, and a function that locates its rows in the file.

    A table without lists is returned unchanged, with None in place of the function.

    Raises
    ------
    DataError
        If a row has null in place of a list, because only an empty list means that nothing is listed; or if a column has the same
        name as a field of the entries, because either could be meant.
    """
    nested = _only_list_column(table.schema)
    if nested is None:
        return table, None
    inner = [field.name for field in table.schema.field(nested).type.value_type]
    names = [*inner, *(name for name in table.column_names if name != nested)]
    if len(set(names)) < len(names):
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        problem = f"two columns are called '{twice}', including the fields of the entries in '{nested}'"
        raise DataError(problem, where=source, remedy="rename one of them, or leave it out")
    lists = table.column(nested).combine_chunks()
    if lists.null_count:
        row = int(np.argmax(np.asarray(lists.is_null()))) + 1
        raise DataError(f"column '{nested}' contains no list", where=f"{source}, row {row}", remedy="write an empty list")
    parent, entries = pc.list_parent_indices(lists), pc.list_flatten(lists)
    columns: dict[str, pa.Array] = {}
    for field in table.schema:
        if field.name == nested:
            columns |= dict(zip(inner, entries.flatten(), strict=True))
        else:
            columns[field.name] = table.column(field.name).take(parent)
    rows = np.asarray(parent)
    first = np.searchsorted(rows, rows)
    return pa.table(columns), lambda at: f"{source}, row {rows[at] + 1}, entry {at - first[at] + 1}"


def _only_list_column(schema: pa.Schema) -> str | None:
    found = [field.name for field in schema if _is_list(field.type) and _IS.is_struct(field.type.value_type)]
    return found[0] if len(found) == 1 else None


def _is_list(kind: pa.DataType) -> bool:
    return bool(_IS.is_list(kind) or _IS.is_large_list(kind))
