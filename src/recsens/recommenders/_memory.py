"""What fitting is about to allocate, told before it does."""

from __future__ import annotations

import logging
import os

import psutil

from recsens.errors import DesignError
from recsens.plugins import Plugin

LIMIT = "RECSENS_MEMORY_GIB"
"""Environment variable: most memory that a model may ask for, in GiB; what is available, where it is not set."""

_GIB = 2**30
_WORTH_A_WORD = _GIB // 2

log = logging.getLogger(__name__)


def claim(recommender: Plugin, n_bytes: float, what: str, remedy: str) -> None:
    """Say how much memory ``what`` takes, and refuse where there is less.

    Parameters
    ----------
    recommender
        Whose fitting is about to allocate.
    n_bytes
        Memory at its peak, in bytes, beyond the train set.
    what
        What takes it, such as ``the Gram matrix of 3,706 items``.
    remedy
        What to do where there is not so much.

    Raises
    ------
    DesignError
        If more is needed than is available, or than the environment variable RECSENS_MEMORY_GIB allows.
    """
    limit = float(os.environ[LIMIT]) * _GIB if LIMIT in os.environ else psutil.virtual_memory().available
    if n_bytes > limit:
        raise DesignError(
            f"{what}: {n_bytes / _GIB:.1f} GiB are needed, {limit / _GIB:.1f} are available",
            where=f"recommender '{recommender.spec}'",
            allowed=f"memory, or the environment variable {LIMIT} if it is set, of at least {n_bytes / _GIB:.1f} GiB",
            remedy=remedy,
        )
    if n_bytes > _WORTH_A_WORD:
        log.info("%s: %s, %.1f GiB", recommender.spec, what, n_bytes / _GIB)
