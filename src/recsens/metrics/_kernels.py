"""Compiled loops over users. One thread writes each user's result, so the number of threads does not affect it."""

import numpy as np
from numba import prange

from recsens.compiled.machine_code import njit


@njit(nogil=True)
def first_reaching(cutoffs, position, first):
    """Fill ``first`` with the index of the first ascending cut-off that reaches each position."""
    for row in range(len(position)):
        # Compare with every cut-off, because there are few and this avoids a branch.
        n_above = 0
        for c in range(len(cutoffs)):
            n_above += cutoffs[c] < position[row]
        first[row] = n_above


@njit(nogil=True)
def add_down(user, column, values, order, sums):
    """Fill ``sums[u, order[c]]`` with user u's sum over the columns up to c; each column is first summed separately.

    Rows are sorted by user.
    """
    own, row = np.empty(len(order)), 0
    for u in range(len(sums)):
        own[:] = 0.0
        while row < len(user) and user[row] == u:
            own[column[row]] += values[row]
            row += 1
        total = 0.0
        for c in range(len(order)):
            total += own[c]
            sums[u, order[c]] = total


@njit(nogil=True)
def ideal_sums(gains, starts, weights, cutoffs, sums):
    """Fill ``sums[u, c]`` with user u's best gains, weighted by position and summed down to the c-th cut-off.

    User u has the gains ``gains[starts[u]:starts[u + 1]]``, all at least 0; ``weights[k]`` is the weight of position k + 1.
    """
    deepest = cutoffs.max()
    for user in range(len(starts) - 1):
        losses, n_gains = np.empty(starts[user + 1] - starts[user]), 0
        for row in range(starts[user], starts[user + 1]):
            # To avoid a branch, write every gain; the next gain overwrites a zero.
            losses[n_gains] = -gains[row]
            n_gains += gains[row] > 0
        best, is_sorted = losses[:n_gains], True
        for rank in range(1, n_gains):
            is_sorted &= best[rank - 1] <= best[rank]
        # Binary gains are all 1 and need no sorting.
        if not is_sorted:
            best.sort()
        totals = np.zeros(n_gains + 1)
        for rank in range(min(deepest, n_gains)):
            totals[rank + 1] = totals[rank] - best[rank] * weights[rank]
        for c in range(len(cutoffs)):
            sums[user, c] = totals[min(cutoffs[c], n_gains)]


@njit(parallel=True)
def retrieved_ideal_sums(gains, position, starts, weights, cutoffs, sums):
    """Fill ``sums[u, c]`` like `ideal_sums`, but use only the gains of items at or above the cut-off."""
    for user in prange(len(starts) - 1):
        own, positions = gains[starts[user] : starts[user + 1]], position[starts[user] : starts[user + 1]]
        for c in range(len(cutoffs)):
            best = np.sort(own[(positions > 0) & (positions <= cutoffs[c]) & (own > 0)])[::-1]
            total = 0.0
            for rank in range(len(best)):
                total += best[rank] * weights[rank]
            sums[user, c] = total


@njit(nogil=True)
def count_above(order, starts, is_relevant, relevant_above, judged_above):
    """Count the relevant and the judged rows ranked above each row in ``order``, which lists users' ranked rows by position."""
    for user in range(len(starts) - 1):
        relevant = 0
        for index in range(starts[user], starts[user + 1]):
            row = order[index]
            relevant_above[row] = relevant
            judged_above[row] = index - starts[user]
            relevant += is_relevant[row]


@njit(parallel=True)
def reach(stops, starts, reached):
    """Fill ``reached[k]`` with the probability of passing every row above row k in the ranking of the row's user.

    ``stops`` contains the probability of stopping at each judged row, sorted by user, then by position.
    """
    for user in prange(len(starts) - 1):
        goes_on = 1.0
        for row in range(starts[user], starts[user + 1]):
            reached[row] = goes_on
            goes_on *= 1.0 - stops[row]


