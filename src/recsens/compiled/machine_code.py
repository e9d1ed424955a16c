"""Kernels compiled by numba, once per machine."""

import fcntl
import logging
import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import IndexDataCacheFile
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic

LOADED: dict[str, None] = {}
"""Kernels whose machine code this process has loaded, each as ``module:function``."""

_PATIENCE = 120.0
"""Seconds to wait for another process that compiles the same kernel; that process may have failed without ending."""

_LOOK = 0.05

COMPILING = "Compiling the numeric kernels (a minute or two, once)"

_log = logging.getLogger(__name__)

_FEW = 16

_NAMED_TUPLES = (numba.types.NamedTuple, numba.types.NamedUniTuple)

_NUMBERS = (bool, int, float, complex, np.generic)


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function when it is first called, and store the machine code for later processes.

    The machine code is stored next to the function's file, or in ``NUMBA_CACHE_DIR``. It is used as long as that file's content,
    the kernels, numbers and arrays that the file imports, the names of fields of named tuples, the options, the versions of numba
    and llvmlite, and the processor stay the same. ``options`` are passed to `numba.njit`.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        kernel = numba.njit(cache=True, **options)(function)
        if kernel is not function:  # With NUMBA_DISABLE_JIT, numba returns the function.
            _stamp_with_source(kernel, function, options)
            kernel._cache._cache_file.__class__ = SharedFiles  # noqa: SLF001 - as below
            kernel._cache._cache_file.kernel = f"{function.__module__}:{function.__name__}"  # noqa: SLF001 - as below
        return kernel

    return decorate


@cache
def log_compiling() -> None:
    """Say why the first call takes so long, once in a process; the command line shows the log."""
    _log.info(COMPILING)


def python_if_few_rows(kernel: Any, n_rows: int) -> Any:
    """Return the kernel, or its Python function if there are few rows: machine code takes a tenth of a second to load.

    Both do the same operations in the same order, so the results are equal to the last bit.
    """
    return getattr(kernel, "py_func", kernel) if n_rows <= _FEW else kernel


def load_kernel(name: str) -> None:
    """Load the machine code of a kernel listed in another process's `LOADED`.

    Do nothing if the kernel is not one of recsens's own, or if it is parallel: loading a parallel kernel starts threads.
    """
    module, _, function = name.partition(":")
    kernel = getattr(sys.modules.get(module), function, None) if module.startswith("recsens.") else None
    if kernel is None or name in LOADED or kernel.targetoptions.get("parallel"):
        return
    processor = kernel.targetctx.codegen().magic_tuple()
    for signature, made_for, *_ in kernel._cache._cache_file._load_index():  # noqa: SLF001 - as below
        if made_for == processor:
            kernel.compile(signature)


def _stamp_with_source(kernel: Any, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Make numba identify machine code by the source, by what it imports for kernels, and by the options.

    Numba does not notice changes in other files, and some of its versions identify a file by its time and size.
    """
    kept = kernel._cache._cache_file  # noqa: SLF001 - numba offers no public way
    source = _source_of(function.__module__)
    names = sorted(name for name in function.__globals__ if not name.startswith("__"))
    used = [(name, _kernel_identity(function.__globals__[name])) for name in names]
    chosen = sorted((name, sorted(value) if isinstance(value, set) else value) for name, value in options.items())
    described = repr((source, llvmlite.__version__, used, chosen))
    kept._source_stamp = sha256(described.encode()).hexdigest()  # noqa: SLF001 - as above


def _source_of(module: str) -> bytes:
    """Return a module's source; empty if it has no file."""
    try:
        return Path(sys.modules[module].__file__ or "").read_bytes()
    except (KeyError, AttributeError, OSError):
        return b""


def _kernel_identity(value: Any) -> object:
    """Return something that changes with a kernel, an intrinsic, a number, an array, or a tuple of these; None for other values.

    Kernels must not use other values of other files, such as attributes of modules or members of enumerations.
    """
    if isinstance(value, Dispatcher):
        return getattr(getattr(getattr(value, "_cache", None), "_cache_file", None), "_source_stamp", None)
    if isinstance(value, _Intrinsic):
        return _source_of(value.__module__)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, tuple):
        return [_kernel_identity(each) for each in value]
    return repr(value) if isinstance(value, _NUMBERS) else None


def folder_of_machine_code() -> Path:
    """Return the folder for this package's machine code: next to the sources or, if these are read-only, in a cache folder."""
    return Path(numba.njit(cache=True)(_is_locked).stats.cache_path)


class SharedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """The two cache files of a kernel, its index and its machine code; files that cannot be read are replaced.

    Of several processes that need a kernel at the same time, one compiles it, and the others wait. Kernels call each other in one
    direction only, so no two processes wait for each other.
    """

    kernel = ""
    """The kernel's name, as in `LOADED`."""

    _lock: int | None = None
    """Descriptor of the locked file while this process compiles."""

    def load(self, key: Any) -> Any:
        """Load machine code; None if this process must compile it."""
        found = super().load(_key_with_fields(key))
        if found is None and self._lock is None:
            log_compiling()
            if self._wait_for_lock() and (found := super().load(_key_with_fields(key))) is not None:
                self._unlock()
        if found is not None:
            LOADED[self.kernel] = None
        return found

    def save(self, key: Any, data: Any) -> None:
        """Save machine code, and let other processes load it."""
        try:
            super().save(_key_with_fields(key), data)
        finally:
            self._unlock()

    @property
    def _lock_path(self) -> str:
        return f"{self._index_path}.lock"

    def _wait_for_lock(self) -> bool:
        """Wait until no other process is compiling the kernel; False if files cannot be locked."""
        try:
            Path(self._index_path).parent.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            end = time.monotonic() + _PATIENCE
            while not _is_locked(self._lock) and time.monotonic() < end:
                time.sleep(_LOOK)
        except OSError:
            self._unlock()
            return False
        return True

    def _unlock(self) -> None:
        if self._lock is not None:
            # A process that still waits for the removed file then finds the machine code.
            with suppress(OSError):
                Path(self._lock_path).unlink()
            os.close(self._lock)
            self._lock = None

    def _load_index(self) -> dict[Any, str]:
        try:
            return dict(super()._load_index())
        except Exception:  # noqa: BLE001 - a truncated file, or a type of an argument whose module has moved
            return {}

    def _load_data(self, name: str) -> Any:
        try:
            return super()._load_data(name)
        except Exception as error:
            raise FileNotFoundError from error  # numba compiles what is missing.


def _key_with_fields(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """Add the names of fields to a key, which begins with the arguments' types: numba tells named tuples apart by fields' types."""
    return *key, tuple(each.fields for each in key[0] if isinstance(each, _NAMED_TUPLES))


def _is_locked(descriptor: int) -> bool:
    """Try to lock a file, and return whether this succeeded; raise OSError if files cannot be locked."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
