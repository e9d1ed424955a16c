"""Compiled loops over users, lists and samples. One thread writes each result, so the number of threads does not affect it."""

import numpy as np
from numba import prange

from recsens.arrays import Floats, Ids, Ints
from recsens.compiled.machine_code import njit


@njit(nogil=True)
def fill_first_reaching(cutoffs, position, first):
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
def fill_ideal_sums(gains, starts, weights, cutoffs, sums):
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
def fill_retrieved_ideal_sums(gains, position, starts, weights, cutoffs, sums):
    """Fill ``sums[u, c]`` like `fill_ideal_sums`, but use only the gains of items at or above the cut-off."""
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
def fill_reached(stops, starts, reached):
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
def fill_rank_correlations(worth, level, starts, correlations):
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
def fill_ranks_by_worth(worth, starts, ranks):
    """Fill ``ranks[k]`` with the rank of row k, from 0, among its user's rows by descending worth; ties keep their order."""
    for user in prange(len(starts) - 1):
        first, after = starts[user], starts[user + 1]
        order = np.argsort(-worth[first:after], kind="mergesort")
        for rank in range(after - first):
            ranks[first + order[rank]] = rank


@njit(parallel=True)
def invert_ranks(ranks, starts, inverse):
    """For each user, fill ``inverse`` with the inverse of ``ranks``: ``inverse[ranks[k]] == k`` from the user's first row on."""
    for user in prange(len(starts) - 1):
        for row in range(starts[user], starts[user + 1]):
            inverse[starts[user] + ranks[row]] = row - starts[user]


@njit(parallel=True)
def fill_agreements(ranks, starts, means):
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
def fill_overlap_sums(ranks, starts, phi, sums):
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


Codes = Ints
Counts = Ints
Items = Ids


@njit()
def count_listed(item: Items, starts: Codes, cutoff: int, counts: Codes) -> None:
    """For each list, add one to ``counts[i]`` if item i is among the first ``cutoff`` items."""
    for user in range(len(starts) - 1):
        for index in range(starts[user], min(starts[user] + cutoff, starts[user + 1])):
            counts[item[index]] += 1


@njit(parallel=True)
def count_shared(
    items: Codes, item_starts: Items, members: Items, member_starts: Items, member_items: Items, code: Codes, shared: Items
) -> None:
    """Fill ``shared[r, c]`` with the number of members that item ``items[r]`` and the item with code c have in common.

    The members of item i (its raters or its words) are ``members[item_starts[i]:item_starts[i + 1]]``; the items of member m are
    ``member_items[member_starts[m]:member_starts[m + 1]]``. Items without a code (-1) are skipped.
    """
    for row in prange(len(items)):
        shared[row, :] = 0
        for index in range(item_starts[items[row]], item_starts[items[row] + 1]):
            member = members[index]
            for other in range(member_starts[member], member_starts[member + 1]):
                column = code[member_items[other]]
                if column >= 0:
                    shared[row, column] += 1


@njit(parallel=True)
def add_distances(
    shared: Items, first: int, sizes: Floats, jaccard: bool, item: Items, starts: Codes, code: Codes, cutoffs: Codes, sums: Floats
) -> None:
    """Add to ``sums[u, c]`` the distances of pairs in user u's list; a pair counts if its lower code is a row of ``shared``.

    The rows of ``shared`` start at code ``first``; ``sizes`` contains each code's number of members; ``cutoffs`` ascend. A pair is
    added at the first cut-off that reaches both of its items.
    """
    after = first + len(shared)
    for user in prange(len(starts) - 1):
        length = min(starts[user + 1] - starts[user], cutoffs[-1])
        for a in range(length):
            low = code[item[starts[user] + a]]
            if low < first or low >= after:
                continue
            for b in range(length):
                high = code[item[starts[user] + b]]
                if high <= low:
                    continue
                common = shared[low - first, high]
                if common == 0:
                    similarity = 0.0
                elif jaccard:
                    similarity = common / (sizes[low] + sizes[high] - common)
                else:
                    # Take the root of the product instead of a product of roots: it is exact for equal sizes, so equal items have
                    # similarity 1.
                    similarity = common / np.sqrt(sizes[low] * sizes[high])
                c = 0
                while cutoffs[c] <= max(a, b):
                    c += 1
                sums[user, c] += 1.0 - similarity


@njit()
def count_joint(item: Items, starts: Codes, other_item: Items, other_starts: Codes, ranks: Codes, joint: Items) -> None:
    """Fill ``joint[u, d - 1]`` with the number of items that are among the first d in both of user u's lists.

    ``ranks`` is scratch space, with one 0 per item; all values are 0 again at the end.
    """
    depth = joint.shape[1]
    for user in range(len(starts) - 1):
        joint[user, :] = 0
        first, other_first = starts[user], other_starts[user]
        for rank in range(min(depth, other_starts[user + 1] - other_first)):
            ranks[other_item[other_first + rank]] = rank + 1
        for rank in range(min(depth, starts[user + 1] - first)):
            other_rank = ranks[item[first + rank]] - 1
            if other_rank >= 0:
                joint[user, max(rank, other_rank)] += 1
        for rank in range(1, depth):
            joint[user, rank] += joint[user, rank - 1]
        for rank in range(min(depth, other_starts[user + 1] - other_first)):
            ranks[other_item[other_first + rank]] = 0


_NEGLIGIBLE = 1e-18
"""Terms less likely than this, relative to the likeliest term, are left out."""


@njit(nogil=True, error_model="numpy")
def fill_chances(above: int, pool: int, n_drawn: int, with_replacement: bool, weights: Floats) -> tuple[int, int]:
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
def fill_expected(above: Counts, pool: Counts, n_drawn: int, with_replacement: bool, values: Floats, expected: Floats) -> None:
    """Fill ``expected[p]`` with E[``values[H]``]; H drawn candidates are above the item, given ``above[p]`` of ``pool[p]``."""
    for p in prange(len(above)):
        weights = np.empty(n_drawn + 1)
        first, end = fill_chances(above[p], pool[p], n_drawn, with_replacement, weights)
        expected[p] = 0.0
        for h in range(first, end):
            for column in range(values.shape[1]):
                expected[p, column] += weights[h] * values[h, column]


@njit(nogil=True, error_model="numpy")
def fill_chance_table(start: int, pool: int, n_drawn: int, with_replacement: bool, table: Floats) -> None:
    """Fill row r of the table with the chance of every h if ``start + r`` of ``pool`` candidates are above the item."""
    table[:] = 0.0
    for row in range(len(table)):
        fill_chances(start + row, pool, n_drawn, with_replacement, table[row])
