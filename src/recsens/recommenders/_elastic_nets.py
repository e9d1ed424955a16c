"""Non-negative elastic nets, which express each item's ratings as a sparse weighted sum of other items' ratings."""

from typing import NamedTuple

import numba
import numpy as np

from recsens.recommenders import Floats, Ids, Ints
from recsens.recommenders._compiled import compiled
from recsens.recommenders._rows import Rows

_SHARES = 16
"""Number of portions into which work is divided among threads; the nth requested column is in portion n mod 16."""

_FIRST = 16
"""A round may activate this many weights even if fewer weights are positive."""

UNFINISHED = -1
"""Marks a column that did not converge within the allowed number of sweeps."""


class Penalty(NamedTuple):
    """The penalty on weights, and the precision of the solution.

    Attributes
    ----------
    l1, l2
        λ and β in the penalty λ Σ_i w_i + β / 2 Σ_i w_i².
    tolerance
        Descent stops when the distance of every single weight from its optimum is at most this.
    max_sweeps
        Maximum number of passes over the weights of a column.
    """

    l1: float
    l2: float
    tolerance: float
    max_sweeps: int


@compiled(parallel=True)
def solve_columns(gram: Floats, first: int, penalty: Penalty, weights: Floats, sweeps: Ints) -> None:
    """Find the weights that express each of some items as a weighted sum of all other items.

    Parameters
    ----------
    gram
        G, shape (n_items, n_items).
    first
        The first of the items.
    penalty
        λ, β and when to stop.
    weights
        Receives the weights of item ``first + n`` in row n, shape (number of items, n_items); must contain zeros.
    sweeps
        Receives the number of passes that each item needed, or ``UNFINISHED``.
    """
    for share in numba.prange(_SHARES):
        for nth in range(share, len(weights), _SHARES):
            sweeps[nth] = _solve(gram, first + nth, penalty, weights[nth])


@compiled(parallel=True)
def solve_supported(
    of_items: Rows, n_users: int, indptr: Ints, supports: Ids, first: int, penalty: Penalty, weights: Floats, sweeps: Ints
) -> None:
    """Find the weights that express each of some items as a weighted sum of the items in its support.

    Parameters
    ----------
    of_items
        The ratings, one row per item.
    n_users
        Number of users, which is the number of columns.
    indptr, supports
        Item i may be a sum of ``supports[indptr[i]:indptr[i + 1]]``, in ascending order.
    first
        The first of the items; the length of ``sweeps`` gives their number.
    penalty
        λ, β and when to stop.
    weights
        Receives the weights, in the order of ``supports``; must contain zeros.
    sweeps
        Receives the number of passes that each item needed, or ``UNFINISHED``.
    """
    for share in numba.prange(_SHARES):
        starts = np.empty(n_users + 1, dtype=np.int64)
        for nth in range(share, len(sweeps), _SHARES):
            item = first + nth
            support = supports[indptr[item] : indptr[item + 1]]
            own = len(support)
            members = np.empty(own + 1, dtype=np.int32)
            members[:own] = support
            members[own] = item
            solved = np.zeros(own + 1)
            sweeps[nth] = _solve(_gram_of(of_items, members, starts), own, penalty, solved)
            weights[indptr[item] : indptr[item + 1]] = solved[:own]


@compiled()
def _gram_of(of_items: Rows, members: Ids, starts: Ints) -> Floats:
    """Return the Gram matrix of some items' ratings, summed over users in ascending order."""
    n = len(members)
    indices, values = _by_user(of_items, members, starts)
    gram = np.zeros((n, n))
    for user in range(len(starts) - 1):
        for a in range(starts[user], starts[user + 1]):
            row = gram[indices[a]]
            for b in range(starts[user], a + 1):
                row[indices[b]] += values[a] * values[b]
    for a in range(n):
        for b in range(a):
            gram[b, a] = gram[a, b]
    return gram


@compiled()
def _by_user(of_items: Rows, members: Ids, starts: Ints) -> tuple[Ids, Floats]:
    """Return some items' ratings by user, as indices into ``members`` and values; ``starts`` receives each user's start."""
    starts[:] = 0
    for member in members:
        for entry in range(of_items.indptr[member], of_items.indptr[member + 1]):
            starts[of_items.indices[entry] + 1] += 1
    for user in range(len(starts) - 1):
        starts[user + 1] += starts[user]
    indices = np.empty(starts[-1], dtype=np.int32)
    values = np.empty(starts[-1])
    # Go backwards from the last item; each rating fills its user's last free entry.
    free = starts[1:].copy()
    for index in range(len(members) - 1, -1, -1):
        for entry in range(of_items.indptr[members[index]], of_items.indptr[members[index] + 1]):
            user = of_items.indices[entry]
            free[user] -= 1
            indices[free[user]] = index
            values[free[user]] = of_items.values[entry]
    return indices, values


