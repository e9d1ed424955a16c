"""The statement in every result: its path, its kind, its inputs, and the code that made it.

A statement is in the file itself (parquet, npz, JSON), or in a one-line file next to it (`SIDECARS`). A statement contains a digest
of itself, so any change makes the statement invalid.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePath
from typing import Any

from recsens.artefacts.addresses import RESULTS
from recsens.errors import ArtefactError

SIDECARS = ".statements"
"""Folder next to files that cannot contain their statement; for each such file, this folder contains a file with one line."""

KEY = "recsens"
"""Key of the statement within a file."""

AGAIN = "run the study again: 'recsens run' makes this file anew"
DELETE = "delete the file and run again"

DIGESTED = "sha256 "
"""Prefix of the digest that replaces a long parameter in a statement."""

LONGEST_STATED = 120
"""Greatest length of a parameter that a statement contains in full."""

HEX = 32
"""Number of hexadecimal digits of a SHA-256 in statements; with so many, no two contents have the same digits by chance."""


@dataclass(frozen=True)
class Making:
    """The inputs and code from which a job makes its files.

    Attributes
    ----------
    step
        Name of the step.
    inputs
        Digest of each file that is read, by the file's path below the results. For a user's own file, the key is the step's
        argument and the file's position in it, such as ``own_files[0]``.
    params
        The step's other arguments by name, as `stated_value` writes them.
    code
        Digest of the code behind the step.
    libraries
        The libraries that this code imports, with their versions.
    """

    step: str
    inputs: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str] = field(default_factory=dict)
    code: str = ""
    libraries: Sequence[str] = ()


@dataclass(frozen=True)
class Statement:
    """A file's record of its own origin.

    Attributes
    ----------
    path
        The file's path below the folder of results.
    kind
        The kind of its content, with the version of its schema, such as ``positions 1``.
    content
        Digest of its content.
    made
        The inputs and code from which it was made.
    """

    path: str
    kind: str
    content: str
    made: Making

    def sealed(self) -> dict[str, Any]:
        """Return the statement as JSON, including the statement's own digest."""
        stated = {"path": self.path, "kind": self.kind, "content": self.content, **asdict(self.made)}
        return {**stated, "seal": digest_of(stated)}

    @classmethod
    def unsealed(cls, stated: Any, path: str | PurePath) -> Statement:
        """Parse the output of `sealed` as the statement of the file at ``path``.

        Raises
        ------
        ArtefactError
            If the statement is damaged or from an earlier release, or if it belongs to a file at another path.
        """
        stated = dict(stated) if isinstance(stated, Mapping) else {}
        if stated.pop("seal", None) != digest_of(stated):
            raise ArtefactError("damaged: its statement about itself was changed", where=str(path), remedy=DELETE)
        if not isinstance(stated["params"], Mapping):
            raise ArtefactError("states its parameters as an earlier release did", where=str(path), remedy=AGAIN)
        statement = cls(stated.pop("path"), stated.pop("kind"), stated.pop("content"), Making(**stated))
        stated_path = PurePath(statement.path).parts
        if Path(path).absolute().parts[-len(stated_path) :] != stated_path:  # The results folder may be anywhere.
            raise ArtefactError(f"misplaced: this is the file of {RESULTS}/{statement.path}", where=str(path), remedy=AGAIN)
        return statement


_making: ContextVar[Making | None] = ContextVar("making", default=None)


@contextmanager
def making(made: Making) -> Iterator[None]:
    """Within this block, every file that is written states its inputs and code."""
    token = _making.set(made)
    try:
        yield
    finally:
        _making.reset(token)


def statement_for(path: str | PurePath, kind: str, content: Callable[[], str]) -> dict[str, Any] | None:
    """Return the sealed statement of a file that is being written, or None outside a job; ``content`` returns the file's digest."""
    made = _making.get()
    return None if made is None else Statement(below_results(path), kind, content(), made).sealed()


def below_results(path: str | PurePath) -> str:
    """Return a path relative to the results folder; a path outside that folder stays unchanged."""
    pure = PurePath(path)
    return (pure.relative_to(RESULTS) if pure.is_relative_to(RESULTS) else pure).as_posix()


def digest_of(content: Any) -> str:
    """Return a digest of a JSON value. A tuple has the digest of an equal list, and the order of keys does not matter."""
    return shortened(hashlib.sha256(compact_json(content).encode()))


def stated_value(value: Any) -> str:
    """Return a parameter as a statement stores it: as JSON, or as a digest if the text is long."""
    text = compact_json(value)
    return text if len(text) <= LONGEST_STATED else DIGESTED + digest_of(value)


def shortened(digest: hashlib._Hash) -> str:
    """Shorten a digest to as many hexadecimal digits as statements contain."""
    return digest.hexdigest()[:HEX]


def compact_json(content: Any) -> str:
    """Write a JSON value on one line, with keys in order."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
