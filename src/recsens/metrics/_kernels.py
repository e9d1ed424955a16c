"""Ideal rankings, user by user; every user's gains are one thread's own."""

from __future__ import annotations

import numpy as np
from numba import njit, prange


@njit(cache=True, parallel=True)
def ideal_sums(gains, starts, weights, cutoffs, sums):
    """Fill ``sums[u, c]`` with user u's best gains, weighted by position and summed down to the c-th cut-off.

    The gains of user u are ``gains[starts[u]:starts[u + 1]]``; ``weights[k]`` is what position k + 1 counts.
    """
    for user in prange(len(starts) - 1):
        best = np.sort(gains[starts[user] : starts[user + 1]])[::-1]
        for c in range(len(cutoffs)):
            total = 0.0
            for place in range(min(cutoffs[c], len(best))):
                total += best[place] * weights[place]
            sums[user, c] = total
