"""Named arrays as npz files, with the statement in their header."""

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.artefacts.statements import KEY, Statement, digest_of, shortened, statement_for
from recsens.artefacts.storage._files import atomic, damage_named, refuse_other_content, refuse_other_kind

_HEADER = "__header__"


def write_arrays(path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], kind: str) -> None:
    """Write named arrays with a JSON header as npz. The bytes depend only on the content, and nothing is pickled.

    The header lists the arrays, because an archive with a damaged directory may hide some of them.
    """
    ordered = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    statement = statement_for(path, kind, lambda: _digest_of_arrays(header, ordered))
    stated = {} if statement is None else {KEY: statement}
    text = json.dumps({"header": header, "arrays": sorted(arrays), **stated}, sort_keys=True).encode()
    with atomic(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
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
    with damage_named(path):
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
    with damage_named(path), zipfile.ZipFile(path) as archive:
        return _of_header(json.loads(_array(archive.read(f"{_HEADER}.npy")).tobytes()), path)


def check_arrays(path: str | Path, statement: Statement) -> None:
    """Compare an npz file's whole content with the file's statement."""
    header, arrays, _ = _arrays_of(path)
    refuse_other_content(statement, path, _digest_of_arrays(header, arrays))
