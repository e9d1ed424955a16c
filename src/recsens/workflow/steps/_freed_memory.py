"""Keep freed memory for the next block of users."""

import ctypes
import sys

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
"""The numbers of two options of glibc's ``mallopt``."""

_LARGEST = 1 << 30
"""Arrays up to this size, in bytes, are allocated from freed memory, and up to this much freed memory is kept."""


def keep_freed_memory() -> None:
    """Let this process keep the memory of large arrays that it frees, on Linux with glibc; elsewhere, do nothing.

    By default, the memory of arrays above 32 MiB is returned to the system at once, and the system clears such memory before it is
    used again. For a block of users, the clearing takes as long as the ranking.
    """
    if sys.platform == "linux" and hasattr(library := ctypes.CDLL(None), "mallopt"):
        library.mallopt(_M_MMAP_THRESHOLD, _LARGEST)
        library.mallopt(_M_TRIM_THRESHOLD, _LARGEST)
