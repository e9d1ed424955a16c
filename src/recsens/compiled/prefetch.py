"""Prefetching: load what is needed soon into the processor's caches."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from recsens.compiled.machine_code import njit

_LINE = 64
"""Bytes of a cache line. On a processor with longer lines, some lines are requested twice."""


def _prefetching(*, to_write: bool) -> Any:
    """Make an intrinsic that prefetches the cache line at an address, which need not be valid; it changes no value."""

    def codegen(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        asked = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        ask = cgutils.get_or_insert_function(builder.module, asked, "llvm.prefetch.p0i8")
        in_all_caches, data = number(3), number(1)
        builder.call(ask, [builder.inttoptr(arguments[0], byte), number(int(to_write)), in_all_caches, data])
        return context.get_dummy_value()

    @intrinsic  # type: ignore[untyped-decorator]
    def prefetch(_context: Any, address: Any) -> Any:  # noqa: ARG001 - numba reads the names
        return types.void(types.int64), codegen

    return prefetch


_prefetch_to_read = _prefetching(to_write=False)
_prefetch_to_write = _prefetching(to_write=True)


@njit(_nrt=False)
def prefetch(values: NDArray[Any], index: np.uint64) -> None:
    """Prefetch, to read it, an element of a one-dimensional contiguous array; an index past the end does no harm."""
    _prefetch_to_read(np.int64(values.ctypes.data) + np.int64(values.itemsize) * np.int64(index))


@njit(_nrt=False)
def prefetch_row(matrix: NDArray[np.float64], row: np.int64) -> None:
    """Prefetch, to write to it, a row of a matrix in C order."""
    n_bytes = 8 * matrix.shape[1]
    start = np.int64(matrix.ctypes.data) + row * n_bytes
    for address in range(start, start + n_bytes, _LINE):
        _prefetch_to_write(address)
