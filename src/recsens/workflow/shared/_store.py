"""The store: a folder of entries, each in a folder of its own that appears whole and is never changed."""

import errno
import itertools
import os
import re
import shutil
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath

from recsens.artefacts.statements import HEX, Statement
from recsens.errors import ArtefactError
from recsens.workflow.shared._copying import copy_file, make_folder
from recsens.workflow.shared._entries import Entry, is_note_of_its_folder

_KEY = re.compile(rf"[0-9a-f]{{{HEX}}}")
_NUMBERS = itertools.count()
_HALF_DONE = re.compile(rf"\.[0-9a-f]{{{HEX}}}\.\S+\.part")

_THERE = (errno.ENOTEMPTY, errno.EEXIST)
"""What systems answer where another was first to give a folder its name."""


@dataclass(frozen=True)
class Store:
    """A folder in which checkouts share results.

    Everything in it gets the permissions of the folder itself, whatever the umask of who gives it; files are read-only.

    Attributes
    ----------
    root
        The folder; it must be there.
    """

    root: Path

    def place(self, entry: Entry) -> Path:
        """Return the folder of an entry."""
        return self.root / entry.key

    def holds(self, entry: Entry) -> bool:
        """Whether there is an entry; it may be damaged."""
        return os.path.isdir(self.place(entry))  # noqa: PTH112 - what may not be looked at is not there

    def look(self, entry: Entry) -> dict[str, Statement]:
        """Return what the results of an entry state, by path; large ones are not read whole.

        Raises ArtefactError if there is no entry, or a result is not what it should be.
        """
        return entry.check(self.place(entry), whole=False)

    def take(self, entry: Entry, results: Path) -> dict[str, Statement]:
        """Copy the results of an entry into a folder of results, once the copies are found sound; return what they state, by path.

        Raises ArtefactError if a copy is not what it should be; nothing is taken then; OSError if the entry cannot be read, or
        the results cannot be written.
        """
        place = self.place(entry)
        with _staged(results / f".shared.{os.getpid()}.part") as stage:
            notes = _copied(place, stage, entry)
            statements = entry.check(stage)
            for path in (*notes, *entry.files):
                (results / path).parent.mkdir(parents=True, exist_ok=True)
                (stage / path).replace(results / path)
        with suppress(OSError):  # Nobody but its owner may say that it was used if the group cannot write.
            os.utime(place)
        return statements

    def give(self, entry: Entry, results: Path) -> bool:
        """Copy sound results into the store; whether they were not there.

        Raises ArtefactError if a copy is not sound; nothing is given then; OSError if a result cannot be read, or the store
        cannot be written.
        """
        if self.holds(entry):
            return False
        with _staged(self._aside(entry.key)) as stage:
            _copied(results, stage, entry)
            entry.check(stage)
            self._open_to_all(stage)
            try:
                stage.rename(self.place(entry))
            except OSError as error:
                if error.errno not in _THERE:
                    raise
                return False
        return True

    def remove(self, key: str) -> None:
        """Remove an entry: it vanishes whole, and only then are its files deleted.

        Raises OSError if it may not be removed.
        """
        aside = self._aside(key)
        (self.root / key).rename(aside)
        shutil.rmtree(aside)

    def listed(self) -> list[str]:
        """List the keys of all entries, in order."""
        return sorted(path.name for path in self.root.iterdir() if _KEY.fullmatch(path.name) and path.is_dir())

    def half_done(self) -> list[Path]:
        """List folders that are being written or deleted, or were when that was broken off."""
        return sorted(path for path in self.root.iterdir() if _HALF_DONE.fullmatch(path.name))

    def _aside(self, key: str) -> Path:
        return self.root / f".{key}.{socket.gethostname()}.{os.getpid()}.{next(_NUMBERS)}.part"

    def _open_to_all(self, folder: Path) -> None:
        """Give a folder and what it holds the permissions of the store."""
        mode = self.root.stat().st_mode & 0o7777
        for path in (folder, *folder.rglob("*")):
            path.chmod(mode if path.is_dir() else mode & 0o444)


@contextmanager
def _staged(folder: Path) -> Iterator[Path]:
    """Yield a new folder that is gone in the end, unless it was given another name."""
    make_folder(folder, 0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copied(source: Path, target: Path, entry: Entry) -> list[str]:
    """Copy the results of an entry, and the notes of its folders that hold what they should; return the paths of these notes."""
    for path in entry.files:
        copy_file(source / path, target / path)
    notes = [path for path in entry.notes if _copied_if_there(source / path, target / path)]
    return [path for path in notes if _is_kept(target / path)]


def _copied_if_there(source: Path, target: Path) -> bool:
    try:
        copy_file(source, target)
    except ArtefactError:
        return False
    return True


def _is_kept(note: Path) -> bool:
    """Whether a note is the one of its folder; another is deleted."""
    if is_note_of_its_folder(note):
        return True
    note.unlink()
    return False


def paths_below(folder: Path) -> Iterable[PurePath]:
    """Return every file below a folder, as seen from there."""
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir())
