"""Files of any other form, such as CSV tables and figures. A folder next to the files has a one-line statement for each of them."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any

from recsens.artefacts.statements import DELETE, SIDECARS, Statement, compact, shortened, statement_for
from recsens.artefacts.storage._files import UNREADABLE, atomic, damage_named, refuse_other_content
from recsens.errors import ArtefactError


def write_text(path: str | Path, text: str) -> None:
    """Write a text file in UTF-8."""
    write_file(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def write_file(path: str | Path, write: Callable[[Path], Any]) -> None:
    """Write a file under a temporary name, then rename it. Its statement goes into a separate file next to it."""
    with atomic(path) as temporary:
        write(temporary)
        statement = statement_for(path, f"{PurePath(path).suffix[1:]} 1", lambda: _digest_of_file(temporary))
    if statement is not None:
        with atomic(sidecar(path)) as line:
            line.write_text(compact(statement) + "\n", encoding="utf-8")


def read_bytes(path: str | Path) -> bytes:
    """Read a file; it must match the statement next to it, if there is one.

    Raises ArtefactError if the file is missing, damaged or misplaced.
    """
    with damage_named(path):
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


def _digest_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return shortened(hashlib.file_digest(file, "sha256"))
