"""Write files that appear complete or not at all, and name the file in every error about reading it."""

import contextlib
import os
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from recsens.artefacts.statements import AGAIN, DELETE, Statement
from recsens.errors import ArtefactError

MISSING = "no such file"
"""The problem of a missing file."""

UNREADABLE = (OSError, ValueError, KeyError, TypeError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error, pa.ArrowException)
"""Errors from reading a damaged file; RuntimeError covers NotImplementedError."""


@contextlib.contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
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
def damage_named(path: str | Path) -> Iterator[None]:
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
