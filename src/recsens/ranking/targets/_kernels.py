"""Draw samples of non-relevant items. Larger samples contain smaller ones. The order and the blocks of users do not matter."""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from recsens.arrays import read_only
from recsens.compiled.machine_code import njit
from recsens.compiled.random_bits import mix_bits, uniform_below
from recsens.ranking.targets._base import Strata
from recsens.seeds import Stream, initial_state

PATIENCE = 4
"""Draws with rejection end after this multiple of the number of items; the remaining items are then drawn all at once."""


@njit()
def _draw_by_race(state, members, pool, taken, mark, weights, item_keys, drawn, n_found):
    """Fill the rest of ``drawn`` by a race: item i finishes after an exponential time with rate w_i; the first items are taken.

    The order in which items finish has the same distribution as successive draws by weight without replacement (Efraimidis and
    Spirakis 2006). Therefore the race can follow draws with rejection.
    """
    left = np.empty(len(members), dtype=np.int64)
    n_left = 0
    for item in members:
        if pool[item] and taken[item] != mark:
            left[n_left] = item
            n_left += 1
    times = np.empty(n_left)
    base = mix_bits(state ^ mix_bits(np.uint64(0x8000000000000000)))
    for index in range(n_left):
        bits = mix_bits(base ^ mix_bits(np.uint64(item_keys[left[index]])))
        times[index] = -np.log((np.float64(bits >> np.uint64(11)) + 0.5) / 9007199254740992.0) / weights[left[index]]
    order = np.argsort(times)
    for index in range(min(n_left, len(drawn) - n_found)):
        drawn[n_found + index] = left[order[index]]


@njit()
def _draw_one(state, members, cumulative, guide, pool, taken, mark, weights, item_keys, items):
    """Fill ``items`` with distinct items of the pool: every random number derived from ``state`` proposes a candidate.

    ``guide`` gives the index in ``cumulative`` at which the search for a number starts.
    """
    before = cumulative[0]
    total = cumulative[-1] - before
    n_found = 0
    if total > 0:
        for t in range(PATIENCE * len(members)):
            bits = mix_bits(state ^ mix_bits(np.uint64(t)))
            drawn = uniform_below(bits, total)
            index = guide[uniform_below(bits, len(members))]
            while cumulative[index + 1] - before <= drawn:
                index += 1
            item = members[index]
            if pool[item] and taken[item] != mark:
                taken[item] = mark
                items[n_found] = item
                n_found += 1
                if n_found == len(items):
                    return
    _draw_by_race(state, members, pool, taken, mark, weights, item_keys, items, n_found)


@njit()
def _guide_table(cumulative):
    """Split the total weight of n members into n equal parts; return, for each part, the first member that may be in it."""
    n = len(cumulative) - 1
    guide = np.zeros(n, dtype=np.int64)
    index = 0
    for k in range(n):
        while (cumulative[index + 1] - cumulative[0]) * n <= k * (cumulative[-1] - cumulative[0]):
            index += 1
        guide[k] = index
    return guide


@njit(parallel=True)
def draw(pool, indptr, groups, members, starts, cumulative, weights, user_keys, item_keys, rating_keys, per_rating, start, items):
    """Fill ``items[j]`` with the items drawn for rating j, or -1 where no item is left.

    ``pool[b]`` says which items may be drawn for user b, whose ratings are ``indptr[b]:indptr[b + 1]``. Rating j draws from group g
    = ``groups[j]``, which has the items ``members[starts[g]:starts[g + 1]]``. ``cumulative`` contains the cumulative weights of all
    ``members``, preceded by a zero. A draw is a hash of the user, a counter and, if ``per_rating``, ``rating_keys[j]``.
    """
    guides = np.empty(len(members), dtype=np.int64)
    for group in range(len(starts) - 1):
        guides[starts[group] : starts[group + 1]] = _guide_table(cumulative[starts[group] : starts[group + 1] + 1])
    for b in prange(pool.shape[0]):
        taken = np.full(pool.shape[1], -1, dtype=np.int64)
        for j in range(indptr[b], indptr[b + 1]):
            items[j, :] = -1
            if not per_rating and j > indptr[b] and groups[j] == groups[j - 1]:
                items[j, :] = items[j - 1, :]
                continue
            state = mix_bits(start ^ mix_bits(np.uint64(user_keys[b])))
            if per_rating:
                state = mix_bits(state ^ mix_bits(np.uint64(rating_keys[j])))
            first, last = starts[groups[j]], starts[groups[j] + 1]
            sums = cumulative[first : last + 1]
            _draw_one(state, members[first:last], sums, guides[first:last], pool[b], taken, j, weights, item_keys, items[j])


def draw_for_users(
    pool: NDArray[np.bool_],
    strata: Strata,
    n: int,
    *,
    user_keys: NDArray[np.int64],
    item_keys: NDArray[np.int64],
    stream: Stream,
) -> NDArray[np.int32]:
    """Draw ``n`` items from each row of ``pool``, shape (n_users, at most n); -1 where no item is left.

    `draw_for_ratings` draws the same items for every rating if draws are not fresh and there is only one group.
    """
    each = np.arange(len(pool) + 1)
    nothing = np.zeros(len(pool), dtype=np.int64)
    return draw_for_ratings(
        pool, strata, n, indptr=each, items=nothing, fresh=False, user_keys=user_keys, item_keys=item_keys, stream=stream
    )


def draw_for_ratings(
    pool: NDArray[np.bool_],
    strata: Strata,
    n: int,
    *,
    indptr: NDArray[np.int64],
    items: NDArray[np.integer],
    fresh: bool,
    user_keys: NDArray[np.int64],
    item_keys: NDArray[np.int64],
    stream: Stream,
) -> NDArray[np.int32]:
    """Draw ``n`` items for each rating, one after another and without replacement, with the weights in ``strata``.

    Parameters
    ----------
    pool
        Items that may be drawn for each user of a block, shape (n_users, n_items).
    strata
        Groups and weights; a rating draws within the group of its item.
    n
        Number of items to draw, >= 1. With a smaller ``n``, the result is the beginning of the same draw.
    indptr, items
        The items rated by user b of the block are ``items[indptr[b]:indptr[b + 1]]``.
    fresh
        Whether each rating has its own draw; otherwise a user's ratings in the same group share one draw.
    user_keys, item_keys
        Keys of the block's users and of all items.
    stream
        Source of the draws.

    Returns
    -------
    numpy.ndarray
        Items in the order drawn, shape (n_ratings, at most n); -1 where no item is left.
    """
    drawn = np.full((len(items), min(n, int(strata.sizes.max(initial=0)))), -1, dtype=np.int32)
    cumulative = np.concatenate([[0], np.cumsum(strata.weights[strata.members])]).astype(np.int64)
    draw(
        np.ascontiguousarray(pool),
        np.asarray(indptr, dtype=np.int64),
        strata.of[items],
        strata.members,
        strata.starts,
        cumulative,
        strata.weights,
        np.ascontiguousarray(user_keys),
        read_only(item_keys),
        np.ascontiguousarray(item_keys[items]),
        fresh,
        initial_state(stream),
        drawn,
    )
    return drawn
