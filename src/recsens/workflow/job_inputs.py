"""A job's inputs: results, identified by the digests in their statements, and the user's own files, which must be as planned."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from recsens.artefacts.filesets import list_paths
from recsens.artefacts.statements import AGAIN, Making, Statement, below_results, stated_value
from recsens.artefacts.storage import read_statement
from recsens.errors import ArtefactError, DataError
from recsens.workflow.code_digests import parts_of_code

OUTSIDE: Mapping[str, str] = {"files": "digests", "own_files": "own_digests"}
"""Inputs that are the user's own data, and the names of the parameters with their planned SHA-256."""

NO_RESULTS = {*OUTSIDE, "study"}
"""Inputs that are the user's own files. The part of the study file that a step reads is a parameter; the rest does not count.
"""

PARTS = {"shards", "shard_costs"}
"""Inputs that are parts of a job's own result; they are removed once it exists, and its statement ignores them."""

_NAMED_BY_PATH = {"spec", "chain", "design", "metric"}
"""Parameters that are components, which the path of the result names.

If one contains the path of a user's own file, the content of the file counts, wherever the file is.
"""

_NO_PARAMS = {*OUTSIDE.values(), *_NAMED_BY_PATH, "code", "plugins", "plugin_files"}
"""Parameters that are in another part of a statement, or that only say where plug-ins are."""

_SINCE = "the file has changed since this run was planned"


def results_read(inputs: Mapping[str, Any]) -> list[str]:
    """Return the results among a job's inputs, each once."""
    return list(dict.fromkeys(list_paths(files for name, files in inputs.items() if name not in NO_RESULTS | PARTS)))


def parts_read(inputs: Mapping[str, Any]) -> list[str]:
    """Return the shards among a job's inputs, which the job joins into its own result, and the records of their costs."""
    return list_paths(inputs.get(name, []) for name in sorted(PARTS))


def own_files(inputs: Mapping[str, Any]) -> list[str]:
    """Return the user's own files among a job's inputs."""
    return list_paths(inputs.get(name, []) for name in OUTSIDE)


def making_of_job(step: str, inputs: Mapping[str, str], params: Mapping[str, Any]) -> Making:
    """Return the inputs and code that a job's files will state; ``inputs`` has the digests of the job's input results."""
    outside = {f"{name}[{n}]": digest for name, param in OUTSIDE.items() for n, digest in enumerate(params.get(param, ()))}
    stated = {name: stated_value(value) for name, value in params.items() if name not in _NO_PARAMS}
    read = {below_results(path): digest for path, digest in inputs.items()}
    return Making(step, {**outside, **read}, stated, *parts_of_code(str(params.get("code", ""))))


def digests_of(paths: Iterable[str]) -> dict[str, str]:
    """Return each result's content digest, after checking that the result was made from the inputs that exist now.

    Raises
    ------
    ArtefactError
        If a result is missing, damaged, misplaced or without a statement, or if its inputs have changed since it was made.
    """
    statements = {path: statement_of(path) for path in paths}
    contents = {path: statement.content for path, statement in statements.items()}
    for path, statement in statements.items():
        refuse_other_inputs(path, statement, contents)
    return {path: statement.content for path, statement in statements.items()}


def statement_of(path: str | Path) -> Statement:
    """Return a result's statement.

    Raises
    ------
    ArtefactError
        In the same cases as `read_statement`, or if the result has no statement.
    """
    statement = read_statement(path)
    if statement is None:
        problem = "states nothing about itself: it is from an earlier release, is not a result, or lost its line in .statements"
        raise ArtefactError(problem, where=str(path), remedy=AGAIN)
    return statement


def refuse_other_inputs(path: str, statement: Statement, contents: dict[str, str]) -> None:
    """Refuse a result if the content of its inputs has changed since it was made; missing inputs are skipped.

    ``contents`` are the digests of files read so far, by path; the digests of further files are added.
    """
    folder = Path(*Path(path).parts[: -len(Path(statement.path).parts)])
    for name, digest in statement.made.inputs.items():
        source = folder / name
        if name.endswith("]") or not source.exists():
            continue
        content = contents.get(str(source))
        if content is None:
            content = contents[str(source)] = statement_of(source).content
        if content != digest:
            raise ArtefactError(
                f"was made from a different version of {source.name}: {source} has changed since", where=path, remedy=AGAIN
            )


@contextmanager
def refuse_changed_inputs(inputs: Mapping[str, Any], params: Mapping[str, Any]) -> Iterator[None]:
    """Refuse the user's own files, including plug-ins, that are not as planned or that change during the block.

    Raises
    ------
    DataError
        The message names the file.
    """
    planned = [
        (path, digest)
        for name, param in OUTSIDE.items()
        for path, digest in zip(list_paths([inputs.get(name, [])]), params.get(param, ()), strict=True)
    ]
    planned += params.get("plugin_files", {}).items()
    with watched([path for path, _ in planned], "the file changed while it was being read"):
        for path, digest in planned:
            if _sha256(path) != digest:
                raise _change_error(path, _SINCE)
        yield


@contextmanager
def watched(paths: Iterable[str], problem: str = _SINCE) -> Iterator[Callable[[], None]]:
    """Refuse files that change during the block, even if it fails; yield a function that refuses files changed so far.

    Raises
    ------
    DataError
        The message names the file, and says when it changed.
    """
    before = {path: _file_state(path) for path in paths}

    def refuse_changes() -> None:
        for path, state in before.items():
            if _file_state(path) != state:
                raise _change_error(path, problem)

    try:
        yield refuse_changes
    except Exception:
        refuse_changes()  # This explains a truncated line better than the reader's error does.
        raise
    refuse_changes()


def _file_state(path: str) -> tuple[int, ...] | None:
    """Return metadata that change if a file is written or replaced; programs cannot set the change time, which is among them."""
    try:
        stat = Path(path).stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


def _sha256(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", where=path, remedy="check the path") from error


def _change_error(path: str, problem: str) -> DataError:
    return DataError(problem, where=path, remedy="do not change it during a run, and run again")
