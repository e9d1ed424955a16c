"""Your own modules compiled from their source at every import, never taken from a compiled file.

Python believes a compiled file by the time and size of its source. Another source may share both, if it was copied with its time or
unpacked from an archive: the code digest would be of the new source, and the results of the old.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.abc import PathEntryFinder
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
    SourcelessFileLoader,
)
from pathlib import Path
from typing import Any


class _FromSource(SourceFileLoader):
    """Loads a module without a look at compiled files."""

    def path_stats(self, path: Any) -> Any:
        raise OSError(f"{path}: its time and size tell nothing")  # upon which the loader compiles it


_find = FileFinder.path_hook(
    (ExtensionFileLoader, EXTENSION_SUFFIXES), (_FromSource, SOURCE_SUFFIXES), (SourcelessFileLoader, BYTECODE_SUFFIXES)
)


def read_sources(is_own: Callable[[Path], bool]) -> None:
    """Have Python read modules in folders of the user's own, of those it searches from now on, from their source."""

    def find(folder: str) -> PathEntryFinder:
        if not is_own(Path(folder)):
            raise ImportError(f"'{folder}' is not the user's own")
        return _find(folder)

    sys.path_hooks.insert(0, find)
