"""Parquet files with one row per list: a user, and the list's items with scores, ranks or ratings."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsens.errors import DataError
from recsens.files.column_names import column_of, tell
from recsens.files.exact_reader import Invalid
from recsens.files.kinds import Kind
from recsens.files.line_faults import no_column
from recsens.files.parquet import column_names, read_first_rows, read_frame, read_table
from recsens.files.table import FileTable

_IS = pa.types

_LOOKED_AT = 1000
"""Number of rows that an inspection reads."""


def lists_in(path: Path) -> str | None:
    """Return the name of the only column with lists of items, as in LensKit's native layout; None if there is none."""
    return _nested(read_first_rows(path, 1).schema)


def names_in(path: Path) -> list[str]:
    """Return a file's column names, with the fields of the list entries in place of the list column."""
    found = column_names(path)
    schema = read_first_rows(path, 1).schema
    nested = _nested(schema)
    if nested is None:
        return found
    at = found.index(nested)
    return [*found[:at], *(inner.name for inner in schema.field(nested).type.value_type), *found[at + 1 :]]


def first_rows(path: Path, name: str) -> list[str]:
    """Return the first values of a column, or of a field of the list entries, as text; an empty list unless they are numbers."""
    column = entries_of(read_first_rows(path, _LOOKED_AT), str(path))[0].column(name)[:_LOOKED_AT]
    is_number = _IS.is_integer(column.type) or _IS.is_floating(column.type) or _IS.is_decimal(column.type)
    return [str(value) for value in column.to_pylist()] if is_number else []


def read_lists(path: Path, kind: Kind, names: Mapping[str, str], invalid: Invalid = "error") -> FileTable:
    """Read a parquet file of lists as if it had one row per entry (see `recsens.files.read_parquet`).

    Raises
    ------
    DataError
        If a column is missing, or contains a value that its role does not allow; the message gives the row and the entry, counted
        from 1.
    """
    table, place = entries_of(read_table(path), str(path))
    found = table.column_names
    meant = {role: column_of(str(path), role, found) for role, name in names.items() if name == role}
    named = {**names, **meant}
    for role, name in named.items():
        if found.count(name) != 1:
            raise no_column(str(path), kind, found, role, name, None)
    tell(str(path), meant)
    rows = read_frame(table, str(path), kind, named, invalid, [name for name in found if name not in named.values()])
    return replace(rows, place=place or rows.place)


def entries_of(table: pa.Table, source: str) -> tuple[pa.Table, Callable[[int], str] | None]:
    """Return a table with one row per list entry, and a function that locates its rows in the file.

    A table without lists is returned unchanged, with None in place of the function.

    Raises
    ------
    DataError
        If a row has null in place of a list, because only an empty list means that nothing is listed; or if a column has the same
        name as a field of the entries, because either could be meant.
    """
    nested = _nested(table.schema)
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


def _nested(schema: pa.Schema) -> str | None:
    found = [field.name for field in schema if _is_list(field.type) and _IS.is_struct(field.type.value_type)]
    return found[0] if len(found) == 1 else None


def _is_list(kind: pa.DataType) -> bool:
    return bool(_IS.is_list(kind) or _IS.is_large_list(kind))
