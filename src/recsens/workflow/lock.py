"""Let only one process at a time write to a results folder, whatever links lead to the folder, and check that it is writable."""

import errno
import fcntl
import json
import logging
import os
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Self

import psutil

from recsens.errors import RecsensError

MARK = "RECSENS_RUN"
"""Environment variable of every process in a run; it names the run's writer, so that orphans of a killed run can be recognised."""


@dataclass(frozen=True)
class Writer:
    """A process that writes results.

    Attributes
    ----------
    process
        The process number on the host.
    host
        Name of the host.
    namespace
        The process namespace of the host or container, in which ``process`` is unique; empty if it has no name.
    folder
        Its working directory.
    results
        The folder of results to which it writes, with links resolved.
    """

    process: int
    host: str
    namespace: str
    folder: str
    results: str

    @classmethod
    def here(cls, results: Path) -> Self:
        """Describe this process as the writer of a results folder."""
        return cls(os.getpid(), socket.gethostname(), _namespace(), str(Path.cwd()), str(results.resolve()))

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Parse a writer from text; None if the text does not describe a writer, for example because it was truncated."""
        try:
            writer = cls(**json.loads(text))
        except (ValueError, TypeError):
            return None
        return writer if isinstance(writer.process, int) and writer.process > 0 else None

    def __str__(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def is_over(self) -> bool:
        """Whether the writer has certainly ended; always false for a writer on another host or in another container."""
        if (self.host, self.namespace) != (socket.gethostname(), _namespace()):
            return False
        try:
            return bool(psutil.Process(self.process).status() == psutil.STATUS_ZOMBIE)
        except psutil.NoSuchProcess:
            return True

    @property
    def words(self) -> str:
        """Say in words which process it is, and where it was started."""
        return f"process {self.process} on {self.host}, started in {self.folder}"


def marked() -> Iterator[tuple[psutil.Process, Writer]]:
    """Yield every process that a writer has started and that this user may inspect, except this process, with its writer."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, KeyError, OSError):
            writer = Writer.read(process.environ()[MARK])
            if writer is not None and process.pid != os.getpid():
                yield process, writer


def _namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


log = logging.getLogger(__name__)

PASSED_ON = "RECSENS_LOCK"
"""Environment variable of a Snakemake that a run has started: the descriptor of the run's lock, which Snakemake inherits."""

_NAME = ".lock"
_PROBE = 1 << 16
"""Number of bytes written to test whether a folder is writable."""

_FULL = (errno.ENOSPC, errno.EDQUOT)
_WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
"""Errors of file systems without locks."""


class RunError(RecsensError):
    """A run of a study that cannot start, or did not finish."""


def check_results(results: Path) -> None:
    """Refuse a path of results that is not a folder; nothing is written.

    Raises
    ------
    RunError
        If the path is a file, or a dangling link.
    """
    if results.is_dir() or not os.path.lexists(results):
        return
    if results.is_symlink():
        raise RunError(
            f"is a link to '{results.readlink()}', where there is no folder",
            where=str(results),
            remedy="create that folder, mount its disk, or delete the link",
        )
    raise RunError("is a file", where=str(results), allowed="a folder, or a link to one", remedy="move the file elsewhere")


def check_writable(folder: Path, room: int = _PROBE) -> None:
    """Refuse a folder in which ``room`` bytes cannot be written; a missing folder is created.

    Raises
    ------
    RunError
        The message gives the reason: permissions, a read-only disk, or a full disk.
    """
    with name_unwritable(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as probe:
            probe.write(bytes(room))


def check_replaceable(paths: Iterable[str]) -> None:
    """Refuse files that must be made anew but are not writable, or whose folder is not; Snakemake's own error would explain less.

    Raises
    ------
    RunError
        The message names the file or folder.
    """
    for path in map(Path, paths):
        nearest = next(each for each in (path, *path.parents) if each.exists())
        if not os.access(nearest, os.W_OK):
            raise RunError(
                "must be made anew, but cannot be written: it is read-only, or someone else's"
                if nearest == path
                else f"cannot be written, but {path.name} must be made there: it is read-only, or someone else's",
                where=str(nearest.resolve()),
                remedy="give yourself permission to write there, and run again; finished results stay",
            )


@contextmanager
def name_unwritable(path: Path) -> Iterator[None]:
    """Within the block, convert the system's errors to a `RunError` about a file or folder that is not writable."""
    try:
        yield
    except OSError as error:
        remedy = "free some space" if error.errno in _FULL else "give yourself permission to write there, or copy the checkout"
        raise RunError(
            f"cannot be written: {error.strerror}",
            where=str(path.resolve()),
            remedy=f"{remedy}, and run again; finished results stay",
        ) from error


@contextmanager
def only_writer(results: Path) -> Iterator[int]:
    """Hold the results lock during the block, and yield its descriptor; a process that inherits the descriptor also holds the lock.

    The system frees the lock when its process ends, for whatever reason. The lock's file is empty while no process holds the lock.
    On a file system without locks, a warning says so, and the block runs without a lock.

    Raises
    ------
    RunError
        If another process holds the lock, or if the lock's file is not writable.
    """
    descriptor = _open_lock(results / _NAME)
    try:
        _take_lock(descriptor, results, fcntl.LOCK_EX)
        with name_unwritable(results):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(Writer.here(results)).encode(), 0)
        try:
            yield descriptor
        finally:
            os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


@contextmanager
def one_of_several_writers(results: Path) -> Iterator[None]:
    """Share the results lock with other processes during the block, so that no process can hold it alone.

    Raises
    ------
    RunError
        If another process holds the lock alone, or if the lock's file is not writable.
    """
    check_results(results)
    check_writable(results)
    descriptor = _open_lock(results / _NAME)
    try:
        _take_lock(descriptor, results, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


def writer_at_work(results: Path) -> Writer | None:
    """Return the process that holds the results lock, as noted in the lock's file, without trying to take the lock."""
    writer = Writer.read(note_of_writer(results))
    return None if writer is None or writer.is_over else writer


def note_of_writer(results: Path) -> str:
    """Return the note of the process that holds the results lock alone; empty if there is no such process."""
    try:
        return (results / _NAME).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def is_passed_on(results: Path) -> bool:
    """Whether this process inherited the results lock from the run that started it."""
    try:
        inherited = os.fstat(int(os.environ[PASSED_ON]))
        return os.path.samestat(inherited, (results / _NAME).stat())
    except (KeyError, ValueError, OSError):
        return False


def _open_lock(path: Path) -> int:
    with name_unwritable(path):
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)


def _take_lock(descriptor: int, results: Path, how: int) -> None:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = Writer.read(os.pread(descriptor, 1 << 16, 0).decode("utf-8", "replace"))
        raise RunError(
            f"another run is writing these results ({holder.words if holder else 'process unknown'})",
            where=str(results.resolve()),
            remedy="wait until it ends, or end it; its finished results stay",
        ) from error
    except OSError as error:
        if error.errno not in _WITHOUT_LOCKS:
            raise
        log.warning("%s: this file system has no locks: make sure that only one run writes there", results.resolve())
