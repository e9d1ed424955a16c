"""Count, in integer arithmetic, the sign patterns with a mean difference at least as far from zero as observed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Floats, Ints
from recsens.comparison.significance._kernels import USERS_PER_WORD, add_flipped, count_far
from recsens.seeds import Stream

_BLOCK = 4096
"""Number of sign patterns handled together; it limits the memory of their bits."""

_BITS = 40
"""Number of bits of the largest value in fixed point: a unit is about 1e-12 of that value, four digits coarser than a double."""

_TOLERANCE = 4
"""Means that differ by less than this number of units are equal, because rounding moves each difference by up to one
unit, in both sums."""


@dataclass(frozen=True, slots=True)
class Contrasts:
    """Sums of differences that are compared with the same sums under other signs.

    Attributes
    ----------
    columns
        Values in fixed point, 0 for users who do not count; shape (n_users, n_columns).
    first, second
        Columns of each pair (the first minus the second); -1 stands for a column of zeros; shape (n_pairs,).
    n_users
        Number of users who count in each pair, shape (n_pairs,).
    """

    columns: Ints
    first: Ints
    second: Ints
    n_users: Ints

    def count(self, patterns: Iterable[NDArray[np.uint64]]) -> Ints:
        """Count the sign patterns for which a pair's |mean δ| is at least the observed value, shape (n_pairs,)."""
        n_users, n_columns = self.columns.shape
        # Pad users to whole words, at least one; add a column of zeros, and pad columns to whole vector registers.
        shape = (max(-(-n_users // USERS_PER_WORD), 1) * USERS_PER_WORD, -(-(n_columns + 1) // 8) * 8)
        values = np.zeros(shape, dtype=np.int64)
        values[:n_users, :n_columns] = self.columns
        first, second = self.first % shape[1], self.second % shape[1]
        totals = values.sum(axis=0)[first] - values.sum(axis=0)[second]
        bounds = np.abs(totals) - _TOLERANCE * self.n_users
        counts = np.zeros(len(first), dtype=np.int64)
        for flips in patterns:
            sums = np.zeros((len(flips), shape[1]), dtype=np.int64)
            add_flipped(flips, values, sums)
            count_far(sums, first, second, totals, bounds, counts)
        return counts


def fixed_point(values: Floats) -> Ints:
    """Round values to multiples of a power of two that is fine enough for 12 digits, and coarse enough for sums over users."""
    largest = float(np.abs(values).max(initial=0.0))
    bits = min(_BITS, 60 - values.shape[-1].bit_length())
    return np.asarray(np.rint(np.ldexp(values, bits - int(np.frexp(largest)[1]))), dtype=np.int64)


def drawn(stream: Stream, n_users: int, samples: int) -> Iterator[NDArray[np.uint64]]:
    """Draw sign patterns. The sign of user u in sample s depends only on the stream, s and u."""
    words = np.arange(-(-n_users // USERS_PER_WORD))
    for start in range(0, samples, _BLOCK):
        yield stream.hashes(np.arange(start, min(start + _BLOCK, samples))[:, np.newaxis], words)


def every(n_users: int) -> Iterator[NDArray[np.uint64]]:
    """Enumerate all 2^n sign patterns for up to 63 users."""
    for start in range(0, 1 << n_users, _BLOCK):
        yield np.arange(start, min(start + _BLOCK, 1 << n_users), dtype=np.uint64)[:, np.newaxis]
