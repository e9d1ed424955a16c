"""Kernels compiled by numba, once per machine."""

import sys
from collections.abc import Callable
from typing import Any

import llvmlite
import numba

from recsens.compiled.whole_files import WholeFiles


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function when it is first called, and keep the machine code for the next process.

    It is kept beside the function's file, or where ``NUMBA_CACHE_DIR`` says, and used while the content of that file, numba, the
    compiler llvmlite and the processor are the same, and its own files are whole. A kernel calls kernels of its own file only:
    numba does not notice when one of another file has changed. The ``options`` are those of `numba.njit`.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        kernel = numba.njit(cache=True, **options)(function)
        if kernel is not function:  # as it is where NUMBA_DISABLE_JIT is set
            _stamp(kernel, function.__module__)
            kernel._cache._cache_file.__class__ = WholeFiles  # noqa: SLF001 - as below
        return kernel

    return decorate


def _stamp(kernel: Any, module: str) -> None:
    """Have numba tell machine code by the source that Python has loaded; some versions go by the time and size of its file."""
    kept = kernel._cache._cache_file  # noqa: SLF001 - numba offers no public way
    loader = getattr(sys.modules.get(module), "__loader__", None)
    source = getattr(loader, "loaded", b"") or kept._source_stamp  # noqa: SLF001 - as above
    kept._source_stamp = (source, llvmlite.__version__)  # noqa: SLF001 - as above
