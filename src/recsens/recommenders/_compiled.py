"""Compilation of recommenders' kernels with numba."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from recsens.compiled.machine_code import njit

F = TypeVar("F", bound=Callable[..., Any])


def compiled(*, parallel: bool = False, reorders_sums: bool = False) -> Callable[[F], F]:
    """Compile a function when it is first called, and keep the machine code (`recsens.compiled.machine_code.njit`).

    Parameters
    ----------
    parallel
        Whether ``numba.prange`` spreads its loop over threads. Iterations must write to separate memory, so that results are the
        same at any number of threads.
    reorders_sums
        Whether the compiler may reorder sums to use vector units. The order is fixed at compilation, so every call on one machine
        gives the same results; on a processor with other vector units, their last bits may differ.
    """
    relaxed = {"contract", "reassoc"} if reorders_sums else False
    return cast("Callable[[F], F]", njit(parallel=parallel, fastmath=relaxed, error_model="numpy"))
