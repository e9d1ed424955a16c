"""Draw samples of non-relevant items. Larger samples contain smaller ones. The order and the blocks of users do not matter."""

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import read_only
from recsens.ranking.targets import _kernels
from recsens.ranking.targets._strata import Strata
from recsens.seeds import Stream, initial_state


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
    _kernels.draw(
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
