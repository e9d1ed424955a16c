"""Whether a path that a user wrote leads anywhere."""

from __future__ import annotations

from pathlib import Path


def is_file(path: str | Path) -> bool:
    """Say whether a path leads to a file; not where the system cannot look it up, such as a name of more than 255 bytes."""
    try:
        return Path(path).is_file()
    except OSError:
        return False


def is_folder(path: str | Path) -> bool:
    """Say whether a path leads to a folder; not where the system cannot look it up."""
    try:
        return Path(path).is_dir()
    except OSError:
        return False
