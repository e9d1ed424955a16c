"""Tables as parquet files. The statement is in the metadata; column names and types are part of the content."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from recsens.artefacts.schemas import kind_of
from recsens.artefacts.statements import DELETE, HEX, KEY, Statement, compact, shortened, statement_for
from recsens.artefacts.storage._files import atomic, damage_named, refuse_other_content, refuse_other_kind
from recsens.errors import ArtefactError

_SEAL, _MARK = "recsens_footer", "sha256 of the footer: "
"""The key of the footer's digest in the metadata, and the prefix of the digest."""

_AT_ONCE = 1 << 20
"""Number of bytes that are digested at a time, or read by one thread."""

ROWS = 1 << 20
"""Largest number of rows in a row group."""

_FORM: Mapping[str, Any] = {"use_dictionary": False, "compression": "zstd", "write_page_checksum": True}
"""Options with which parquet files are written."""

_UNSEALED = "0" * HEX
"""Placeholder for the digest while it is computed."""


def write_table(path: str | Path, schema: pa.Schema, columns: Mapping[str, Any]) -> None:
    """Write columns as a parquet file with the given schema. Other columns may follow the schema's own."""
    with appending(path, schema) as append:
        append(columns)


@contextmanager
def appending(path: str | Path, schema: pa.Schema) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Yield a function that appends rows, given as columns, to a parquet file; so the rows need not all fit into memory at once.

    The rows of a call form one row group, or several if there are more than `ROWS` rows. A call without rows writes nothing. The
    first call determines which columns follow the schema's columns.
    """
    with atomic(path) as temporary, temporary.open("w+b") as file:
        pages = _Hashed(file)
        with ExitStack() as held:
            writers: list[pq.ParquetWriter] = []

            def append(columns: Mapping[str, Any]) -> None:
                if not writers:
                    more = [pa.field(name, pa.array(values).type) for name, values in columns.items() if name not in schema.names]
                    whole = pa.schema([*schema, *more])
                    writers.append(held.enter_context(pq.ParquetWriter(pages, whole, **_FORM)))
                [writer] = writers
                arrays = [pa.array(columns[field.name], type=field.type, from_pandas=True) for field in writer.schema]
                table = pa.Table.from_arrays(arrays, schema=writer.schema)
                if len(table):
                    writer.write_table(table, row_group_size=ROWS)

            yield append
            if not writers:
                append({name: [] for name in schema.names})
            whole = writers[0].schema
            statement = statement_for(path, kind_of(schema), lambda: _digest_of(pages.digest, _as_stored(whole)))
            stated = {} if statement is None else {KEY: compact(statement)}
            writers[0].add_key_value_metadata({**stated, _SEAL: _MARK + _UNSEALED})
        # Replace the placeholder in the footer by the footer's digest.
        footer, at, place = _footer_and_seal(file)
        file.seek(place + at)
        file.write(_digest_of_footer(footer, at).encode())


def read_table(path: str | Path, schema: pa.Schema, columns: list[str] | None = None) -> pa.Table:
    """Read a parquet file, checking its statement, its content and its schema.

    A file without a statement is checked only by the checksums of its pages, which do not cover the headers of pages.

    Raises
    ------
    ArtefactError
        If the file is missing, damaged, misplaced or of another schema. If it is a folder or lacks the columns, the message does
        not suggest deleting it, because a user may have passed it by mistake.
    """
    with damage_named(path):
        is_stated = _checked(path, schema, columns)
        table = _read(path, columns, page_checksum_verification=not is_stated)
    _refuse_other_types(path, table.schema, schema, columns)
    return table


def _read(path: str | Path, columns: list[str] | None, **options: Any) -> pa.Table:
    if Path(path).stat().st_size > _AT_ONCE:
        return pq.read_table(path, columns=columns, partitioning=None, **options)
    # Starting Arrow's threads would take longer than reading a small file.
    with pq.ParquetFile(path, pre_buffer=False, **options) as file:
        return file.read(columns=columns, use_threads=False)


def read_groups(path: str | Path, schema: pa.Schema, columns: list[str] | None = None) -> Iterator[pa.Table]:
    """Read a parquet file one row group at a time, after checking the whole file as `read_table` does.

    A table without rows yields one empty group.

    Raises ArtefactError as `read_table` does.
    """
    with damage_named(path):
        is_stated = _checked(path, schema, columns)
        with pq.ParquetFile(path, page_checksum_verification=not is_stated) as file:
            _refuse_other_types(path, file.schema_arrow, schema, columns)
            if not file.num_row_groups:
                yield file.read(columns=columns)
            for group in range(file.num_row_groups):
                yield file.read_row_group(group, columns=columns)


def read_columns(path: str | Path, schema: pa.Schema) -> dict[str, NDArray[Any] | None]:
    """Read the numeric columns of a parquet file as arrays, after the checks of `read_table`. A column that has only nulls is None.

    Row groups are copied into the arrays one by one; this takes half the memory and half the time of reading a whole table. A null
    among floating-point numbers becomes NaN.

    Raises ArtefactError as `read_table` does, and also if a column of whole numbers has both values and nulls.
    """
    with damage_named(path):
        is_stated = _checked(path, schema, schema.names)
        with pq.ParquetFile(path, pre_buffer=False, page_checksum_verification=not is_stated) as file:
            _refuse_other_types(path, file.schema_arrow, schema, schema.names)
            arrays = {field.name: np.empty(file.metadata.num_rows, field.type.to_pandas_dtype()) for field in schema}
            nulls, first = dict.fromkeys(schema.names, 0), 0
            for group in range(file.num_row_groups):
                table = file.read_row_group(group, columns=schema.names, use_threads=False)
                for name, array in arrays.items():
                    rows = table.column(name)
                    nulls[name] += rows.null_count
                    if array.dtype.kind == "f" or not rows.null_count:
                        array[first : first + len(rows)] = rows.to_numpy()
                first += len(table)
    for name, array in arrays.items():
        if array.dtype.kind != "f" and 0 < nulls[name] < len(array):
            raise ArtefactError(f"column '{name}' lacks {nulls[name]:,} of {len(array):,} values", where=str(path), remedy=DELETE)
    return {name: None if len(array) and nulls[name] == len(array) else array for name, array in arrays.items()}


def _checked(path: str | Path, schema: pa.Schema, columns: list[str] | None) -> bool:
    """Check a table's statement, content and columns; return whether the table has a statement."""
    footer = _footer_of(path)
    statement = _stated_in(footer, path)
    refuse_other_kind(statement, path, kind_of(schema))
    absent = [name for name in columns or schema.names if name not in footer.schema.names]
    if absent:
        raise ArtefactError(f"lacks {_listed(absent)}", where=str(path), allowed=f"a table with {_listed(columns or schema.names)}")
    if statement is not None:
        check_table(path, statement)
    return statement is not None


