"""Records as JSON objects, with the statement under a separate key."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recsens.artefacts.statements import DELETE, KEY, Statement, digest_of, statement_for
from recsens.artefacts.storage._files import atomic, damage_named, refuse_other_content, refuse_other_kind
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
