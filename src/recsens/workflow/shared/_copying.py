"""Copies of files: with the blocks of the original where the file system can, never with its inode."""

import errno
import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from recsens.artefacts.storage import MISSING
from recsens.errors import ArtefactError

_CANNOT = (errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM)
"""What systems answer that cannot copy within the kernel."""

_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""What systems answer where there is no file, or a link that is not followed."""

_AT_ONCE = 1 << 30
"""Bytes copied at once."""


def copy_file(source: Path, target: Path) -> None:
    """Copy the content of a regular file, and have it on the disk.

    A hard link would share the times and whatever a program writes in place: results are given other times, and a file that was
    damaged in one checkout would be damaged in all.

    Raises ArtefactError if there is no such file, or it is none, but a link or a pipe; OSError if it cannot be read, or the copy
    cannot be written.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(_opened(source), "rb") as given, target.open("wb") as taken:
        if not _copied_by_the_kernel(given, taken):
            shutil.copyfileobj(given, taken)
        taken.flush()
        os.fsync(taken.fileno())


def _opened(path: Path) -> int:
    """Open a file for reading; a link is not followed, and nobody waited for who would write into a pipe."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in _NO_FILE:
            raise ArtefactError(MISSING, where=str(path)) from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ArtefactError("damaged: is no file", where=str(path))
    return descriptor


def _copied_by_the_kernel(given: BinaryIO, taken: BinaryIO) -> bool:
    """Copy by sharing blocks where the file system can, else within the kernel; whether that was possible."""
    if not hasattr(os, "copy_file_range"):
        return False
    try:
        while os.copy_file_range(given.fileno(), taken.fileno(), _AT_ONCE):
            pass
    except OSError as error:
        if error.errno not in _CANNOT or taken.seek(0, os.SEEK_END):
            raise
        return False
    return True


def make_folder(path: Path, mode: int) -> None:
    """Make a folder with permissions whatever the umask; one that is there stays as it is.

    Raises OSError if it cannot be made.
    """
    with suppress(FileExistsError):
        path.mkdir()
        path.chmod(mode)
