"""Matrix products in register tiles. Every sum has a fixed order, so its bytes are the same on all processors."""

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray
from scipy.sparse import csr_array

from recsens.plugins.frozen import frozen
from recsens.recommenders import Arrays, Floats, Ids, Ints, Reals
from recsens.recommenders._kernels import Rows, compiled

_LANES = 8
"""Numbers per vector: as many as the widest processors add at once. Other processors handle a vector in parts."""

_ROWS, _COLUMNS = 4, 16
"""Numbers of rows and columns of a tile of factor products."""

WIDTH = 32
"""Number of columns of a panel, the part of a matrix that `set_sums_of_rows` handles in one call. Its four vectors of sums are
independent of each other; with fewer, additions would wait for the previous ones."""


def factor_products(user_factors: Reals, item_factors: Reals) -> Floats:
    """Return p_u · q_i for some users and all items, shape (n users, n_items).

    Every product is summed factor by factor in ascending order, in float64 and without BLAS, so it depends neither on the other
    users in the call nor on the processor.
    """
    n_users, n_factors = user_factors.shape
    left = np.zeros((-(-n_users // _ROWS) * _ROWS, n_factors))
    left[:n_users] = user_factors
    products = np.empty((n_users, len(item_factors)))
    # Make both read-only, because for the compiler a writable array has a different type.
    _multiply(frozen(left), frozen(np.ascontiguousarray(item_factors, dtype=np.float64)), products)
    return products


def sums_of_dense_rows(lines: Ints, weights: Rows, matrix: Floats) -> Floats:
    """Return Σ_j w_rj x_jc for some rows r and a dense matrix x, shape (len(lines), number of columns of x).

    Sums run in ascending order of j, without BLAS, as in `factor_products`. Rows without a w become zeros.
    """
    sums = np.empty((len(lines), matrix.shape[1]))
    _sum_rows(frozen(lines), weights.frozen(), frozen(np.ascontiguousarray(matrix, dtype=np.float64)), sums)
    return sums


def _tile(rows: int, columns: int, *, gathers: bool) -> Any:
    """Generate code that sets a tile to Σ_t a_rt b_tc, t ascending, with sums in registers, where numba itself cannot keep arrays.

    The arguments of this code are the number of terms and, for a, b and the tile, the address and the distance between rows in
    bytes. With ``gathers``, term t uses the row of b given by the t-th of some indices; otherwise, it uses row t.
    """
    double, long = ir.DoubleType(), ir.IntType(64)
    vector = ir.VectorType(double, _LANES)
    vectors = range(columns // _LANES)

    def codegen(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        n_terms, left, left_step, indices, right, right_step, out, out_step = cgutils.unpack_tuple(builder, arguments[0], 8)

        def past(start: Any, step: Any, n: Any) -> Any:
            return builder.add(start, builder.mul(*(each if isinstance(each, ir.Value) else long(each) for each in (step, n))))

        def load(address: Any, kind: Any, align: int) -> Any:
            return builder.load(builder.inttoptr(address, kind.as_pointer()), align=align)

        def spread(address: Any) -> Any:
            one = builder.insert_element(vector(ir.Undefined), load(address, double, 8), ir.IntType(32)(0))
            return builder.shuffle_vector(one, vector(ir.Undefined), ir.VectorType(ir.IntType(32), _LANES)([0] * _LANES))

        _, _, features = context.codegen().magic_tuple()
        has_few_registers = "+avx2" in features and "+avx512f" not in features
        at_once = min(rows, 2) if has_few_registers else rows
        for some in (range(first, first + at_once) for first in range(0, rows, at_once)):
            sums = {(r, v): cgutils.alloca_once_value(builder, vector([0.0] * _LANES)) for r in some for v in vectors}
            with cgutils.for_range(builder, n_terms) as loop:
                nth = builder.sext(load(past(indices, 4, loop.index), ir.IntType(32), 4), long) if gathers else loop.index
                row = past(right, right_step, nth)
                taken = [load(past(row, 8 * _LANES, v), vector, 8) for v in vectors]
                for r in some:
                    factor = spread(past(past(left, left_step, r), 8, loop.index))
                    for v in vectors:
                        product = builder.fmul(factor, taken[v])
                        builder.store(builder.fadd(builder.load(sums[r, v]), product), sums[r, v])
            for (r, v), part in sums.items():
                to = past(past(out, out_step, r), 8 * _LANES, v)
                builder.store(builder.load(part), builder.inttoptr(to, vector.as_pointer()), align=8)
        return context.get_dummy_value()

    @intrinsic  # type: ignore[untyped-decorator]
    def tile(_context: Any, places: Any) -> Any:  # noqa: ARG001 - numba reads the names
        return types.void(types.UniTuple(types.int64, 8)), codegen

    return tile


_set_products = _tile(_ROWS, _COLUMNS, gathers=False)
_set_sums = _tile(1, WIDTH, gathers=True)


@compiled(allocates=False)
def set_sums_of_rows(indices: Ids, weights: Floats, rows: Floats, out: Floats) -> None:
    """Set ``out`` to Σ_t w_t x_{j_t c}, in the order of t, for the 32 columns of a panel x; for use in kernels."""
    _set_sums((len(indices), _address(weights), 0, _address(indices), _address(rows), 8 * WIDTH, _address(out), 0))


@compiled(allocates=False)
def _address(array: NDArray[Any]) -> np.int64:
    # Numba's address is unsigned; added to a signed number, it would become a float.
    return np.int64(array.ctypes.data)


@compiled()
def _multiply(left: Floats, right: Floats, out: Floats) -> None:
    """Set ``out`` to the products of the rows of ``left`` and ``right``; ``left`` has extra rows that fill the last tile."""
    n_factors = left.shape[1]
    panel, rest = empty_panel(n_factors, _COLUMNS), np.empty((_ROWS, _COLUMNS))
    for first in range(0, len(right), _COLUMNS):
        width = min(_COLUMNS, len(right) - first)
        for column in range(width):
            for f in range(n_factors):
                panel[f, column] = right[first + column, f]
        for row in range(0, len(left), _ROWS):
            height = min(_ROWS, len(out) - row)
            is_whole = height == _ROWS and width == _COLUMNS
            to, step = (
                (_address(out) + 8 * (row * len(right) + first), 8 * len(right)) if is_whole else (_address(rest), 8 * _COLUMNS)
            )
            users = _address(left) + 8 * row * n_factors
            _set_products((n_factors, users, 8 * n_factors, 0, _address(panel), 8 * _COLUMNS, to, step))
            if not is_whole:
                out[row : row + height, first : first + width] = rest[:height, :width]


@compiled()
def _sum_rows(lines: Ints, weights: Rows, matrix: Floats, out: Floats) -> None:
    n_rows, n_columns = matrix.shape
    n_terms = 0
    for line in lines:
        n_terms += weights.indptr[line + 1] - weights.indptr[line]
    panel, rest = empty_panel(n_rows, WIDTH), np.empty(WIDTH)
    for first in range(0, n_columns, WIDTH):
        width = min(WIDTH, n_columns - first)
        right, step = _address(matrix) + 8 * first, 8 * n_columns
        # A copy has its rows close together, where they stay in the cache; it pays off if rows are read several times.
        if width < WIDTH or n_terms > 2 * n_rows:
            for row in range(n_rows):
                for column in range(width):
                    panel[row, column] = matrix[row, first + column]
            right, step = _address(panel), 8 * WIDTH
        for index in range(len(lines)):
            start = weights.indptr[lines[index]]
            to = _address(out) + 8 * (index * n_columns + first) if width == WIDTH else _address(rest)
            values, indices = _address(weights.values) + 8 * start, _address(weights.indices) + 4 * start
            _set_sums((weights.indptr[lines[index] + 1] - start, values, 0, indices, right, step, to, 0))
            if width < WIDTH:
                out[index, first : first + width] = rest[:width]


@compiled()
def empty_panel(n_rows: int, width: int) -> Floats:
    """Allocate some columns of a matrix, a multiple of 8, filled with zeros; every row begins at a cache line."""
    room = np.zeros(n_rows * width + 8)
    skipped = -_address(room) % 64 // 8
    return room[skipped : skipped + n_rows * width].reshape(n_rows, width)


_SHARES = 16
"""Number of portions into which work is divided among threads; item i is in portion i mod 16."""


def gram_matrix(ratings: csr_array) -> Floats:
    """Return G = RᵀR, G_ij = Σ_u r_ui r_uj, shape (n_items, n_items).

    The sums run over users in ascending order, without BLAS, so they are the same for any number of threads.
    """
    gram = np.zeros((ratings.shape[1], ratings.shape[1]))
    _add_products(Rows.of(ratings), Rows.of_columns(ratings), gram)
    return gram


@compiled(parallel=True)
def _add_products(of_users: Rows, of_items: Rows, gram: Floats) -> None:
    for share in numba.prange(_SHARES):
        for item in range(share, len(gram), _SHARES):
            row = gram[item]
            for entry in range(of_items.indptr[item], of_items.indptr[item + 1]):
                user, rating = of_items.indices[entry], of_items.values[entry]
                for other in range(of_users.indptr[user], of_users.indptr[user + 1]):
                    row[of_users.indices[other]] += rating * of_users.values[other]


def sums_of_rows(users: Ints, weights: Rows, rows: Rows, n_items: int) -> Floats:
    """Return s(u, i) = Σ_{j in W_u} w_uj x_ji over the stored x_ji, shape (len(users), n_items); NaN if there is none.

    Parameters
    ----------
    users
        The users to score, as row numbers of ``weights``.
    weights
        w, one row per user: the similarities of neighbours, or the ratings of a profile. A stored zero counts.
    rows
        x, one row per j: the ratings of a user, or the similarities of an item to others.
    n_items
        Number of columns of x.
    """
    scores = np.empty((len(users), n_items))
    _add_rows(users, weights.frozen(), rows.frozen(), scores)
    return scores


def sums_over_profiles(users: Ints, ratings: csr_array, learned: Arrays) -> Floats:
    """Return Σ_{j in I_u} r_uj w_ji for learnt weights w, stored by profile item j in ``indptr``, ``items`` and ``weights``."""
    given = Rows(learned["indptr"], learned["items"], learned["weights"])
    return sums_of_rows(users, Rows.of(ratings), given, ratings.shape[1])


def sums_over_neighbours(users: Ints, ratings: csr_array, learned: Arrays) -> Floats:
    """Return Σ_{v in N_u} w_uv r_vi for learnt weights w in ``indptr``, ``neighbours`` and ``weights``."""
    weights = Rows(learned["indptr"], learned["neighbours"], learned["weights"])
    return sums_of_rows(users, weights, Rows.of(ratings), ratings.shape[1])


@compiled()
def _add_rows(users: Ints, weights: Rows, rows: Rows, scores: NDArray[Any]) -> None:
    """Set ``scores`` to sums of weighted rows in ascending order of j; items to which nothing was added become NaN."""
    met = np.empty(scores.shape[1], dtype=np.bool_)
    for index in range(len(users)):
        sums = scores[index]
        # Sums start at -0: -0 plus a term is exactly that term, even if the term is -0, so the first term needs no special case.
        sums[:] = -0.0
        met[:] = False
        for nth in range(weights.indptr[users[index]], weights.indptr[users[index] + 1]):
            weight, j = weights.values[nth], weights.indices[nth]
            for entry in range(rows.indptr[j], rows.indptr[j + 1]):
                sums[rows.indices[entry]] += weight * rows.values[entry]
                met[rows.indices[entry]] = True
        for item in range(len(met)):
            if not met[item]:
                sums[item] = np.nan
