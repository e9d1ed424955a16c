"""A half-step of alternating least squares, over all pairs or only the observed pairs; every row is solved exactly."""

import numba
import numpy as np

from recsens.recommenders import Floats, Ids, Ints
from recsens.recommenders._kernels import compiled

_SHARES = 64
"""Number of portions into which work is divided among threads. Row r is in portion r mod 64, which spreads long rows evenly."""

_CHUNK = 128
"""Number of columns gathered at a time."""

_STRIDE = _CHUNK + 8
"""Length of a row of gathered columns. If it were a power of two, rows read together would compete for the same cache lines."""


@compiled(parallel=True, reorders_sums=True)
def solve_rows(
    indptr: Ints, indices: Ids, weights: Floats, targets: Floats, fixed: Floats, regularization: float, all_pairs: bool, out: Floats
) -> None:
    """Solve (FᵀF + λI + Σ_j w_rj f_j f_jᵀ) x_r = Σ_j t_rj f_j for every row r; rows without entries become 0.

    The sums run over the entries j of row r, as in Hu, Koren & Volinsky (2008), equations 4 and 5; F are the fixed factors. FᵀF
    accounts for the pairs without an entry, and is left out if only entries count.

    Parameters
    ----------
    indptr, indices
        Entries of each row, as in `Rows`.
    weights
        w = c - 1, how much the confidence c exceeds that of an unobserved pair, or c itself if only entries count; shape (n,), >=
        0.
    targets
        t = c times the preference, shape (n,).
    fixed
        F, shape (n_columns, n_factors).
    regularization
        λ > 0.
    all_pairs
        Whether pairs without an entry count too, with a confidence of 1 and a preference of 0.
    out
        Receives the x_r, shape (n_rows, n_factors).
    """
    n_rows, n_factors = out.shape
    everything = _regularized_gram(fixed[: len(fixed) if all_pairs else 0], regularization)
    for share in numba.prange(_SHARES):
        system = np.empty_like(everything)
        scaled = np.zeros((len(everything), _STRIDE))
        plain = np.zeros((len(everything), _STRIDE))
        for row in range(share, n_rows, _SHARES):
            x = out[row]
            x[:] = 0.0
            first, last = indptr[row], indptr[row + 1]
            if first == last:
                continue
            system[:] = everything
            for start in range(first, last, _CHUNK):
                size = min(_CHUNK, last - start)
                for entry in range(size):
                    column, weight, target = indices[start + entry], weights[start + entry], targets[start + entry]
                    for f in range(n_factors):
                        value = fixed[column, f]
                        plain[f, entry] = value
                        scaled[f, entry] = weight * value
                        x[f] += target * value
                _add_products(system, scaled, plain, size)
            _solve(system, x)


@compiled(reorders_sums=True)
def _regularized_gram(fixed: Floats, regularization: float) -> Floats:
    """Return FᵀF + λI, padded with rows and columns of zeros to a multiple of 4, as `_add_products` needs."""
    n_columns, n_factors = fixed.shape
    padded = (n_factors + 3) // 4 * 4
    gram = np.zeros((padded, padded))
    lines = np.zeros((padded, _STRIDE))
    for start in range(0, n_columns, _CHUNK):
        size = min(_CHUNK, n_columns - start)
        for entry in range(size):
            for f in range(n_factors):
                lines[f, entry] = fixed[start + entry, f]
        _add_products(gram, lines, lines, size)
    for f in range(n_factors):
        gram[f, f] += regularization
    return gram


@compiled(reorders_sums=True)
def _add_products(system: Floats, left: Floats, right: Floats, size: int) -> None:
    """Add Σ_e left[a, e] right[b, e] to the upper triangle of ``system`` (blocks on the diagonal are filled completely).

    Tiles of 2 x 4 sums stay in registers during the loop over entries; eight products then need only six loads.
    """
    n = len(system)
    for a in range(0, n, 2):
        for b in range(a // 4 * 4, n, 4):
            s00 = s01 = s02 = s03 = s10 = s11 = s12 = s13 = 0.0
            for e in range(size):
                x0, x1 = left[a, e], left[a + 1, e]
                y0, y1, y2, y3 = right[b, e], right[b + 1, e], right[b + 2, e], right[b + 3, e]
                s00 += x0 * y0
                s01 += x0 * y1
                s02 += x0 * y2
                s03 += x0 * y3
                s10 += x1 * y0
                s11 += x1 * y1
                s12 += x1 * y2
                s13 += x1 * y3
            system[a, b] += s00
            system[a, b + 1] += s01
            system[a, b + 2] += s02
            system[a, b + 3] += s03
            system[a + 1, b] += s10
            system[a + 1, b + 1] += s11
            system[a + 1, b + 2] += s12
            system[a + 1, b + 3] += s13


@compiled(reorders_sums=True)
def _solve(system: Floats, x: Floats) -> None:
    """Replace x by the solution, by Cholesky's UᵀU in the upper triangle of the first len(x) rows; ``system`` is overwritten.

    If the system is not positive definite in float64, x becomes NaN.
    """
    n = len(x)
    for j in range(n):
        whole = j - j % 4
        # Use four finished rows at a time; row j is then loaded and stored only once for the four.
        for k in range(0, whole, 4):
            u0, u1, u2, u3 = system[k, j], system[k + 1, j], system[k + 2, j], system[k + 3, j]
            for c in range(j, n):
                system[j, c] -= u0 * system[k, c] + u1 * system[k + 1, c] + u2 * system[k + 2, c] + u3 * system[k + 3, c]
            x[j] -= u0 * x[k] + u1 * x[k + 1] + u2 * x[k + 2] + u3 * x[k + 3]
        for k in range(whole, j):
            u0 = system[k, j]
            for c in range(j, n):
                system[j, c] -= u0 * system[k, c]
            x[j] -= u0 * x[k]
        scale = 1.0 / np.sqrt(system[j, j])
        for c in range(j, n):
            system[j, c] *= scale
        x[j] *= scale
    for j in range(n - 1, -1, -1):
        for c in range(j + 1, n):
            x[j] -= system[j, c] * x[c]
        x[j] /= system[j, j]
