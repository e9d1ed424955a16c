"""Make Python run the current source of modules, even if an earlier version had the same time and size.

Python trusts a compiled file if the time and size of the source match. But a changed source may have the old time and size, because
its time was restored after an edit, or because it was copied or unpacked with the old time. Then the code digest would describe the
new source, but the old code would compute the results.
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
"""First bytes of a compiled file with a hash of its source, to be compared at every import (PEP 552)."""

_OUTDATED = _CHECKED_BY_CONTENT + bytes(8)
"""A compiled file that matches no source. If Python finds it, Python compiles the source and stores the result in the same form."""


class Loader(SourceFileLoader):
    """Loads a module from its source, ignoring compiled files, and remembers the source's hash.

    Attributes
    ----------
    loaded
        Hash of the source that was loaded, as Python writes it into compiled files; empty before loading.
    """

    loaded = b""

    def path_stats(self, path: Any) -> Any:
        """Refuse to give the time and size of a source, so that no compiled file can match the source."""
        raise OSError(f"{path}: its time and size are not used")  # Python then compiles the source

    def get_data(self, path: str) -> bytes:
        """Read a file."""
        data = super().get_data(path)
        # A traceback reads the source again, which may have changed by then.
        if path == self.path and not self.loaded:
            self.loaded = source_hash(data)
        return data


class KeepingLoader(Loader):
    """Loads a compiled file if its hash matches the source; otherwise compiles the module and keeps the compiled file."""

    def path_stats(self, path: Any) -> Any:
        """Return the time and size of a source; refuse if Python is set to trust compiled files without checking them."""
        believes_all = _imp.check_hash_based_pycs == "never"
        return super().path_stats(path) if believes_all else SourceFileLoader.path_stats(self, path)

    def get_data(self, path: str) -> bytes:
        """Read a file; treat a compiled file as stale if it does not exist, or if Python would check it by time and size."""
        if not path.endswith(tuple(BYTECODE_SUFFIXES)):
            return super().get_data(path)
        try:
            kept = super().get_data(path)
        except OSError:
            return _OUTDATED
        return kept if kept.startswith(_CHECKED_BY_CONTENT) else _OUTDATED


def load_with(loader: type[Loader], is_meant: Callable[[Path], bool]) -> None:
    """Make Python use a loader for modules in the folders for which ``is_meant`` is true, unless it has already searched them."""
    loaders = (ExtensionFileLoader, EXTENSION_SUFFIXES), (loader, SOURCE_SUFFIXES), (SourcelessFileLoader, BYTECODE_SUFFIXES)
    find = FileFinder.path_hook(*loaders)

    def search(folder: str) -> Any:
        if not is_meant(Path(folder)):
            raise ImportError(f"'{folder}' is searched as usual")
        return find(folder)

    sys.path_hooks.insert(0, search)


def keep_by_content() -> None:
    """Make Python check recsens's compiled files against the content of their sources."""
    root = Path(__file__).parents[1]

    def is_ours(folder: Path) -> bool:
        return folder.is_relative_to(root)

    load_with(KeepingLoader, is_ours)
    for searched in [folder for folder in sys.path_importer_cache if is_ours(Path(folder))]:
        del sys.path_importer_cache[searched]
    # Python has already loaded these two modules; replace their compiled files by files that Python itself checks by content.
    with suppress(OSError):  # an archive has no files, so nothing is kept
        keep([root / "__init__.py", Path(__file__)])


def keep(sources: Iterable[Path]) -> None:
    """Write a compiled file for each source, with the source's hash."""
    for source in sources:
        KeepingLoader(source.stem, str(source)).get_code(source.stem)
