"""The method of a plug-in that is under way, noted where it can still be read when the process has ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from mmap import mmap

_BOARDS: list[mmap] = []


def note_calls(board: mmap) -> None:
    """Note from now on, in memory that another process shares, which call is under way."""
    _BOARDS[:] = [board]


@contextmanager
def under_way(said: str) -> Iterator[None]:
    """Note a call while it is under way."""
    before = call_under_way(_BOARDS[0]) if _BOARDS else ""
    _note(said)
    try:
        yield
    finally:
        _note(before)


def call_under_way(board: mmap) -> str:
    """Return what was noted last; an empty text if no call was under way."""
    return board[: max(board.find(b"\0"), 0)].decode(errors="replace")


def _note(said: str) -> None:
    for board in _BOARDS:
        text = said.encode()[: len(board) - 1] + b"\0"
        board[: len(text)] = text
