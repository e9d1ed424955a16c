"""Artefacts on disk: one schema each, checksummed pages, atomic writes. The only parquet, npz and JSON input and output."""

from __future__ import annotations

import contextlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from recsens.errors import ArtefactError
from recsens.specs import Chain, Spec

INTERACTIONS = pa.schema(
    [
        pa.field("user", pa.int32(), nullable=False),
        pa.field("item", pa.int32(), nullable=False),
        pa.field("rating", pa.float64()),
        pa.field("timestamp", pa.int64()),
    ]
)
"""One row an interaction, codes fixed by the id tables beside it; a column of nulls where the data set has none."""

IDS = pa.schema([pa.field("key", pa.int64(), nullable=False), pa.field("id", pa.string(), nullable=False)])
"""Row number = code; ``key`` is the code given at ingest, ``id`` the name in the raw file. Side columns may follow."""

ROLES = pa.schema([pa.field("role", pa.uint8(), nullable=False)])
"""One row an interaction, in the order of interactions.parquet."""

POSITIONS = pa.schema(
    [
        pa.field("user", pa.int32(), nullable=False),
        pa.field("item", pa.int32(), nullable=False),
        pa.field("rating", pa.float64()),
        pa.field("score", pa.float64()),
        pa.field("above", pa.int32()),
        pa.field("tied", pa.int32()),
        pa.field("position", pa.int32()),
        pa.field("state", pa.uint8(), nullable=False),
    ]
)
"""One row a user and judged item, by user and item; null where the item is not ranked, ``score`` also where it was filled in."""

RATING_POSITIONS = pa.schema(
    [*POSITIONS, *(pa.field(name, pa.int32(), nullable=False) for name in ("targets", "ranked", "percentile"))]
)
"""Under 1R, one row a relevant test rating: with the number of its targets, how many of them are ranked, and its percentile."""

RANKED_USERS = pa.schema([pa.field(name, pa.int32(), nullable=False) for name in ("train", "test", "targets", "scored", "filled")])
"""Row number = user: numbers of train, test, target and ranked items, and how many of the ranked were filled in.

Under 1R the targets are those that the rankings of the user draw from.
"""

LISTS = pa.schema(
    [
        pa.field("user", pa.int32(), nullable=False),
        pa.field("rank", pa.int32(), nullable=False),
        pa.field("item", pa.int32(), nullable=False),
        pa.field("score", pa.float64()),
    ]
)
"""The top of each ranking, best first; no score where an item was filled in."""