@compiled()
def _solve(gram: Floats, own: int, penalty: Penalty, weights: Floats) -> int:
    """Minimise ½ wᵀGw - G_own · w + λ Σ w + β / 2 ‖w‖² over w >= 0 with w_own = 0, from w = 0; return the number of sweeps.

    Coordinate descent in rounds. A round checks all weights. It activates the positive weights, and at most as many others, those
    with the highest gains. Then it sweeps over the active weights until no step exceeds a tenth of the longest step at the start of
    the round.
    """
    n = len(gram)
    curvatures = np.empty(n)
    slopes = np.empty(n)
    for i in range(n):
        # The weights of unrated items and of the item itself stay 0.
        curvatures[i] = gram[i, i] + penalty.l2 if gram[i, i] > 0 and i != own else np.inf
        slopes[i] = gram[own, i] - penalty.l1
    gains = np.empty(n)
    sweeps = 0
    while True:
        longest = _look(slopes, curvatures, penalty, weights, gains)
        if longest <= penalty.tolerance:
            return sweeps
        if sweeps >= penalty.max_sweeps:
            return UNFINISHED
        active = _choose(weights, gains)
        sweeps += _descend(gram, active, penalty, 0.1 * longest, penalty.max_sweeps - sweeps, slopes, weights)
        for i in range(n):
            slopes[i] = gram[own, i] - penalty.l1 - penalty.l2 * weights[i]
        for j in active:
            weight = weights[j]
            for i in range(n):
                slopes[i] -= weight * gram[j, i]


@compiled()
def _look(slopes: Floats, curvatures: Floats, penalty: Penalty, weights: Floats, gains: Floats) -> float:
    """Return the longest step of any weight, and set ``gains`` for weights that would change from 0."""
    longest = 0.0
    for i in range(len(slopes)):
        step = max(slopes[i] / curvatures[i], -weights[i])
        longest = max(longest, abs(step))
        gains[i] = slopes[i] * step if weights[i] == 0 and step > penalty.tolerance else 0.0
    return longest


@compiled()
def _choose(weights: Floats, gains: Floats) -> Ints:
    """Return the active weights in ascending order: all positive weights, and the zero weights with the highest gains.

    There are at most as many zero weights as positive ones, or 16 if that is more; equal gains may add a few.
    """
    n, n_positive, n_waiting = len(weights), 0, 0
    for i in range(n):
        n_positive += weights[i] > 0
        n_waiting += gains[i] > 0
    admitted = min(n_waiting, max(n_positive, _FIRST))
    threshold = np.partition(gains, n - admitted)[n - admitted] if admitted > 0 else np.inf
    active = np.empty(n, dtype=np.int64)
    n_active = 0
    for i in range(n):
        if weights[i] > 0 or gains[i] >= threshold:
            active[n_active] = i
            n_active += 1
    return active[:n_active]


@compiled()
def _descend(gram: Floats, active: Ints, penalty: Penalty, tolerance: float, most: int, slopes: Floats, weights: Floats) -> int:
    """Sweep over the active weights until no step exceeds the tolerance, at most ``most`` times; return the number of sweeps."""
    n = len(active)
    local = np.empty((n, n))
    downhill = np.empty(n)
    positive = np.empty(n)
    for a in range(n):
        for b in range(n):
            local[a, b] = gram[active[a], active[b]]
        local[a, a] += penalty.l2
        downhill[a] = slopes[active[a]]
        positive[a] = weights[active[a]]
    sweeps = 0
    longest = np.inf
    while longest > tolerance and sweeps < most:
        longest = 0.0
        for a in range(n):
            step = max(downhill[a] / local[a, a], -positive[a])
            if step != 0:
                positive[a] += step
                longest = max(longest, abs(step))
                for b in range(n):
                    downhill[b] -= step * local[a, b]
        sweeps += 1
    for a in range(n):
        weights[active[a]] = positive[a]
    return sweeps
