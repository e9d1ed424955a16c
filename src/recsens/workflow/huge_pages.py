"""Huge pages: memory in few large pieces, which a process that forks hands on at half the cost."""

import ctypes
import sys
from pathlib import Path

_MAPS = Path("/proc/self/maps")
_MADV_COLLAPSE = 25
"""The advice that gathers the small pages of a stretch of memory at once; Linux has known it since version 6.1."""

_LEAST = 1 << 22
"""Bytes of a stretch that holds a huge page or two, wherever it begins."""


def gather() -> None:
    """Have this process's own memory held in huge pages; where the system knows no such thing, all stays as it is.

    A fork copies an entry for every page. Processes that write to a huge page of their parent take a copy of a small one.
    """
    if sys.platform != "linux":
        return
    advise = ctypes.CDLL(None).madvise
    for start, size in _stretches(_MAPS.read_text(encoding="utf-8")):
        advise(ctypes.c_void_p(start), ctypes.c_size_t(size), _MADV_COLLAPSE)


def _stretches(maps: str) -> list[tuple[int, int]]:
    """Return start and size of the large stretches in a list of the system's that may be written and are of no file."""
    found = []
    for line in maps.splitlines():
        addresses, rights, _, _, inode, *name = line.split(maxsplit=5)
        start, end = (int(address, 16) for address in addresses.split("-"))
        if rights == "rw-p" and inode == "0" and name in ([], ["[heap]"]) and end - start >= _LEAST:
            found.append((start, end - start))
    return found
