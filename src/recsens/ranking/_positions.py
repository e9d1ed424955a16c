"""The positions of the judged items of a block of users."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions, read_only
from recsens.ranking import _kernels
from recsens.ranking._scores import Floats, Scored
from recsens.ranking.targets import ByRating
from recsens.seeds import Stream, initial_state
from recsens.vocabulary import State, Ties

_POLICY = {"high_index": _kernels.HIGH_INDEX, "low_index": _kernels.LOW_INDEX, "random": _kernels.RANDOM}


@dataclass(frozen=True)
class Judging:
    """What every block is judged by: the two sides of the fold, and the order of equal scores."""

    train: Interactions
    test: Interactions
    ties: Ties
    tie_stream: Stream

    def policy(self, users: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], int, np.uint64]:
        """Return what the kernels break ties by: keys of users and items, the policy, and the state of its stream."""
        return self.train.user_keys[users], read_only(self.train.item_keys), _POLICY[self.ties], initial_state(self.tie_stream)


@dataclass(frozen=True)
class _Stands:
    """Where judged items stand, all of shape (n,); 0 where an item is not ranked."""

    above: NDArray[np.int32]
    tied: NDArray[np.int32]
    position: NDArray[np.int32]

    @classmethod
    def nowhere(cls, n: int) -> _Stands:
        return cls(*np.zeros((3, n), dtype=np.int32))


def among_targets(
    scored: Scored, targets: NDArray[np.bool_], users: NDArray[np.int64], judging: Judging
) -> dict[str, NDArray[Any]]:
    """Find the position of each judged item among the targets of its user (AR)."""
    judged = judging.test.matrix
    indptr = judged.indptr[users[0] : users[-1] + 2]
    rows = slice(indptr[0], indptr[-1])
    items, local = judged.indices[rows].astype(np.int32), (indptr - indptr[0]).astype(np.int64)
    stands = _Stands.nowhere(len(items))
    _kernels.locate(
        scored.keys, scored.keys, scored.ordered, local, items, *judging.policy(users), stands.above, stands.tied, stands.position
    )
    row = np.repeat(np.arange(len(users)), np.diff(local))
    ratings = np.full(len(items), np.nan) if judging.test.rating is None else judged.data[rows]
    return _columns(scored, users, row, items, ratings, stands, outside=~targets[row, items])


def among_others(scored: Scored, by_rating: ByRating, users: NDArray[np.int64], judging: Judging) -> dict[str, NDArray[Any]]:
    """Find the position of each relevant item among targets of its own (1R)."""
    keys = np.where(by_rating.pool, scored.keys, -np.inf)
    stands = _Stands.nowhere(len(by_rating.items))
    if by_rating.draw is None and by_rating.strata.n_groups == 1:
        ranked = _locate_in_pool(scored.keys, keys, by_rating, judging.policy(users), stands)
    else:
        ranked = _locate_apart(scored.keys, keys, by_rating, judging.policy(users), stands)
    columns = _columns(scored, users, by_rating.row, by_rating.items, by_rating.rating, stands, outside=~by_rating.is_candidate)
    return {
        **columns,
        "targets": by_rating.sizes.astype(np.int32),
        "ranked": (ranked + (stands.position > 0)).astype(np.int32),
        "percentile": by_rating.groups.astype(np.int32),
    }


def _locate_in_pool(
    scores: Floats, keys: Floats, by_rating: ByRating, policy: tuple[Any, ...], stands: _Stands
) -> NDArray[np.int64]:
    """Rank each item among its user's whole pool; one sort serves all ratings of a user."""
    ordered = np.sort(keys, axis=1)
    _kernels.locate(scores, keys, ordered, by_rating.indptr, by_rating.items, *policy, stands.above, stands.tied, stands.position)
    return np.asarray((ordered != -np.inf).sum(axis=1)[by_rating.row], dtype=np.int64)


def _locate_apart(scores: Floats, keys: Floats, by_rating: ByRating, policy: tuple[Any, ...], stands: _Stands) -> NDArray[np.int64]:
    """Rank each item among the targets drawn for it, or among those of its group."""
    if by_rating.draw is None:
        others, starts = by_rating.strata.members.astype(np.int32), by_rating.strata.starts
        first, last = starts[by_rating.groups], starts[by_rating.groups + 1]
    else:
        drawn = by_rating.draw()
        others, first = drawn.ravel(), np.arange(len(drawn), dtype=np.int64) * drawn.shape[1]
        last = first + drawn.shape[1]
    ranked = np.zeros(len(by_rating.items), dtype=np.int64)
    _kernels.locate_among(
        scores,
        keys,
        by_rating.indptr,
        by_rating.items,
        others,
        first,
        last,
        *policy,
        stands.above,
        stands.tied,
        stands.position,
        ranked,
    )
    return ranked


def _columns(
    scored: Scored,
    users: NDArray[np.int64],
    row: NDArray[np.int64],
    items: NDArray[np.int32],
    ratings: NDArray[np.float64],
    stands: _Stands,
    *,
    outside: NDArray[np.bool_],
) -> dict[str, NDArray[Any]]:
    unranked = stands.position == 0
    filled = scored.filled[row, items]
    states = [State.OUTSIDE_TARGETS, State.NC, State.FILLED]
    return {
        "user": users[row].astype(np.int32),
        "item": items.astype(np.int32),
        "rating": np.ma.masked_array(ratings, np.isnan(ratings)),
        "score": np.ma.masked_array(scored.scores[row, items].astype(np.float64), unranked | filled),
        "above": np.ma.masked_array(stands.above, unranked),
        "tied": np.ma.masked_array(stands.tied, unranked),
        "position": np.ma.masked_array(stands.position, unranked),
        "state": np.select([outside, unranked, filled], states, State.SCORED).astype(np.uint8),
    }
