"""Temporary caches for numba's kernels and Snakemake's sources, if the user's own caches are not writable."""

import atexit
import logging
import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

log = logging.getLogger(__name__)

_CACHES = "XDG_CACHE_HOME"


def ensure_caches() -> None:
    """Use a temporary cache folder in this process and its child processes, if the user's own is not writable.

    Otherwise, numba and Snakemake would not start if the home folder is missing or read-only. The temporary folder is removed when
    this process ends. Nothing else is written.
    """
    with suppress(OSError, RuntimeError):  # RuntimeError: the user has no home.
        caches = Path(os.environ.get(_CACHES) or Path.home() / ".cache").absolute()
        nearest = next(folder for folder in (caches, *caches.parents) if folder.exists())
        TemporaryFile(dir=nearest).close()
        return
    folder = TemporaryDirectory(prefix="recsens-caches-")
    atexit.register(folder.cleanup)
    os.environ[_CACHES] = folder.name
    log.warning("note: the home folder is not writable; set %s to a folder that keeps caches between runs", _CACHES)
