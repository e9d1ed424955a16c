"""Loops over the rows of a run, user by user."""

from __future__ import annotations

import numpy as np
from numba import njit

BY_NAME, AS_GIVEN, PESSIMISTIC, OPTIMISTIC = range(4)
"""Which of two items with one score comes first."""


@njit(cache=True)
def rows_by_group(code, starts, rows):
    """Fill ``rows`` with row numbers group by group, in their order; ``starts[g]`` is the first place of group g."""
    free = starts[:-1].copy()
    for row in range(len(code)):
        rows[free[code[row]]] = row
        free[code[row]] += 1


@njit(cache=True, inline="always")
def _row(rows, k):
    """Return the row at a place; where ``rows`` is empty, rows are places."""
    return rows[k] if len(rows) else k


@njit(cache=True, inline="always")
def _note(rows, first, after, item, at):
    """Note in ``at`` the place of each item; return two places of one item, or -1 twice."""
    for k in range(first, after):
        i = item[_row(rows, k)]
        if at[i] >= first:
            return at[i], k
        at[i] = k
    return -1, -1


@njit(cache=True)
def first_repeat(rows, starts, item, n_items):
    """Return the row numbers of two rows of one group with the same item, or -1 twice."""
    at = np.full(n_items, -1, dtype=np.int64)
    for group in range(len(starts) - 1):
        before, again = _note(rows, starts[group], starts[group + 1], item, at)
        if before >= 0:
            return _row(rows, before), _row(rows, again)
    return -1, -1


@njit(cache=True, inline="always")
def _falls(rows, first, after, score):
    """Say whether each of a user's scores is below the one before."""
    falls = True
    for k in range(first + 1, after):
        falls = falls and score[_row(rows, k)] < score[_row(rows, k - 1)]
    return falls


@njit(cache=True, inline="always")
def _rising(rows, first, after, score):
    """Return a user's scores negated and in order, and whether they stood so."""
    values = np.empty(after - first)
    is_sorted = True
    for k in range(first, after):
        values[k - first] = -score[_row(rows, k)]
        is_sorted = is_sorted and (k == first or values[k - first] >= values[k - first - 1])
    return (values if is_sorted else np.sort(values)), is_sorted


@njit(cache=True, inline="always")
def _comes_first(ties, k, k_own, worth, worth_own, rank, rank_own):
    """Say whether an item comes before one of the same score."""
    if ties == AS_GIVEN:
        return k < k_own
    if ties == PESSIMISTIC and worth != worth_own:
        return worth < worth_own
    if ties == OPTIMISTIC and worth != worth_own:
        return worth > worth_own
    return rank < rank_own


@njit(cache=True)
def _tied_ahead(rows, low, high, item, score, own, k_own, worth, name_rank, ties):
    """Count the items from place ``low`` to ``high`` with the score of one and an earlier place."""
    s, ahead = score[_row(rows, k_own)], 0
    for k in range(low, high):
        other = item[_row(rows, k)]
        if score[_row(rows, k)] == s and other != own:
            ahead += _comes_first(ties, k, k_own, worth[other], worth[own], name_rank[other], name_rank[own])
    return ahead


@njit(cache=True)
def place(  # noqa: C901, PLR0912 - one pass over the users
    rows, starts, item, score, judged_by, item_of, name_rank, q_starts, q_item, q_rating, ties, listed, position, q_score
):
    """Fill in where each judged item stands in its user's ranking, its score, and how long the ranking is.

    Parameters
    ----------
    rows, starts, item, score
        The run, user by user: rows ``rows[starts[u]:starts[u + 1]]``, or these places themselves where ``rows`` is empty.
    judged_by
        For each user of the run, the user of the judgements, or -1.
    item_of
        For each item of the judgements, the item of the run, or -1.
    name_rank
        For each item of the run, its place among the names in falling order.
    q_starts, q_item, q_rating
        The judgements, user by user.

    Returns
    -------
    tuple
        Row numbers of a repeated pair, or -1 twice.
    """
    at = np.full(len(name_rank), -1, dtype=np.int64)
    worth = np.full(len(name_rank), -np.inf)
    for user in range(len(starts) - 1):
        first, after, judge = starts[user], starts[user + 1], judged_by[user]
        before, again = _note(rows, first, after, item, at)
        if before >= 0:
            return _row(rows, before), _row(rows, again)
        if judge < 0:
            continue
        listed[judge] = after - first
        own_rows = range(q_starts[judge], q_starts[judge + 1])
        if _falls(rows, first, after, score):
            # Most runs are written best first, without ties: an item's place is its position.
            for j in own_rows:
                own = item_of[q_item[j]]
                if own >= 0 and at[own] >= first:
                    position[j] = at[own] - first + 1
                    q_score[j] = score[_row(rows, at[own])]
            continue
        rising, is_sorted = _rising(rows, first, after, score)
        for j in own_rows:
            own = item_of[q_item[j]]
            if own >= 0:
                worth[own] = q_rating[j]
        for j in own_rows:
            own = item_of[q_item[j]]
            if own < 0 or at[own] < first:
                continue
            s = score[_row(rows, at[own])]
            above, end = np.searchsorted(rising, -s), np.searchsorted(rising, -s, side="right")
            ahead = 0
            if end - above > 1:
                # Tied items stand together where the rows are sorted; else they may be anywhere.
                low, high = (first + above, first + end) if is_sorted else (first, after)
                ahead = _tied_ahead(rows, low, high, item, score, own, at[own], worth, name_rank, ties)
            position[j] = above + 1 + ahead
            q_score[j] = s
        for j in own_rows:
            own = item_of[q_item[j]]
            if own >= 0:
                worth[own] = -np.inf
    return -1, -1


