"""Parquet files with one row for each list: a user, and the list's items with their scores, ranks or ratings."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from recsens.errors import DataError

_IS = pa.types


def nested_field(schema: pa.Schema) -> str | None:
    """Return the name of the only column that holds lists of items, as LensKit's native layout has; None if there is none."""
    found = [field.name for field in schema if _is_list(field.type) and _IS.is_struct(field.type.value_type)]
    return found[0] if len(found) == 1 else None


def flat_names(schema: pa.Schema) -> list[str]:
    """Return the names of a table's columns, and what the entries of its lists hold in place of the column of lists."""
    nested = nested_field(schema)
    names: list[str] = []
    for field in schema:
        names += [inner.name for inner in field.type.value_type] if field.name == nested else [field.name]
    return names


def flattened(table: pa.Table, source: str) -> tuple[pa.Table, Callable[[int], str] | None]:
    """Return a table with a row for each entry of its lists, and what says where a row comes from; other tables as they are.

    Raises
    ------
    DataError
        If a row has no list: an empty one says that nothing is listed, none says nothing.
    """
    nested = nested_field(table.schema)
    if nested is None:
        return table, None
    lists = table.column(nested).combine_chunks()
    if lists.null_count:
        row = int(np.argmax(np.asarray(lists.is_null()))) + 1
        raise DataError(f"column '{nested}' holds no list", where=f"{source}, row {row}", remedy="write an empty list")
    parent, entries = pc.list_parent_indices(lists), pc.list_flatten(lists)
    columns: dict[str, pa.Array] = {}
    for field in table.schema:
        if field.name == nested:
            columns |= dict(zip((inner.name for inner in entries.type), entries.flatten(), strict=True))
        else:
            columns[field.name] = table.column(field.name).take(parent)
    rows = np.asarray(parent)
    first = np.searchsorted(rows, rows)
    return pa.table(columns), lambda at: f"{source}, row {rows[at] + 1}, entry {at - first[at] + 1}"


def _is_list(kind: pa.DataType) -> bool:
    return bool(_IS.is_list(kind) or _IS.is_large_list(kind))
