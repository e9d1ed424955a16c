"""Compiled sums over users with flipped signs, for many sign patterns at once.

The sums are of integers, so order does not matter.
"""

import numpy as np
from numba import prange

from recsens.compiled.machine_code import njit

USERS_PER_WORD = 64
"""Number of users whose signs fit into one word of bits."""

_WIDTH = 32
"""Number of columns summed together. For so many columns, the tables for one word of users fit into the fastest caches."""

_SHARES = 8
"""Number of portions into which patterns are divided among threads; each portion has its own rows of the sums."""


@njit(inline="always")
def _fill_table(table, values, first_user, left, width):
    """Sum the values over each subset of four users, for 16 groups of four users with 16 subsets each."""
    for group in range(16):
        for subset in range(1, 16):
            lowest = 0
            while (subset >> lowest) & 1 == 0:
                lowest += 1
            for column in range(width):
                added = values[first_user + 4 * group + lowest, left + column]
                table[group, subset, column] = table[group, subset & (subset - 1), column] + added


@njit(inline="always")
def _subset(word, group):
    return np.int64((word >> np.uint64(4 * group)) & np.uint64(15))


@njit(parallel=True, error_model="numpy")
def add_flipped(flips, values, sums):
    """Add the flipped users' values to each pattern's sums.

    The sums over the 16 subsets of four users are computed once, and then looked up for every pattern. This needs a quarter of the
    additions of a matrix product, and no matrix of signs.

    Parameters
    ----------
    flips
        Bit u mod 64 of word u // 64 says whether user u is flipped; shape (n_patterns, n_words).
    values
        Shape (64 n_words, n_columns).
    sums
        The sums to which this adds, shape (n_patterns, n_columns).
    """
    n_patterns, n_words = flips.shape
    n_columns = values.shape[1]
    for share in prange(_SHARES):
        start, stop = share * n_patterns // _SHARES, (share + 1) * n_patterns // _SHARES
        table = np.zeros((16, 16, _WIDTH), dtype=np.int64)
        for left in range(0, n_columns, _WIDTH):
            width = min(_WIDTH, n_columns - left)
            for at in range(n_words):
                _fill_table(table, values, USERS_PER_WORD * at, left, width)
                for pattern in range(start, stop):
                    word = flips[pattern, at]
                    row = sums[pattern, left : left + width]
                    for group in range(0, 16, 8):
                        a = table[group, _subset(word, group)]
                        b = table[group + 1, _subset(word, group + 1)]
                        c = table[group + 2, _subset(word, group + 2)]
                        d = table[group + 3, _subset(word, group + 3)]
                        e = table[group + 4, _subset(word, group + 4)]
                        f = table[group + 5, _subset(word, group + 5)]
                        g = table[group + 6, _subset(word, group + 6)]
                        h = table[group + 7, _subset(word, group + 7)]
                        for column in range(width):
                            row[column] += (
                                a[column] + b[column] + c[column] + d[column] + e[column] + f[column] + g[column] + h[column]
                            )


@njit(parallel=True, error_model="numpy")
def count_far(sums, first, second, totals, bounds, counts):
    """Count the patterns under which a pair's sum of differences is at least as far from zero as the bound.

    Parameters
    ----------
    sums
        Sums over the flipped users, shape (n_patterns, n_columns).
    first, second
        Columns of each pair, the first minus the second; shape (n_pairs,).
    totals, bounds
        Sum of each pair's differences, from which a pattern subtracts twice the sum over the flipped users; and the bound on the
        distance from zero; shape (n_pairs,).
    counts
        The counts to which this adds, shape (n_pairs,).
    """
    for pair in prange(len(first)):
        far = 0
        for pattern in range(len(sums)):
            flipped = sums[pattern, first[pair]] - sums[pattern, second[pair]]
            if abs(totals[pair] - 2 * flipped) >= bounds[pair]:
                far += 1
        counts[pair] += far


@njit(parallel=True, error_model="numpy")
def t_and_maxima(sums, totals, sizes, squares, bounds, t, counts):
    """Turn sums into t. For each column, count the patterns in which this column or a later one has |t| at or above the bound.

    Parameters
    ----------
    sums
        Sums over the flipped users, shape (n_patterns, n_columns); columns are in the order of descending |t|.
    totals, sizes, squares
        For each column, the sum of its differences, the number n of its users, and n times the sum of squares; shape (n_columns,).
    bounds
        The lowest |t| that counts, shape (n_columns,).
    t
        Receives t, shape (n_patterns, n_columns); ± 1e9 instead of infinity if differences have no spread.
    counts
        The counts to which this adds, one row per portion of patterns, shape (n_shares, n_columns).
    """
    n_patterns, n_columns = sums.shape
    n_shares = len(counts)
    for share in prange(n_shares):
        start, stop = share * n_patterns // n_shares, (share + 1) * n_patterns // n_shares
        for pattern in range(start, stop):
            largest = 0.0
            for column in range(n_columns - 1, -1, -1):
                total = np.float64(totals[column] - 2 * sums[pattern, column])
                rest = squares[column] - total * total
                if rest > 1e-12 * squares[column]:
                    value = total * np.sqrt((sizes[column] - 1) / rest)
                else:
                    value = 1e9 * np.sign(total)
                t[pattern, column] = value
                largest = max(largest, abs(value))
                if largest >= bounds[column]:
                    counts[share, column] += 1
