"""Compiled loops of other tools' metrics, user by user."""

import numpy as np

from recsens.compiled.machine_code import njit


@njit()
def fill_maxima(values, starts):
    """Replace each value by the largest from there to the end of the group; group g is ``values[starts[g]:starts[g + 1]]``."""
    for group in range(len(starts) - 1):
        for k in range(starts[group + 1] - 2, starts[group] - 1, -1):
            values[k] = max(values[k], values[k + 1])


@njit(inline="always")
def _sort_gains(gains, first, after):
    """Return a user's gains above 0, in descending order."""
    own = gains[first:after]
    return np.sort(own[own > 0])[::-1]


@njit()
def graded_g(gains, order, order_starts, position, starts, values):
    """Fill ``values`` with each user's sum of gains, each discounted by the gain missed above it, divided by the sum of all gains.

    User u has the gains ``gains[starts[u]:starts[u + 1]]``; ``order`` contains the ranked rows by position, and the rows of user u
    start at ``order_starts[u]``.
    """
    for user in range(len(values)):
        best = _sort_gains(gains, starts[user], starts[user + 1])
        cost, depth, gained, total = 0.0, 0, 0.0, 0.0
        for index in range(order_starts[user], order_starts[user + 1]):
            row = order[index]
            while depth < position[row]:
                cost += max(best[depth], 1.0) if depth < len(best) else 1.0
                depth += 1
            gained += gains[row]
            if gains[row] > 0:
                total += gains[row] / np.log2(2.0 + cost - gained)
        values[user] = total / best.sum() if len(best) else 0.0


@njit()
def fill_ndcg_at_hits(gains, order, order_starts, position, starts, values):
    """Fill ``values`` with each user's nDCG averaged over the items with a gain, ranked or not; arguments as in `graded_g`."""
    for user in range(len(values)):
        best = _sort_gains(gains, starts[user], starts[user + 1])
        dcg, ideal, depth, total, n_hits = 0.0, 0.0, 0, 0.0, 0
        for index in range(order_starts[user], order_starts[user + 1]):
            row = order[index]
            if gains[row] > 0:
                while depth < min(position[row], len(best)):
                    ideal += best[depth] / np.log2(depth + 2.0)
                    depth += 1
                dcg += gains[row] / np.log2(position[row] + 1.0)
                total += dcg / ideal
                n_hits += 1
        while depth < len(best):
            ideal += best[depth] / np.log2(depth + 2.0)
            depth += 1
        values[user] = (total + (len(best) - n_hits) * dcg / ideal) / len(best) if len(best) else 0.0


@njit()
def fill_ndcg_at_levels(gains, order, order_starts, position, starts, listed, values):
    """Fill ``values`` with each user's mean nDCG over the depths at which the ideal gain decreases; arguments as in `graded_g`."""
    for user in range(len(values)):
        best = _sort_gains(gains, starts[user], starts[user + 1])
        dcg, ideal, total, n_levels, index = 0.0, 0.0, 0.0, 0, order_starts[user]
        for depth in range(len(best)):
            ideal += best[depth] / np.log2(depth + 2.0)
            if depth + 1 == len(best) or best[depth + 1] < best[depth]:
                while index < order_starts[user + 1] and position[order[index]] <= depth + 1:
                    dcg += gains[order[index]] / np.log2(position[order[index]] + 1.0)
                    index += 1
                total += dcg / ideal
                n_levels += 1
        if listed[user] > len(best) + 1 and ideal > 0:
            while index < order_starts[user + 1]:
                dcg += gains[order[index]] / np.log2(position[order[index]] + 1.0)
                index += 1
            total += dcg / ideal
            n_levels += 1
        values[user] = total / n_levels if n_levels else 0.0


@njit()
def count_rated_pairs(rating, score, starts, counts):
    """For each user, count the pairs of differently rated items that the scores order rightly, and those that they order wrongly.

    User u's items are ``rating[starts[u]:starts[u + 1]]``; a pair with equal scores counts as wrong.
    """
    for user in range(len(starts) - 1):
        in_order = others = 0
        for first in range(starts[user], starts[user + 1]):
            for second in range(first + 1, starts[user + 1]):
                if rating[first] != rating[second]:
                    is_in_order = (score[first] - score[second]) * (rating[first] - rating[second]) > 0
                    in_order += is_in_order
                    others += not is_in_order
        counts[user, 0] = in_order
        counts[user, 1] = others
