"""Compilation of kernels with numba, once per machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

from recsens.recommenders._kernel_cache import check_cache

F = TypeVar("F", bound=Callable[..., Any])


def compiled(*, parallel: bool = False, reorders_sums: bool = False) -> Callable[[F], F]:
    """Compile a function when it is first called and keep the machine code beside its file.

    A kernel calls kernels of its own file only: numba does not notice when one of another file has changed.

    Parameters
    ----------
    parallel
        Whether ``numba.prange`` spreads its loop over threads. Each iteration writes to memory of its own, so the results are the
        same at any number of threads.
    reorders_sums
        Whether the compiler may reorder sums to use vector units. The order is fixed at compilation: results stay the same from
        call to call on one machine, but may differ in their last bits on a processor with other vector units.
    """
    relaxed = {"contract", "reassoc"} if reorders_sums else False
    compile_ = njit(cache=True, parallel=parallel, fastmath=relaxed, error_model="numpy")

    def made(function: F) -> F:
        kernel = compile_(function)
        check_cache(kernel)
        return cast("F", kernel)

    return made
