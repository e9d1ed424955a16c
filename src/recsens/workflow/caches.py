"""Temporary caches for numba's kernels and Snakemake's sources, used if the user's own caches cannot be written."""

import atexit
import logging
import os
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

log = logging.getLogger(__name__)

_CACHES = "XDG_CACHE_HOME"


def ensure_caches() -> None:
    """Use a temporary folder for caches if the user's own is not writable, in this process and its child processes.

    Without it, numba and Snakemake refuse to start if the home folder is missing or read-only. The temporary folder is removed when
    this process ends. Nothing else is written.
    """
    if _can_be_written():
        return
    folder = TemporaryDirectory(prefix="recsens-caches-")
    atexit.register(folder.cleanup)
    os.environ[_CACHES] = folder.name
    log.warning("note: the home folder cannot be written; set %s to a folder that keeps caches between runs", _CACHES)


def _can_be_written() -> bool:
    try:
        caches = Path(os.environ.get(_CACHES) or Path.home() / ".cache").absolute()
        nearest = next(folder for folder in (caches, *caches.parents) if folder.exists())
        TemporaryFile(dir=nearest).close()
    except (OSError, RuntimeError):  # RuntimeError: a user without a home
        return False
    return True
