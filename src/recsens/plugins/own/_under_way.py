"""The method of a plug-in that is under way, noted where it can still be read when the process has ended."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from mmap import mmap

_BOARDS: dict[int, mmap] = {}
"""Of a process, by its number, the memory for notes: one that it forks shares the memory, and notes nothing."""


def note_calls(board: mmap) -> None:
    """Note from now on, in memory that another process shares, which call is under way."""
    _BOARDS[os.getpid()] = board


@contextmanager
def under_way(said: str) -> Iterator[None]:
    """Note a call while it is under way."""
    board = _BOARDS.get(os.getpid())
    if board is None:
        yield
        return
    process, before = os.getpid(), call_under_way(board)
    _note(board, said)
    try:
        yield
    finally:
        if os.getpid() == process:
            _note(board, before)


def call_under_way(board: mmap) -> str:
    """Return what was noted last; an empty text if no call was under way."""
    return board[: max(board.find(b"\0"), 0)].decode(errors="replace")


def _note(board: mmap, said: str) -> None:
    text = said.encode()[: len(board) - 1] + b"\0"
    board[: len(text)] = text
