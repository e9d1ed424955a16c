"""Modules run the source that is there, whatever an earlier one had in common with it.

Python believes a compiled file by the time and size of its source. Another source may share both, if it was edited and given its
old time, or copied or unpacked with it: the code digest would be of the new source, and the results of the old.
"""

import _imp
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
    SourcelessFileLoader,
)
from importlib.util import MAGIC_NUMBER, source_hash
from pathlib import Path
from typing import Any

_CHECKED_BY_CONTENT = MAGIC_NUMBER + (0b11).to_bytes(4, "little")
"""How a compiled file begins that holds a hash of its source, to be compared at every import (PEP 552)."""

_OUTDATED = _CHECKED_BY_CONTENT + bytes(8)
"""A compiled file of no source: Python compiles the source that is there, and keeps the outcome in the same form."""


class Loader(SourceFileLoader):
    """Loads a module from its source, without a look at compiled files, and remembers what the source was.

    Attributes
    ----------
    loaded
        Hash of the source that was loaded, as Python writes it into compiled files; empty before.
    """

    loaded = b""

    def path_stats(self, path: Any) -> Any:
        """Know nothing about a source, so that no compiled file can match it."""
        raise OSError(f"{path}: its time and size tell nothing")  # upon which Python compiles it

    def get_data(self, path: str) -> bytes:
        """Read a file."""
        data = super().get_data(path)
        # A traceback reads the source again, and by then it may be another.
        if path == self.path and not self.loaded:
            self.loaded = source_hash(data)
        return data


class KeepingLoader(Loader):
    """Loads a module from a compiled file if that was made from the very content of the source, and keeps one that says so."""

    def path_stats(self, path: Any) -> Any:
        """Look at a source, unless Python was told to believe a compiled file whatever the source holds."""
        believes_all = _imp.check_hash_based_pycs == "never"
        return super().path_stats(path) if believes_all else SourceFileLoader.path_stats(self, path)

    def get_data(self, path: str) -> bytes:
        """Read a file; a compiled one that goes by time and size, or that is missing, as one of no source."""
        if not path.endswith(tuple(BYTECODE_SUFFIXES)):
            return super().get_data(path)
        try:
            kept = super().get_data(path)
        except OSError:
            return _OUTDATED
        return kept if kept.startswith(_CHECKED_BY_CONTENT) else _OUTDATED


def load_with(loader: type[Loader], is_meant: Callable[[Path], bool]) -> None:
    """Have Python load modules with a loader from certain folders, of those it searches from now on."""
    loaders = (ExtensionFileLoader, EXTENSION_SUFFIXES), (loader, SOURCE_SUFFIXES), (SourcelessFileLoader, BYTECODE_SUFFIXES)
    find = FileFinder.path_hook(*loaders)

    def search(folder: str) -> Any:
        if not is_meant(Path(folder)):
            raise ImportError(f"'{folder}' is searched as usual")
        return find(folder)

    sys.path_hooks.insert(0, search)


def keep_by_content() -> None:
    """Have Python tell compiled files of recsens by the content of their sources."""
    root = Path(__file__).parents[1]

    def is_ours(folder: Path) -> bool:
        return folder.is_relative_to(root)

    load_with(KeepingLoader, is_ours)
    for searched in [folder for folder in sys.path_importer_cache if is_ours(Path(folder))]:
        del sys.path_importer_cache[searched]
    # Python has loaded these before it could be asked: their files are now kept in the form that it checks by content itself.
    with suppress(OSError):  # within an archive there are no files, and nothing is kept
        keep([root / "__init__.py", Path(__file__)])


def keep(sources: Iterable[Path]) -> None:
    """Keep a compiled file of each source, which holds a hash of it."""
    for source in sources:
        KeepingLoader(source.stem, str(source)).get_code(source.stem)
