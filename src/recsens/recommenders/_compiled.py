"""Compilation of recommenders' kernels with numba."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from recsens.compiled.machine_code import njit

F = TypeVar("F", bound=Callable[..., Any])


def compiled(*, parallel: bool = False, reorders_sums: bool = False, allocates: bool = True) -> Callable[[F], F]:
    """Compile a function when it is first called, and keep the machine code (`recsens.compiled.machine_code.njit`).

    Parameters
    ----------
    parallel
        Whether loops over ``numba.prange`` are spread over threads. Their iterations must write to separate memory; results are
        then the same for any number of threads.
    reorders_sums
        Whether the compiler may reorder sums to use vector units. The order is fixed at compilation, so every call on one machine
        gives the same results; on a processor with other vector units, the last bits of results may differ.
    allocates
        Whether the function, or a function that it calls, creates arrays. If not, numba need not count references to arrays. It
        counts them for every slice and often for every call, with operations for which all other reading and writing waits.
    """
    relaxed = {"contract", "reassoc"} if reorders_sums else False
    uncounted = {} if allocates else {"_nrt": False}
    return cast("Callable[[F], F]", njit(parallel=parallel, fastmath=relaxed, error_model="numpy", **uncounted))
