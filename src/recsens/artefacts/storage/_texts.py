"""JSON objects with their statement inside, and files of any other form, such as CSV tables and figures.

For files of other forms, a folder next to the files has a one-line statement for each of them.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import Any

from recsens.artefacts.statements import DELETE, KEY, SIDECARS, Statement, compact, digest_of, shortened, statement_for
from recsens.artefacts.storage._files import UNREADABLE, atomic, damage_named, refuse_other_content, refuse_other_kind
from recsens.errors import ArtefactError


def write_json(path: str | Path, content: Mapping[str, Any], kind: str) -> None:
    """Write a JSON object with sorted keys; ``kind`` contains the schema version, as in ``tuning 1``."""
    content = json.loads(json.dumps(content))  # as it will be read back: keys become text
    statement = statement_for(path, kind, lambda: digest_of(content))
    whole = content if statement is None else {**content, KEY: statement}
    with atomic(path) as temporary:
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
    with damage_named(path):
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
    with atomic(path) as temporary:
        write(temporary)
        kind = f"{PurePath(path).suffix[1:]} 1"
        statement = statement_for(path, kind, lambda: shortened(hashlib.sha256(temporary.read_bytes())))
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
