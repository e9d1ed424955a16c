"""Prefetching: load matrix rows that are needed soon into the processor's cache."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from recsens.recommenders import Floats
from recsens.recommenders._compiled import compiled

_LINE = 64
"""Bytes of a cache line. On a processor with longer lines, some lines are requested twice."""


@intrinsic  # type: ignore[untyped-decorator]
def _prefetch(_context: Any, address: Any) -> Any:  # noqa: ARG001 - numba reads the names
    """Prefetch the cache line at an address for writing; changes no value."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        asked = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        ask = cgutils.get_or_insert_function(builder.module, asked, "llvm.prefetch.p0i8")
        to_write, in_all_caches, data = number(1), number(3), number(1)
        builder.call(ask, [builder.inttoptr(arguments[0], byte), to_write, in_all_caches, data])
        return _context.get_dummy_value()

    return types.void(types.int64), codegen


@compiled(allocates=False)
def prefetch_row(matrix: Floats, row: np.int64) -> None:
    """Prefetch a row of a float64 matrix in C order."""
    n_bytes = 8 * matrix.shape[1]
    start = np.int64(matrix.ctypes.data) + row * n_bytes
    for address in range(start, start + n_bytes, _LINE):
        _prefetch(address)
