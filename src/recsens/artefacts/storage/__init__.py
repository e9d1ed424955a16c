"""Read and write result files: atomically, with a schema, checksums and a statement (`recsens.artefacts.statements`)."""

import json
from pathlib import Path, PurePath

from recsens.artefacts.statements import Statement
from recsens.artefacts.storage._arrays import check_arrays, read_arrays, statement_of_arrays, write_arrays
from recsens.artefacts.storage._files import MISSING, atomic
from recsens.artefacts.storage._tables import (
    ROWS,
    appending,
    check_table,
    column,
    has_columns,
    read_columns,
    read_groups,
    read_table,
    statement_of_table,
    write_table,
)
from recsens.artefacts.storage._texts import (
    object_of,
    read_bytes,
    read_json,
    sidecar,
    statement_beside,
    write_file,
    write_json,
    write_text,
)
from recsens.plugins.specs import Chain, Spec


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
    if component.is_abbreviated or any(link.is_abbreviated for link in links):
        text = json.dumps({"spec": str(component)}, indent=2, ensure_ascii=False) + "\n"
        with atomic(Path(folder) / "spec.json") as temporary:
            # Several jobs write the same file, so it must not contain a statement about any of them.
            temporary.write_text(text, encoding="utf-8")
