"""Compiled sums over the possible samples of candidates. Each sum is computed by one thread, so results are always the same."""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from recsens.compiled.machine_code import njit

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

_NEGLIGIBLE = 1e-18
"""Terms less likely than this, relative to the likeliest term, are left out."""


@njit(nogil=True, error_model="numpy")
def chances(above: int, pool: int, n_drawn: int, with_replacement: bool, weights: Floats) -> tuple[int, int]:
    """Fill ``weights[h]`` with the chance that h of ``n_drawn`` candidates are above the item, if ``above`` of the ``pool`` are.

    The distribution is hypergeometric, or binomial with replacement. Return the first h whose chance is not negligible, and one
    more than the last such h; other entries of ``weights`` do not change.
    """
    below = pool - above
    if not with_replacement:
        n_drawn = min(n_drawn, pool)
        fewest, most = max(0, n_drawn - below), min(above, n_drawn)
        likeliest = (n_drawn + 1) * (above + 1) // (pool + 2)
    else:
        fewest, most = n_drawn if below == 0 else 0, 0 if above == 0 else n_drawn
        likeliest = (n_drawn + 1) * above // pool if pool > 0 else 0
    likeliest = max(fewest, min(most, likeliest))
    # Start at the likeliest number, multiply by ratios of neighbouring terms, then divide by the sum; factorials would overflow.
    weights[likeliest], total = 1.0, 1.0
    last = likeliest
    while last < most and weights[last] > _NEGLIGIBLE:
        if with_replacement:
            ratio = (n_drawn - last) * above / ((last + 1.0) * below)
        else:
            ratio = (above - last) * float(n_drawn - last) / ((last + 1.0) * (below - n_drawn + last + 1.0))
        weights[last + 1] = weights[last] * ratio
        last += 1
        total += weights[last]
    first = likeliest
    while first > fewest and weights[first] > _NEGLIGIBLE:
        if with_replacement:
            ratio = first * float(below) / ((n_drawn - first + 1.0) * above)
        else:
            ratio = first * (below - n_drawn + first) / ((above - first + 1.0) * (n_drawn - first + 1.0))
        weights[first - 1] = weights[first] * ratio
        first -= 1
        total += weights[first]
    weights[first : last + 1] /= total
    return first, last + 1


@njit(parallel=True, nogil=True, error_model="numpy")
def expect(above: Counts, pool: Counts, n_drawn: int, with_replacement: bool, values: Floats, expected: Floats) -> None:
    """Fill ``expected[p]`` with E[``values[H]``]; H drawn candidates are above the item, given ``above[p]`` of ``pool[p]``."""
    for p in prange(len(above)):
        weights = np.empty(n_drawn + 1)
        first, end = chances(above[p], pool[p], n_drawn, with_replacement, weights)
        expected[p] = 0.0
        for h in range(first, end):
            for column in range(values.shape[1]):
                expected[p, column] += weights[h] * values[h, column]


@njit(nogil=True, error_model="numpy")
def chance_table(start: int, pool: int, n_drawn: int, with_replacement: bool, table: Floats) -> None:
    """Fill row r of the table with the chance of every h if ``start + r`` of ``pool`` candidates are above the item."""
    table[:] = 0.0
    for row in range(len(table)):
        chances(start + row, pool, n_drawn, with_replacement, table[row])