@njit(cache=True)
def code_numbers(values, lowest, code_of, code, distinct):
    """Code whole numbers by their first occurrence; return how many distinct ones there are.

    ``code_of[v - lowest]`` is -1 for each value v, and room for its code; ``code`` is filled row by row, ``distinct`` with the
    values in the order of their codes.
    """
    n_distinct = 0
    for row in range(len(values)):
        at = values[row] - lowest
        if code_of[at] < 0:
            code_of[at] = n_distinct
            distinct[n_distinct] = values[row]
            n_distinct += 1
        code[row] = code_of[at]
    return n_distinct


@njit(cache=True)
def maxima_from_here(values, starts):
    """Replace each value by the largest from it to the end of its group; group g is ``values[starts[g]:starts[g + 1]]``."""
    for group in range(len(starts) - 1):
        for k in range(starts[group + 1] - 2, starts[group] - 1, -1):
            values[k] = max(values[k], values[k + 1])


@njit(cache=True, inline="always")
def _best_first(gains, first, after):
    """Return the gains above 0 among those of a user, falling."""
    own = gains[first:after]
    return np.sort(own[own > 0])[::-1]


@njit(cache=True)
def graded_g(gains, order, order_starts, position, starts, found):
    """Fill ``found`` with each user's gains, each discounted by the gain missed down to it, as a share of all gain.

    The gains of user u are ``gains[starts[u]:starts[u + 1]]``; ``order`` holds the ranked rows by position, those of user u from
    ``order_starts[u]`` on.
    """
    for user in range(len(found)):
        best = _best_first(gains, starts[user], starts[user + 1])
        cost, depth, gained, total = 0.0, 0, 0.0, 0.0
        for place in range(order_starts[user], order_starts[user + 1]):
            row = order[place]
            while depth < position[row]:
                cost += max(best[depth], 1.0) if depth < len(best) else 1.0
                depth += 1
            gained += gains[row]
            if gains[row] > 0:
                total += gains[row] / np.log2(2.0 + cost - gained)
        found[user] = total / best.sum() if len(best) else 0.0


@njit(cache=True)
def ndcg_at_hits(gains, order, order_starts, position, starts, found):
    """Fill ``found`` with each user's nDCG averaged over what gains, ranked or not; arguments as for `graded_g`."""
    for user in range(len(found)):
        best = _best_first(gains, starts[user], starts[user + 1])
        dcg, ideal, depth, total, n_hits = 0.0, 0.0, 0, 0.0, 0
        for place in range(order_starts[user], order_starts[user + 1]):
            row = order[place]
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
        found[user] = (total + (len(best) - n_hits) * dcg / ideal) / len(best) if len(best) else 0.0


@njit(cache=True)
def ndcg_at_levels(gains, order, order_starts, position, starts, listed, found):
    """Fill ``found`` with each user's nDCG averaged over the depths where the ideal gain falls; arguments as for `graded_g`."""
    for user in range(len(found)):
        best = _best_first(gains, starts[user], starts[user + 1])
        dcg, ideal, total, n_levels, place = 0.0, 0.0, 0.0, 0, order_starts[user]
        for depth in range(len(best)):
            ideal += best[depth] / np.log2(depth + 2.0)
            if depth + 1 == len(best) or best[depth + 1] < best[depth]:
                while place < order_starts[user + 1] and position[order[place]] <= depth + 1:
                    dcg += gains[order[place]] / np.log2(position[order[place]] + 1.0)
                    place += 1
                total += dcg / ideal
                n_levels += 1
        if listed[user] > len(best) + 1 and ideal > 0:
            while place < order_starts[user + 1]:
                dcg += gains[order[place]] / np.log2(position[order[place]] + 1.0)
                place += 1
            total += dcg / ideal
            n_levels += 1
        found[user] = total / n_levels if n_levels else 0.0