_HEADER = "__header__"
_UNREADABLE = (OSError, ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
"""What reading a damaged archive may raise, NotImplementedError among them, a RuntimeError."""


@contextlib.contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """Yield a temporary name beside ``path``; rename it into place when the block ends well.

    A job killed half-way leaves no file under the final name.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def write_table(path: str | Path, schema: pa.Schema, columns: Mapping[str, Any]) -> None:
    """Write columns as a parquet file of the given schema; further columns may follow those of the schema."""
    fields = [*schema, *(pa.field(name, pa.array(columns[name]).type) for name in columns if name not in schema.names)]
    arrays = [pa.array(columns[field.name], type=field.type, from_pandas=True) for field in fields]
    table = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    with atomic(path) as temporary:
        pq.write_table(table, temporary, use_dictionary=False, compression="zstd", write_page_checksum=True)


def read_table(path: str | Path, schema: pa.Schema, columns: list[str] | None = None) -> pa.Table:
    """Read a parquet file after checking its pages' checksums and its schema.

    Raises
    ------
    ArtefactError
        If the file is missing, damaged or of another schema. One without the columns, or a folder, may be the user's own, given by
        mistake: it is not advised to delete it.
    """
    with _damage_named(path):
        absent = [name for name in columns or schema.names if name not in pq.read_schema(path).names]
        if absent:
            raise ArtefactError(
                f"lacks {_listed(absent)}", where=str(path), allowed=f"a table with {_listed(columns or schema.names)}"
            )
        table = pq.read_table(path, columns=columns, page_checksum_verification=True, partitioning=None)
        types = dict(zip(table.schema.names, table.schema.types, strict=True))
    for field in schema:
        if (columns is None or field.name in columns) and types.get(field.name) != field.type:
            raise ArtefactError(
                f"column '{field.name}' is of type {types.get(field.name)}, not {field.type}",
                where=str(path),
                remedy="delete the file and run again",
            )
    return table


def _listed(names: list[str]) -> str:
    return f"the column{'s' if len(names) > 1 else ''} " + ", ".join(f"'{name}'" for name in names)


@contextlib.contextmanager
def _damage_named(path: str | Path) -> Iterator[None]:
    if Path(path).is_dir():
        raise ArtefactError("is a folder", where=str(path), allowed="a file")
    try:
        yield
    except FileNotFoundError as error:
        raise ArtefactError("no such file", where=str(path), remedy="run the step that makes it") from error
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ArtefactError(f"damaged: {error}", where=str(path), remedy="delete the file and run again") from error


def has_columns(path: str | Path, schema: pa.Schema) -> bool:
    """Whether a parquet file has all columns of a schema.

    Raises
    ------
    ArtefactError
        If the file is missing or damaged.
    """
    with _damage_named(path):
        return set(schema.names) <= set(pq.read_schema(path).names)


def column(table: pa.Table, name: str, dtype: str | None = None) -> NDArray[Any]:
    """Return a column as a numpy array; nulls of a number column become NaN."""
    values: NDArray[Any] = table.column(name).to_numpy()
    return values if dtype is None else values.astype(dtype, copy=False)


def write_json(path: str | Path, content: Mapping[str, Any]) -> None:
    """Write a JSON object with sorted keys."""
    with atomic(path) as temporary:
        temporary.write_text(json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def read_json(path: str | Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises
    ------
    ArtefactError
        If the file is missing or damaged.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ArtefactError("no such file", where=str(path), remedy="run the step that makes it") from error
    except (OSError, ValueError) as error:
        raise ArtefactError(f"cannot be read: {error}", where=str(path), remedy="delete the file and run again") from error
    if not isinstance(content, dict):
        raise ArtefactError("is not a JSON object", where=str(path), remedy="delete the file and run again")
    return content


def write_arrays(path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write named arrays with a JSON header as npz; the bytes depend on the content alone. Never pickles.

    The header lists the arrays, since an archive whose directory is damaged may hide some of them.
    """
    text = json.dumps({"header": header, "arrays": sorted(arrays)}, sort_keys=True).encode()
    with atomic(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, array in [(_HEADER, np.frombuffer(text, dtype=np.uint8)), *arrays.items()]:
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array, order="C"), allow_pickle=False)


def read_arrays(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read the header and the arrays of an npz file, all of them against their checksums; never unpickles.

    Raises
    ------
    ArtefactError
        If the file is missing or damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            # Whole members first: only at a member's end is its checksum compared, and a damaged shape would read less.
            arrays = {name.removesuffix(".npy"): _array(archive.read(name)) for name in archive.namelist()}
        content = json.loads(arrays.pop(_HEADER).tobytes())
        if sorted(arrays) != content["arrays"]:
            raise ValueError(f"holds the arrays {sorted(arrays)}, not {content['arrays']}")
    except FileNotFoundError as error:
        raise ArtefactError("no such file", where=str(path), remedy="run the step that makes it") from error
    except _UNREADABLE as error:
        raise ArtefactError(f"damaged: {error}", where=str(path), remedy="delete the file and run again") from error
    return content["header"], arrays


def _array(content: bytes) -> NDArray[Any]:
    found: NDArray[Any] = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    return found


def write_text(path: str | Path, text: str) -> None:
    """Write a text file in UTF-8."""
    with atomic(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def keep_spec(folder: str | Path, component: Spec | Chain) -> None:
    """Keep the text of a component, or a chain of them, in the folder whose name only abbreviates it."""
    links = component if isinstance(component, Chain) else (component,)
    if component.is_abbreviated or any(link.is_abbreviated for link in links):
        write_json(Path(folder) / "spec.json", {"spec": str(component)})
