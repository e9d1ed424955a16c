"""A user's own modules, imported only from folders that a study names.

A study may come from a stranger. A dotted name in a study therefore imports, and so runs, only files below one of the study's
folders, which a reader can open first. It never imports an installed module that happens to have that name.
"""

import sys
from collections.abc import Iterable
from importlib import import_module, invalidate_caches
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from traceback import extract_tb
from types import ModuleType

from recsens.errors import SpecError

_FOLDERS: list[Path] = []
"""The folders, in the order in which they were named."""

_IMPORTED: dict[str, ModuleType] = {}
"""Modules imported from these folders, by dotted name."""


def add_paths(folders: Iterable[str | Path]) -> None:
    """Also import modules from these folders; installed modules take precedence."""
    for folder in (Path(name).absolute() for name in folders):
        # Python would trust a compiled file though its source was edited within the same second, and kept its size.
        sys.dont_write_bytecode = True
        if folder not in _FOLDERS:
            _FOLDERS.append(folder)
        if str(folder) not in sys.path:
            sys.path.append(str(folder))


def import_own(name: str) -> ModuleType | None:
    """Import a user's own module by dotted name; None if its package has no such module.

    Errors inside the module are raised unchanged.

    Raises SpecError if no folder or more than one folder contains the module, if Python would import a different module under its
    name, or if importing it ends Python.
    """
    if name in _IMPORTED and sys.modules.get(name) is _IMPORTED[name]:
        return _IMPORTED[name]
    invalidate_caches()
    top = name.partition(".")[0]
    folder = _folder_of(top, name)
    taken = _what_shadows(top, folder)
    if taken is not None:
        path = _path_of(_find_in_folder(folder, top))
        raise SpecError(
            f"'{top}' means {path}, but Python would import {taken}",
            remedy=f"rename {path}: its name must differ from those of other modules",
        )
    try:
        _IMPORTED[name] = import_module(name)
    except SystemExit as error:
        raise SpecError(
            "importing it ends Python with sys.exit or exit",
            where=line_of(error),
            remedy="drop the call, or put it below: if __name__ == '__main__':",
        ) from error
    except ModuleNotFoundError as error:
        # Either the module itself is missing, or a module that it imports.
        if f"{name}.".startswith(f"{error.name}."):
            return None
        raise
    return _IMPORTED[name]


def is_own(name: str) -> bool:
    """Whether Python would import a file in one of the folders as the module of a dotted name, or as the package around it."""
    top = name.partition(".")[0]
    return any(_find_in_folder(folder, top) is not None and _what_shadows(top, folder) is None for folder in _FOLDERS)


def line_of(error: BaseException) -> str | None:
    """Return the line in the user's own files at which an error arose, as ``file:line``; None if it arose elsewhere."""
    if isinstance(error, SyntaxError) and error.filename is not None and _lies_in_folders(Path(error.filename)):
        return f"{shown(error.filename)}:{error.lineno}"
    frames = [frame for frame in extract_tb(error.__traceback__) if _lies_in_folders(Path(frame.filename))]
    return f"{shown(frames[-1].filename)}:{frames[-1].lineno}" if frames else None


def shown(file: str | Path) -> str:
    """Write a file's path, relative to the working directory if it is inside."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _folder_of(top: str, name: str) -> Path:
    """Return the only folder that contains a top-level module."""
    homes = [folder for folder in _FOLDERS if _find_in_folder(folder, top) is not None]
    if len(homes) > 1:
        paths = " and ".join(_path_of(_find_in_folder(folder, top)) for folder in homes)
        raise SpecError(f"'{top}' may mean {paths}", remedy="rename one, or remove one of the folders from 'plugins:'")
    if homes:
        return homes[0]
    looked = f" in {', '.join(map(shown, _FOLDERS))}" if _FOLDERS else ", and the study names no folder in 'plugins:'"
    if top in sys.modules or find_spec(top) is not None:
        raise SpecError(
            f"no module '{name}'{looked}; the installed '{top}' is not imported",
            allowed="modules in the folders of the study's 'plugins:' list, and plug-ins of recsens by their short names",
            remedy=f"write the class in your own file, which may import '{top}', and name the file's folder in 'plugins:'",
        )
    raise SpecError(f"no module '{name}'{looked}", remedy="add the folder that contains it to the study's 'plugins:' list")


def _find_in_folder(folder: Path, top: str) -> ModuleSpec | None:
    """Find a top-level module in one folder."""
    return PathFinder.find_spec(top, [str(folder)])


def _what_shadows(top: str, folder: Path) -> str | None:
    """Return what Python would import instead of a folder's module; None if it would import that module."""
    if top in sys.stdlib_module_names:
        return "its own module of that name"
    loaded = sys.modules.get(top)
    taken = find_spec(top) if loaded is None else loaded.__spec__
    if taken is None:
        return "a module without a file that is already loaded"
    return None if _paths_of(taken) <= _paths_of(_find_in_folder(folder, top)) else _path_of(taken)


def _paths_of(module_spec: ModuleSpec | None) -> set[Path]:
    """Return a module's file, or the folders of a package without a file."""
    return {Path(name).resolve() for name in _paths_in_spec(module_spec)}


def _path_of(module_spec: ModuleSpec | None) -> str:
    """Write the path of a module."""
    return " and ".join(map(shown, _paths_in_spec(module_spec)))


def _paths_in_spec(module_spec: ModuleSpec | None) -> list[str]:
    assert module_spec is not None
    is_file = module_spec.has_location and module_spec.origin
    return [str(module_spec.origin)] if is_file else list(module_spec.submodule_search_locations or ())


def _lies_in_folders(file: Path) -> bool:
    """Whether a file is inside one of the folders; packages installed there are not the user's own."""
    above = file.absolute().parents
    return any(folder in above for folder in _FOLDERS) and "site-packages" not in file.parts
