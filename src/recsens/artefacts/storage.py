"""Read and write result files: atomically, with a schema, checksums and a statement (`recsens.artefacts.statements`)."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePath
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from recsens.artefacts.schemas import kind_of
from recsens.artefacts.statements import (
    AGAIN,
    DELETE,
    HEX,
    KEY,
    SIDECARS,
    Statement,
    compact_json,
    digest_of,
    shortened,
    statement_for,
)
from recsens.errors import ArtefactError
from recsens.plugins.specs import Chain, Spec

MISSING = "no such file"
"""The problem of a missing file."""

UNREADABLE = (OSError, ValueError, KeyError, TypeError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error, pa.ArrowException)
"""Errors from reading a damaged file; RuntimeError covers NotImplementedError."""


@contextlib.contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary name next to ``path``; rename it to ``path`` if the block ends without an error.

    If a job is killed half-way, no file has the final name.

    Raises ArtefactError if ``path`` is a folder, and OSError if the file cannot be written; both errors name the file.
    """
    target = Path(path)
    if target.is_dir():
        raise ArtefactError("is a folder", where=str(path), allowed="a file", remedy="move it elsewhere, and run again")
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(target)
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)  # If the disk is full, the system's error names no file.
        raise
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def name_damaged_file(path: str | Path) -> Iterator[None]:
    """Turn any error in reading a file into one that names the file."""
    if Path(path).is_dir():
        raise ArtefactError("is a folder", where=str(path), allowed="a file")
    try:
        yield
    except FileNotFoundError as error:
        raise ArtefactError(MISSING, where=str(path), remedy="run the step that writes it") from error
    except UNREADABLE as error:
        raise ArtefactError(f"damaged: {error}", where=str(path), remedy=DELETE) from error


def refuse_other_kind(statement: Statement | None, path: str | Path, kind: str) -> None:
    """Refuse a file whose statement names a different kind of content."""
    if statement is not None and statement.kind != kind:
        raise ArtefactError(f"contains '{statement.kind}' instead of '{kind}'", where=str(path), remedy=AGAIN)


def refuse_other_content(statement: Statement, path: str | Path, digest: str) -> None:
    """Refuse a file whose content does not match the digest in its statement."""
    if statement.content != digest:
        raise ArtefactError("damaged: its content does not match its statement", where=str(path), remedy=DELETE)


_HEADER = "__header__"