def _refuse_other_types(path: str | Path, stored: pa.Schema, schema: pa.Schema, columns: list[str] | None) -> None:
    types = dict(zip(stored.names, stored.types, strict=True))
    for field in schema:
        if (columns is None or field.name in columns) and types.get(field.name) != field.type:
            raise ArtefactError(
                f"column '{field.name}' is of type {types.get(field.name)}, not {field.type}", where=str(path), remedy=DELETE
            )


def has_columns(path: str | Path, schema: pa.Schema) -> bool:
    """Whether a parquet file has all columns of a schema.

    Raises ArtefactError if the file is missing or damaged.
    """
    with damage_named(path):
        return set(schema.names) <= set(_footer_of(path).schema.names)


def column(table: pa.Table, name: str, dtype: str | None = None) -> NDArray[Any]:
    """Return a column as a numpy array; nulls in a numeric column become NaN."""
    values: NDArray[Any] = table.column(name).to_numpy()
    return values if dtype is None else values.astype(dtype, copy=False)


class _Hashed:
    """A file that computes a digest of the bytes written to it."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.digest = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self.digest.update(data)
        return self._file.write(data)

    def tell(self) -> int:
        return self._file.tell()

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self._file.flush()


def _listed(names: list[str]) -> str:
    return f"the column{'s' if len(names) > 1 else ''} " + ", ".join(f"'{name}'" for name in names)


def _footer_of(path: str | Path) -> pq.FileMetaData:
    """Read the footer and check its digest, because parquet's own checksums do not cover the footer."""
    with Path(path).open("rb") as file:
        footer, at, _ = _footer_and_seal(file)
        if at >= 0 and footer[at : at + len(_UNSEALED)].decode() != _digest_of_footer(footer, at):
            raise ValueError("its footer was changed")
        file.seek(0)
        read = pq.read_metadata(file)
    if at < 0 and KEY.encode() in (read.metadata or {}):
        raise ValueError("its footer was changed")
    return read


def _footer_and_seal(file: BinaryIO) -> tuple[bytes, int, int]:
    """Return the footer, the offset of the digest in the footer (-1 without a digest), and the offset of the footer in the file."""
    size = file.seek(-8, os.SEEK_END)
    length = int.from_bytes(file.read(4), "little")
    place = max(size - length, 0)
    file.seek(place)
    footer = file.read(length)
    mark = footer.rfind(_MARK.encode())
    return footer, mark + len(_MARK) if mark >= 0 else -1, place


def _digest_of_footer(footer: bytes, at: int) -> str:
    return shortened(hashlib.sha256(footer[:at] + _UNSEALED.encode() + footer[at + len(_UNSEALED) :]))


def _stated_in(footer: pq.FileMetaData, path: str | Path) -> Statement | None:
    text = (footer.metadata or {}).get(KEY.encode())
    return None if text is None else Statement.unsealed(json.loads(text), path)


def statement_of_table(path: str | Path) -> Statement | None:
    """Return the statement in a table."""
    with damage_named(path):
        return _stated_in(_footer_of(path), path)


def check_table(path: str | Path, statement: Statement) -> None:
    """Compare a table's whole content with its statement."""
    with damage_named(path):
        digest = _digest_of(_pages(Path(path)), _footer_of(path).schema.to_arrow_schema())
    refuse_other_content(statement, path, digest)


def _pages(path: Path) -> hashlib._Hash:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        left = _footer_and_seal(file)[2]
        file.seek(0)
        while part := file.read(min(left, _AT_ONCE)):
            digest.update(part)
            left -= len(part)
    return digest


def _as_stored(schema: pa.Schema) -> pa.Schema:
    """Return a schema as parquet stores it; for example, parquet renames the elements of a list."""
    file = io.BytesIO()
    pq.write_table(schema.empty_table(), file)
    return pq.read_metadata(file).schema.to_arrow_schema()


def _digest_of(pages: hashlib._Hash, schema: pa.Schema) -> str:
    """Return a table's digest, computed from its pages and from the column names and types in the footer."""
    whole = pages.copy()
    whole.update("".join(f"{field.name} {field.type}\n" for field in schema).encode())
    return shortened(whole)
