"""Check that there is enough memory before allocating it."""

import logging
import math
import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

import psutil

from recsens.data.interactions import Interactions
from recsens.errors import ConfigError, ShortOfMemoryError
from recsens.plugins import Plugin

LIMIT = "RECSENS_MEMORY_GIB"
"""Environment variable for the memory that a model may use, in GiB; by default all available memory."""

_CONTROL_GROUPS, _OWN_CONTROL_GROUP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
_GIB = 2**30
_WORTH_A_WORD = _GIB // 2

log = logging.getLogger(__name__)


class Extent(NamedTuple):
    """A data set's numbers of users, items and ratings."""

    users: int
    items: int
    ratings: int

    @classmethod
    def of(cls, train: Interactions) -> Self:
        """Return the extent of a train set."""
        return cls(train.n_users, train.n_items, len(train))


def claim(recommender: Plugin, n_bytes: float, what: str, remedy: str) -> None:
    """Check that there is enough memory for ``what``, and log how much it needs.

    Raises ShortOfMemoryError if more memory is needed than is available, or than the environment variable RECSENS_MEMORY_GIB
    allows.
    Raises ConfigError if that variable is not a number above 0.

    Parameters
    ----------
    recommender
        The recommender that is about to allocate.
    n_bytes
        Peak memory in bytes, in addition to the train set.
    what
        What needs the memory, such as ``the Gram matrix of 3,706 items``.
    remedy
        What to do if there is not enough memory.
    """
    limit = memory_allowance()
    if n_bytes > limit:
        raise ShortOfMemoryError(
            f"{what}: {_size_text(n_bytes)} needed, {_size_text(limit)} available",
            where=f"recommender '{recommender.spec}'",
            allowed=f"at least {_size_text(n_bytes)} of memory, or in the environment variable {LIMIT} if it is set",
            remedy=remedy,
        )
    if n_bytes > _WORTH_A_WORD:
        log.info("%s: %s, %.1f GiB", recommender.spec, what, n_bytes / _GIB)


def memory_allowance() -> float:
    """Return the number of bytes that a model may use: the environment variable's value, or all that is free.

    Raises ConfigError if the variable is not a number above 0.
    """
    if LIMIT not in os.environ:
        return _free_memory()
    try:
        limit = float(os.environ[LIMIT])
    except ValueError:
        limit = math.nan
    if not limit > 0:
        raise ConfigError(
            f"the environment variable {LIMIT} is '{os.environ[LIMIT]}'",
            allowed="a number of GiB above 0, such as 8 or 0.5",
            remedy="set it to such a number, or unset it to use all available memory",
        )
    return limit * _GIB


def _free_memory() -> float:
    """Return the bytes that the machine has free or, if these are fewer, those that its control groups leave to this process.

    A scheduler such as Slurm ends a job that exceeds the limit of its control group, whatever the machine has free. Only version 2
    of control groups is read. What they count as files in memory is left out, because it makes room.
    """
    free = [psutil.virtual_memory().available]
    with suppress(OSError):
        own = _CONTROL_GROUPS / _OWN_CONTROL_GROUP.read_text(encoding="utf-8").rpartition("::/")[2].strip()
        for group in (own, *own.parents):
            with suppress(OSError, ValueError, KeyError):  # no such group, or its limit is 'max'
                used = dict(map(str.split, (group / "memory.stat").read_text(encoding="utf-8").splitlines()))["anon"]
                free.append(int((group / "memory.max").read_text(encoding="utf-8")) - int(used))
    return float(max(min(free), 0))


def _size_text(n_bytes: float) -> str:
    return f"{n_bytes / _GIB:.1f} GiB" if n_bytes >= _GIB / 10 else f"{n_bytes / 2**20:.2g} MiB"
