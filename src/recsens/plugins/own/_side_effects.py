"""Side effects of a plug-in on its process, which are undone or refused."""

import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from operator import is_
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

_LIBRARIES = (
    *("builtins", "io", "json", "math", "os", "os.path", "numpy", "numpy.linalg", "numpy.random"),
    *("scipy.linalg", "scipy.sparse", "pandas", "pyarrow", "pyarrow.parquet"),
)
"""Modules with functions on which all other code in a process relies."""

_ORIGINAL: dict[str, Mapping[str, Any]] = {name: vars(sys.modules[name]).copy() for name in _LIBRARIES if name in sys.modules}
"""Content of these modules when this module was imported. A plug-in is not blamed for a function replaced before that."""


class Deed(NamedTuple):
    """A side effect of a plug-in, what is allowed, and two remedies: for a method and (``at_import``) for a module's body."""

    problem: str
    allowed: str
    remedy: str
    at_import: str


_MOVED = Deed(
    "changed the working directory",
    "the directory in which it was called",
    "go back with 'with contextlib.chdir(folder):', or give a program its folder: subprocess.run(..., cwd=folder)",
    "drop os.chdir from the module: paths in a study start at the working directory",
)
_EXITED = Deed(
    "ends Python with sys.exit or exit",
    "a return, or an error that says what is wrong",
    "raise ValueError('what is wrong') instead",
    "drop the call, or put it below: if __name__ == '__main__':",
)
_FORKED = Deed(
    "forked, and both processes went on",
    "one process that returns",
    "end the other within the method with os._exit(0), or use subprocess.run",
    "drop os.fork from the module",
)
_CLOSED = Deed(
    "closed files that it did not open",
    "closing files that it has opened",
    "close a file with its own close(), not with os.closerange",
    "drop os.closerange from the module",
)


def _replaced(names: str) -> Deed:
    remedy = "give your function a different name, and call it by that name"
    return Deed(f"replaced {names}, which all other code uses too", "libraries as they are", remedy, remedy)


@contextmanager
def unchanged(refused: Callable[[Deed], Exception]) -> Iterator[None]:
    """Restore libraries' functions, numpy's error handling, warning filters, and the working directory.

    Raises
    ------
    Exception
        The result of ``refused``, for a side effect that would harm later work: a changed working directory, a replaced library
        function, closed files, an attempt to end Python, or a second process.
    """
    filters, here, held, process, file = list(warnings.filters), _here(), _held(), os.getpid(), _kept_open()
    try:
        with np.errstate():
            yield
    except SystemExit as error:
        raise refused(_EXITED) from error
    finally:
        if warnings.filters != filters:
            warnings.resetwarnings()
            warnings.filters.extend(filters)  # type: ignore[attr-defined]
        replaced = _put_back(held)
        went = here is not None and here != _here()
        if went and here is not None:
            os.chdir(here)
    if os.getpid() != process:
        raise refused(_FORKED)
    if _kept_open() != file:
        raise refused(_CLOSED)
    if replaced:
        raise refused(_replaced(replaced))
    if went:
        raise refused(_MOVED)


def _here() -> Path | None:
    """Return the working directory; None if it was deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def _held() -> dict[str, Mapping[str, Any]]:
    """Return libraries' contents by name; empty outside the main thread, because threads may replace functions temporarily."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    held: dict[str, Mapping[str, Any]] = {name: vars(sys.modules[name]).copy() for name in _LIBRARIES if name in sys.modules}
    for name, content in held.items():
        _ORIGINAL.setdefault(name, content)
    return held


def _put_back(held: Mapping[str, Mapping[str, Any]]) -> str:
    """Restore every library function or class that has been replaced, and return their names."""
    names = []
    for module, before in held.items():
        now = vars(sys.modules[module])
        if len(now) == len(before) and all(map(is_, now.values(), before.values())):
            continue
        original = _ORIGINAL[module]
        replaced = [name for name, value in before.items() if now.get(name) is not value and value is original.get(name)]
        for name in filter(lambda name: callable(original[name]), replaced):
            now[name] = before[name]
            names.append(f"{module}.{name}")
    return ", ".join(sorted(names))


_OPEN: list[int] = []


def _kept_open() -> int:
    """Identify a file that this module keeps open; the identity changes once the file has been closed."""
    try:
        return os.fstat(_OPEN[0]).st_ino
    except (IndexError, OSError):
        reads, writes = os.pipe()
        os.close(writes)
        _OPEN[:] = [reads]
        return os.fstat(reads).st_ino