def write_arrays(path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], kind: str) -> None:
    """Write named arrays with a JSON header as npz. The bytes depend only on the content, and nothing is pickled.

    The header lists the arrays, because an archive with a damaged directory may hide some of them.
    """
    ordered = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    statement = statement_for(path, kind, lambda: _digest_of_arrays(header, ordered))
    stated = {} if statement is None else {KEY: statement}
    text = json.dumps({"header": header, "arrays": sorted(arrays), **stated}, sort_keys=True).encode()
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, array in [(_HEADER, np.frombuffer(text, dtype=np.uint8)), *ordered.items()]:
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def read_arrays(path: str | Path, kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read an npz file's header and arrays, checking every array against its checksum. Nothing is unpickled.

    Raises ArtefactError if the file is missing, damaged, misplaced or of another kind.
    """
    header, arrays, statement = _arrays_of(path)
    refuse_other_kind(statement, path, kind)
    return header, arrays


def _arrays_of(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]], Statement | None]:
    with name_damaged_file(path):
        with zipfile.ZipFile(path) as archive:
            # Read each member to its end, because its checksum is compared only there; parsing a damaged shape would stop earlier.
            arrays = {name.removesuffix(".npy"): _array(archive.read(name)) for name in archive.namelist()}
        content = json.loads(arrays.pop(_HEADER).tobytes())
        if sorted(arrays) != content["arrays"]:
            raise ValueError(f"holds the arrays {sorted(arrays)}, not {content['arrays']}")
        return content["header"], arrays, _of_header(content, path)


def _of_header(content: Mapping[str, Any], path: str | Path) -> Statement | None:
    return Statement.unsealed(content[KEY], path) if KEY in content else None


def _array(content: bytes) -> NDArray[Any]:
    array: NDArray[Any] = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    return array


def _digest_of_arrays(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256(digest_of(header).encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return shortened(digest)


def statement_of_arrays(path: str | Path) -> Statement | None:
    """Return the statement in an npz file."""
    with name_damaged_file(path), zipfile.ZipFile(path) as archive:
        return _of_header(json.loads(_array(archive.read(f"{_HEADER}.npy")).tobytes()), path)


def check_arrays(path: str | Path, statement: Statement) -> None:
    """Compare an npz file's whole content with the file's statement."""
    header, arrays, _ = _arrays_of(path)
    refuse_other_content(statement, path, _digest_of_arrays(header, arrays))


def write_json(path: str | Path, content: Mapping[str, Any], kind: str) -> None:
    """Write a JSON object with sorted keys; ``kind`` contains the schema version, as in ``tuning 1``."""
    content = json.loads(json.dumps(content))  # as it will be read back: keys become text
    statement = statement_for(path, kind, lambda: digest_of(content))
    whole = content if statement is None else {**content, KEY: statement}
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(whole, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def read_json(path: str | Path, kind: str) -> dict[str, Any]:
    """Read a JSON object and check it against its statement; return the object without the statement.

    Raises ArtefactError if the file is missing, damaged, misplaced or of another kind.
    """
    content, statement = object_of(path)
    refuse_other_kind(statement, path, kind)
    return content


def object_of(path: str | Path) -> tuple[dict[str, Any], Statement | None]:
    """Return a file's JSON object without the statement, and the statement."""
    with name_damaged_file(path):
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        raise ArtefactError("is not a JSON object", where=str(path), remedy=DELETE)
    if KEY not in content:
        return content, None
    statement = Statement.unsealed(content.pop(KEY), path)
    refuse_other_content(statement, path, digest_of(content))
    return content, statement


def write_text(path: str | Path, text: str) -> None:
    """Write a text file in UTF-8."""
    write_file(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def write_file(path: str | Path, write: Callable[[Path], Any]) -> None:
    """Write a file under a temporary name, then rename it. Its statement goes into a separate file next to it."""
    with atomic_path(path) as temporary:
        write(temporary)
        kind = f"{PurePath(path).suffix[1:]} 1"
        statement = statement_for(path, kind, lambda: shortened(hashlib.sha256(temporary.read_bytes())))
    if statement is not None:
        with atomic_path(sidecar(path)) as line:
            line.write_text(compact_json(statement) + "\n", encoding="utf-8")


def read_bytes(path: str | Path) -> bytes:
    """Read a file; it must match the statement next to it, if there is one.

    Raises ArtefactError if the file is missing, damaged or misplaced.
    """
    with name_damaged_file(path):
        content = Path(path).read_bytes()
    statement = statement_beside(path)
    if statement is not None:
        refuse_other_content(statement, path, shortened(hashlib.sha256(content)))
    return content


def sidecar(path: str | PurePath) -> Path:
    """Return the path of the separate statement file for a file that cannot contain one, such as a CSV table."""
    return Path(path).parent / SIDECARS / f"{PurePath(path).name}.json"


def statement_beside(path: str | Path) -> Statement | None:
    """Return the statement that is stored next to a file and says how it was made; None if there is none."""
    line = sidecar(path)
    try:
        stated = json.loads(line.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except UNREADABLE as error:
        raise ArtefactError(f"damaged: {error}", where=str(line), remedy=DELETE) from error
    return Statement.unsealed(stated, path)


def read_statement(path: str | Path) -> Statement | None:
    """Return the statement of how a file was made; None if it has none.

    Only JSON files and files with a separate statement are compared with their digest.

    Raises
    ------
    ArtefactError
        If the file is missing, damaged or misplaced.
    """
    match PurePath(path).suffix:
        case ".parquet":
            return statement_of_table(path)
        case ".npz":
            return statement_of_arrays(path)
        case ".json":
            return object_of(path)[1]
        case _:
            read_bytes(path)
            return statement_beside(path)


def check_content(path: str | Path) -> None:
    """Read a whole file and compare the content with the file's statement.

    Raises
    ------
    ArtefactError
        If the file is missing, damaged or misplaced.
    """
    statement = read_statement(path)
    match PurePath(path).suffix:
        case ".parquet" if statement is not None:
            check_table(path, statement)
        case ".npz" if statement is not None:
            check_arrays(path, statement)


def keep_spec(folder: str | PurePath, component: Spec | Chain) -> None:
    """Write the full spec of a component or chain into its folder, if the folder's name abbreviates the spec."""
    links = component if isinstance(component, Chain) else (component,)
    if component.has_digest or any(link.has_digest for link in links):
        text = json.dumps({"spec": str(component)}, indent=2, ensure_ascii=False) + "\n"
        with atomic_path(Path(folder) / "spec.json") as temporary:
            # Several jobs write the same file, so it must not contain a statement about any of them.
            temporary.write_text(text, encoding="utf-8")


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
    with append_rows(path, schema) as append:
        append(columns)


@contextmanager
def append_rows(path: str | Path, schema: pa.Schema) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Yield a function that appends rows, given as columns, to a parquet file; so the rows need not all fit into memory at once.

    The rows of a call form one row group, or several if there are more than `ROWS` rows. A call without rows writes nothing. The
    first call determines which columns follow the schema's columns.
    """
    with atomic_path(path) as temporary, temporary.open("w+b") as file:
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
            statement = statement_for(path, kind_of(schema), lambda: _digest_of(pages.digest, _parquet_schema(whole)))
            stated = {} if statement is None else {KEY: compact_json(statement)}
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
    with name_damaged_file(path):
        is_stated = _check_stored(path, schema, columns)
        table = _read_columns_of(path, columns, page_checksum_verification=not is_stated)
    _refuse_other_types(path, table.schema, schema, columns)
    return table


def _read_columns_of(path: str | Path, columns: list[str] | None, **options: Any) -> pa.Table:
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
    with name_damaged_file(path):
        is_stated = _check_stored(path, schema, columns)
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
    with name_damaged_file(path):
        is_stated = _check_stored(path, schema, schema.names)
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


def _check_stored(path: str | Path, schema: pa.Schema, columns: list[str] | None) -> bool:
    """Check a table's statement, content and columns; return whether the table has a statement."""
    footer = _footer_of(path)
    statement = _statement_in(footer, path)
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
    with name_damaged_file(path):
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


def _statement_in(footer: pq.FileMetaData, path: str | Path) -> Statement | None:
    text = (footer.metadata or {}).get(KEY.encode())
    return None if text is None else Statement.unsealed(json.loads(text), path)


def statement_of_table(path: str | Path) -> Statement | None:
    """Return the statement in a table."""
    with name_damaged_file(path):
        return _statement_in(_footer_of(path), path)


def check_table(path: str | Path, statement: Statement) -> None:
    """Compare a table's whole content with its statement."""
    with name_damaged_file(path):
        digest = _digest_of(_hash_pages(Path(path)), _footer_of(path).schema.to_arrow_schema())
    refuse_other_content(statement, path, digest)


def _hash_pages(path: Path) -> hashlib._Hash:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        left = _footer_and_seal(file)[2]
        file.seek(0)
        while part := file.read(min(left, _AT_ONCE)):
            digest.update(part)
            left -= len(part)
    return digest


def _parquet_schema(schema: pa.Schema) -> pa.Schema:
    """Return a schema as parquet stores it; for example, parquet renames the elements of a list."""
    file = io.BytesIO()
    pq.write_table(schema.empty_table(), file)
    return pq.read_metadata(file).schema.to_arrow_schema()


def _digest_of(pages: hashlib._Hash, schema: pa.Schema) -> str:
    """Return a table's digest, computed from its pages and from the column names and types in the footer."""
    whole = pages.copy()
    whole.update("".join(f"{field.name} {field.type}\n" for field in schema).encode())
    return shortened(whole)
