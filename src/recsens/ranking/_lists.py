"""The heads of the rankings of a block of users."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.ranking._positions import Judging
from recsens.ranking._scores import Scored


def heads(scored: Scored, users: NDArray[np.int64], depth: int, judging: Judging) -> dict[str, NDArray[Any]]:
    """Cut every ranking at a depth; a filled-in item has no score."""
    lengths = np.minimum((scored.keys != -np.inf).sum(axis=1), depth)
    items = np.concatenate([_head(scored, b, lengths[b], users[b], judging) for b in range(len(users))])
    rows = np.repeat(np.arange(len(users)), lengths)
    starts = np.cumsum(lengths) - lengths
    return {
        "user": users[rows].astype(np.int32),
        "rank": (np.arange(len(rows)) - starts[rows] + 1).astype(np.int32),
        "item": items.astype(np.int32),
        "score": scored.scores[rows, items].astype(np.float64),
    }


def _head(scored: Scored, b: int, length: int, user: np.int64, judging: Judging) -> NDArray[np.int64]:
    """Return the first ``length`` items of one ranking; all items tied with the last are candidates."""
    if length == 0:
        return np.empty(0, dtype=np.int64)
    row = scored.keys[b]
    # The rows are already sorted for the positions: selecting anew would take as long again, and far longer with many ties.
    candidates = np.flatnonzero(row >= scored.ordered[b, -length])
    order: NDArray[Any] = candidates if judging.ties == "low_index" else -candidates
    if judging.ties == "random":
        order = judging.tie_stream.hashes(judging.train.user_keys[user], judging.train.item_keys[candidates])
    return candidates[np.lexsort((order, -row[candidates]))[:length]]
