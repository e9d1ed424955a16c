"""Sign patterns of users' differences: those of one comparison, and the same for many analyses of a null hypothesis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from recsens.arrays import Bools, Floats, Ints
from recsens.comparison.significance._base import FEWEST_USERS, Family
from recsens.comparison.significance._kernels import USERS_PER_WORD, add_flipped, count_far, t_and_maxima
from recsens.comparison.significance._mean_differences import differences
from recsens.seeds import Stream

_BLOCK = 4096
"""Number of sign patterns handled together; it limits the memory of their bits."""

_BITS = 40
"""Number of bits of the largest value in fixed point: a unit is about 1e-12 of that value, four digits coarser than a double."""

_ULPS = 4
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
        bounds = np.abs(totals) - _ULPS * self.n_users
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


_TOLERANCE = 1e-8
"""Values of t that differ by less than this number are tied (above 1, the difference is relative), because fixed point and square
roots cause such differences."""

_SHARES = 8
"""Number of portions into which patterns are divided among threads."""

_NO_SPREAD = 1e9
"""Replaces the infinite t of equal differences when values of t are sorted."""

_AT_ONCE = 2048
"""Number of patterns handled together; it limits the memory of the sums of thousands of analyses."""


def together(deltas: Floats, stream: Stream, *, alpha: float, samples: int) -> Family:
    """Test all analyses as `recsens.comparison.significance.max_t_family` describes."""
    counts = ~np.isnan(deltas)
    n_users = counts.sum(axis=0)
    tested = np.flatnonzero(n_users >= 2)
    columns = _columns(deltas[:, tested], counts[:, tested])
    differing = columns.any(axis=1)
    n_differing = int(differing.sum())
    is_complete = n_differing < samples.bit_length() and 2**n_differing <= samples
    patterns, n_patterns = (every(n_differing), 2**n_differing) if is_complete else (drawn(stream, len(columns), samples), samples)
    signed = _Signed.of(columns[differing] if is_complete else columns, n_users[tested], alpha)
    counted = signed.count(patterns)
    added = 0 if is_complete else 1
    p_values = (added + counted.far) / (added + n_patterns)
    # An analysis with a lower |t| must not have a lower p than an analysis with a higher |t|.
    stepped = np.empty(len(tested))
    stepped[signed.order] = np.maximum.accumulate(p_values)
    of_tested = np.empty(len(tested))
    of_tested[signed.order] = signed.observed
    t, p_family = np.full(deltas.shape[1], np.nan), np.full(deltas.shape[1], np.nan)
    t[tested] = np.where(np.abs(of_tested) == _NO_SPREAD, np.copysign(np.inf, of_tested), of_tested)
    p_family[tested] = stepped
    first, second = signed.wins(signed.observed)
    return Family(
        t=t,
        p_family=p_family,
        median_t=float(np.median(t[tested])) if len(tested) else float("nan"),
        p_median=_share(added + counted.median, added + n_patterns, len(tested)),
        first_wins=int(first),
        second_wins=int(second),
        p_wins=_share(added + counted.wins, added + n_patterns, len(tested)),
        n_patterns=n_patterns,
        is_complete=is_complete,
    )


def _share(number: int, of: int, n_analyses: int) -> float:
    return number / of if n_analyses else float("nan")


def _columns(deltas: Floats, counts: Bools) -> Ints:
    """Return the differences in fixed point, 0 for users who do not count; a column's unit does not affect its t."""
    columns = np.zeros(deltas.shape, dtype=np.int64)
    for nth in range(deltas.shape[1]):
        columns[:, nth] = fixed_point(differences(np.where(counts[:, nth], deltas[:, nth], 0.0), np.zeros(len(deltas))))
    return columns


@dataclass(slots=True)
class _Far:
    """For each statistic, the number of patterns under which it is at least as far from zero as observed."""

    far: Ints
    median: int = 0
    wins: int = 0