@njit(parallel=True)
def count_pairs(worth, level, starts, counts):
    """Count each user's pairs of rows that are concordant, discordant, tied only in worth, or tied only in level.

    Rows are sorted by user, then by ascending level, so the second row of a pair is never ranked above the first. A pair is
    concordant if the row with the higher level has the lower worth.
    """
    for user in prange(len(starts) - 1):
        concordant = discordant = same_worth = same_level = 0
        for first in range(starts[user], starts[user + 1]):
            for second in range(first + 1, starts[user + 1]):
                if level[first] == level[second]:
                    same_level += worth[first] != worth[second]
                else:
                    concordant += worth[first] > worth[second]
                    discordant += worth[first] < worth[second]
                    same_worth += worth[first] == worth[second]
        counts[user, 0] = concordant
        counts[user, 1] = discordant
        counts[user, 2] = same_worth
        counts[user, 3] = same_level


@njit(inline="always")
def _mid_ranks(values):
    """Rank values in ascending order, from 1; equal values share their mean rank."""
    order = np.argsort(values)
    ranks = np.empty(len(values))
    first = 0
    while first < len(values):
        after = first + 1
        while after < len(values) and values[order[after]] == values[order[first]]:
            after += 1
        for index in range(first, after):
            ranks[order[index]] = (first + 1 + after) / 2
        first = after
    return ranks


@njit(parallel=True)
def rank_correlations(worth, level, starts, correlations):
    """Fill ``correlations[u]`` with the correlation of mid-ranks by worth (best first) and by level; NaN if one is constant."""
    for user in prange(len(starts) - 1):
        by_worth = _mid_ranks(-worth[starts[user] : starts[user + 1]])
        by_level = _mid_ranks(level[starts[user] : starts[user + 1]])
        middle = (len(by_worth) + 1) / 2
        joint = spread_of_worth = spread_of_level = 0.0
        for row in range(len(by_worth)):
            joint += (by_worth[row] - middle) * (by_level[row] - middle)
            spread_of_worth += (by_worth[row] - middle) ** 2
            spread_of_level += (by_level[row] - middle) ** 2
        if spread_of_worth > 0 and spread_of_level > 0:
            # Take the root of the product instead of a product of roots: the root of a square is exact, so no correlation exceeds
            # 1.
            correlations[user] = joint / np.sqrt(spread_of_worth * spread_of_level)
        else:
            correlations[user] = np.nan


@njit(parallel=True)
def ranks_by_worth(worth, starts, ranks):
    """Fill ``ranks[k]`` with the rank of row k, from 0, among its user's rows by descending worth; ties keep their order."""
    for user in prange(len(starts) - 1):
        first, after = starts[user], starts[user + 1]
        order = np.argsort(-worth[first:after], kind="mergesort")
        for rank in range(after - first):
            ranks[first + order[rank]] = rank


@njit(parallel=True)
def invert(ranks, starts, inverse):
    """For each user, fill ``inverse`` with the inverse of ``ranks``: ``inverse[ranks[k]] == k`` from the user's first row on."""
    for user in prange(len(starts) - 1):
        for row in range(starts[user], starts[user + 1]):
            inverse[starts[user] + ranks[row]] = row - starts[user]


@njit(parallel=True)
def average_agreements(ranks, starts, means):
    """Fill ``means[u]`` with a mean over user u's rows except the first: the share of the rows above that have a lower rank.

    The mean is NaN for fewer than two rows.
    """
    for user in prange(len(starts) - 1):
        first, after = starts[user], starts[user + 1]
        total = 0.0
        for row in range(first + 1, after):
            agreeing = 0
            for above in range(first, row):
                agreeing += ranks[above] < ranks[row]
            total += agreeing / (row - first)
        means[user] = total / (after - first - 1) if after - first > 1 else np.nan


@njit(parallel=True)
def overlap_sums(ranks, starts, phi, sums):
    """Fill ``sums[u]`` with Σ_{d<=N} φ^(d-1) X_d / d; X_d items are among the first d in row order and also by ``ranks``."""
    for user in prange(len(starts) - 1):
        first, n = starts[user], starts[user + 1] - starts[user]
        joining = np.zeros(n, dtype=np.int64)
        for row in range(n):
            joining[max(row, ranks[first + row])] += 1
        overlap, weight, total = 0, 1.0, 0.0
        for depth in range(1, n + 1):
            overlap += joining[depth - 1]
            total += weight * overlap / depth
            weight *= phi
        sums[user] = total
