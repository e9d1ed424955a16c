"""Processes that recsens starts: a process ends with its parent."""

import signal
import sys


def end_with_parent(number: int = signal.SIGKILL) -> None:
    """On Linux, send this process a signal when its parent ends."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - numpy imports it too, but a supervising process need not

        ctypes.CDLL(None).prctl(1, number)