@dataclass(frozen=True, slots=True)
class _Signed:
    """The users' differences, ready to be summed under different signs; analyses are sorted by descending |t|."""

    values: Ints
    totals: Ints
    sizes: Floats
    squares: Floats
    critical: Floats
    order: Ints
    observed: Floats

    @classmethod
    def of(cls, columns: Ints, n_users: Ints, alpha: float) -> _Signed:
        """Arrange the columns, shape (n_users, n_analyses), in the order in which kernels read them."""
        n_rows, n_columns = columns.shape
        totals, sizes = columns.sum(axis=0), np.asarray(n_users, dtype=np.float64)
        squares = sizes * np.array([np.square(column.astype(np.float64)).sum() for column in columns.T], dtype=np.float64)
        [observed] = _t(np.zeros((1, n_columns), dtype=np.int64), totals, sizes, squares)
        order = np.argsort(-np.abs(observed), kind="stable")
        # Pad users to whole words, at least one.
        values = np.zeros((max(-(-n_rows // USERS_PER_WORD), 1) * USERS_PER_WORD, n_columns), dtype=np.int64)
        values[:n_rows] = columns[:, order]
        sizes = sizes[order]
        critical = np.where(sizes < FEWEST_USERS, np.inf, special.stdtrit(sizes - 1, 1 - alpha / 2))
        return cls(values, totals[order], sizes, squares[order], critical, order, observed[order])

    def wins(self, t: Floats) -> tuple[Ints, Ints]:
        """Count the analyses that each system wins by the t-test, along the last axis."""
        return np.asarray((t > self.critical).sum(axis=-1)), np.asarray((t < -self.critical).sum(axis=-1))

    def lead(self, t: Floats) -> tuple[Ints, Floats]:
        """Return the number of wins by which one system leads, and the sum of t in its favour.

        Both are computed along the last axis. If both systems win equally often, the system that the sum of t favours leads.
        """
        first, second = self.wins(t)
        more, total = first - second, np.asarray(t.sum(axis=-1))
        return np.abs(more), np.where(more == 0, np.abs(total), np.sign(more) * total)

    def count(self, patterns: Iterable[NDArray[np.uint64]]) -> _Far:
        """Count the patterns in which each statistic is at least as far from zero as observed."""
        found = _Far(np.zeros(len(self.order), dtype=np.int64))
        if not len(self.order):
            return found
        bounds = _bound(np.abs(self.observed))
        median = _bound(np.abs(np.median(self.observed)))
        more, total = self.lead(self.observed)
        least = _bound(total)
        for flips in _sliced(patterns):
            sums = np.zeros((len(flips), len(self.order)), dtype=np.int64)
            add_flipped(flips, self.values, sums)
            t, counts = np.empty(sums.shape), np.zeros((_SHARES, len(self.order)), dtype=np.int64)
            t_and_maxima(sums, self.totals, self.sizes, self.squares, bounds, t, counts)
            found.far += counts.sum(axis=0)
            of_wins, of_t = self.lead(t)
            found.wins += int(((of_wins > more) | ((of_wins == more) & (of_t >= least))).sum())
            found.median += int((np.abs(np.median(t, axis=1, overwrite_input=True)) >= median).sum())
        return found


def _t(sums: Ints, totals: Ints, sizes: Floats, squares: Floats) -> Floats:
    t, counts = np.empty(sums.shape), np.zeros((1, len(totals)), dtype=np.int64)
    t_and_maxima(sums, totals, sizes, squares, np.full(len(totals), np.inf), t, counts)
    return t


def _bound(far: Floats) -> Floats:
    """Return the smallest distance that counts as equally far from zero; ties then count in full."""
    return np.asarray(far - _TOLERANCE * np.maximum(np.abs(far), 1.0))


def _sliced(patterns: Iterable[NDArray[np.uint64]]) -> Iterator[NDArray[np.uint64]]:
    """Divide patterns into slices, because the sums of thousands of analyses take much memory."""
    for block in patterns:
        for start in range(0, len(block), _AT_ONCE):
            yield block[start : start + _AT_ONCE]
