"""Walk blocks of users, ask for scores, note positions, cut lists, forget the block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DesignError
from recsens.interactions import Interactions
from recsens.ranking import _kernels
from recsens.recommenders import Recommender
from recsens.seeds import Stream, initial_state
from recsens.targets import Targets
from recsens.vocabulary import State, Ties

BLOCK = 512
"""Users scored at a time: a constant, since results of matrix products may depend on the height of the block."""

_POLICY = {"high_index": _kernels.HIGH_INDEX, "low_index": _kernels.LOW_INDEX, "random": _kernels.RANDOM}


@dataclass(frozen=True)
class Rankings:
    """Where the judged items stand, and the top of every ranking.

    Attributes
    ----------
    positions
        Columns of `recsens.tables.POSITIONS`, one row a user and judged item, by user and item; masked where not ranked.
    users
        Columns of `recsens.tables.RANKED_USERS`, one row a user.
    lists
        Columns of `recsens.tables.LISTS`, by user and rank.
    """

    positions: dict[str, NDArray[Any]]
    users: dict[str, NDArray[Any]]
    lists: dict[str, NDArray[Any]]


def rank(
    recommender: Recommender,
    train: Interactions,
    test: Interactions,
    *,
    targets: Targets,
    ties: Ties,
    list_depth: int,
    tie_stream: Stream,
    target_stream: Stream,
) -> Rankings:
    """Rank the targets of every user and note where the judged items stand.

    Memory is bounded by a block of users times the number of items. Items without a score are left out of the ranking (B2: drop).

    Parameters
    ----------
    recommender
        Fitted on ``train``.
    train, test
        The two sides of a fold.
    targets
        What is ranked for each user.
    ties
        Order of equal scores; ``random`` draws it for each pair of user and item from ``tie_stream``.
    list_depth
        Length of the lists kept.
    tie_stream, target_stream
        Sources of the random order of ties, and of targets that are sampled.

    Raises
    ------
    DesignError
        If the recommender's scores are not an array of numbers, of another shape, or infinite.
    """
    starts = range(BLOCK, train.n_users, BLOCK)
    parts = [
        _Block(recommender, train, test, targets, ties, list_depth, tie_stream, target_stream, users).rank()
        for users in np.split(np.arange(train.n_users), starts)
    ]
    return Rankings(*({name: _joined([part[i][name] for part in parts]) for name in parts[0][i]} for i in range(3)))


@dataclass(frozen=True)
class _Block:
    """The rankings of some consecutive users."""

    recommender: Recommender
    train: Interactions
    test: Interactions
    targets: Targets
    ties: Ties
    list_depth: int
    tie_stream: Stream
    target_stream: Stream
    users: NDArray[np.int64]

    def rank(self) -> tuple[dict[str, NDArray[Any]], ...]:
        """Return the block's positions, users and lists."""
        wanted = self.targets.mask(self.train, self.test, self.users, self.target_stream)
        scores = self._scores(wanted)
        ordered = np.sort(scores, axis=1)
        scored = (ordered != -np.inf).sum(axis=1)
        counts = {
            "train": self.train.user_counts[self.users],
            "test": self.test.user_counts[self.users],
            "targets": wanted.sum(axis=1),
            "scored": scored,
        }
        return self._positions(scores, ordered, wanted), counts, self._lists(scores, ordered, scored)

    def _scores(self, wanted: NDArray[np.bool_]) -> NDArray[np.floating[Any]]:
        """Scores of the ranked items, -inf elsewhere."""
        scores = self.recommender.score(self.train, self.users)
        if not isinstance(scores, np.ndarray) or scores.dtype.kind not in "fiu":
            found = f"an array of {scores.dtype}" if isinstance(scores, np.ndarray) else type(scores).__name__
            raise DesignError(f"'{self.recommender.spec}' returned {found} as scores", allowed="a numpy array of numbers")
        if scores.shape != wanted.shape:
            raise DesignError(f"'{self.recommender.spec}' returned scores of shape {scores.shape}", allowed=f"shape {wanted.shape}")
        if np.isinf(scores).any():
            raise DesignError(
                f"'{self.recommender.spec}' returned an infinite score", allowed="finite numbers, NaN where not computable"
            )
        return np.where(wanted & ~np.isnan(scores), scores, -np.inf)

    def _positions(
        self, scores: NDArray[np.floating[Any]], ordered: NDArray[np.floating[Any]], wanted: NDArray[np.bool_]
    ) -> dict[str, NDArray[Any]]:
        judged = self.test.matrix
        indptr = judged.indptr[self.users[0] : self.users[-1] + 2]
        rows = slice(indptr[0], indptr[-1])
        items, local = judged.indices[rows], indptr - indptr[0]
        above, tied, position = np.zeros((3, len(items)), dtype=np.int32)
        _kernels.locate(
            scores,
            ordered,
            local,
            items,
            self.train.user_keys[self.users],
            self.train.item_keys,
            _POLICY[self.ties],
            initial_state(self.tie_stream),
            above,
            tied,
            position,
        )
        row = np.repeat(np.arange(len(self.users)), np.diff(local))
        unranked = position == 0
        outside = ~wanted[row, items]
        ratings = np.full(len(items), np.nan) if self.test.rating is None else judged.data[rows]
        return {
            "user": self.users[row].astype(np.int32),
            "item": items.astype(np.int32),
            "rating": np.ma.masked_array(ratings, np.isnan(ratings)),
            "score": np.ma.masked_array(scores[row, items].astype(np.float64), unranked),
            "above": np.ma.masked_array(above, unranked),
            "tied": np.ma.masked_array(tied, unranked),
            "position": np.ma.masked_array(position, unranked),
            "state": np.select([outside, unranked], [State.OUTSIDE_TARGETS, State.NC], State.SCORED).astype(np.uint8),
        }

    def _lists(
        self, scores: NDArray[np.floating[Any]], ordered: NDArray[np.floating[Any]], scored: NDArray[np.int64]
    ) -> dict[str, NDArray[Any]]:
        lengths = np.minimum(scored, self.list_depth)
        items = np.concatenate([self._head(b, scores[b], ordered[b], lengths[b]) for b in range(len(self.users))])
        rows = np.repeat(np.arange(len(self.users)), lengths)
        starts = np.cumsum(lengths) - lengths
        return {
            "user": self.users[rows].astype(np.int32),
            "rank": (np.arange(len(rows)) - starts[rows] + 1).astype(np.int32),
            "item": items.astype(np.int32),
            "score": scores[rows, items].astype(np.float64),
        }

    def _head(
        self, b: int, row: NDArray[np.floating[Any]], sorted_row: NDArray[np.floating[Any]], length: int
    ) -> NDArray[np.int64]:
        """Return the first ``length`` items of one ranking; all that tie with the last are candidates."""
        if length == 0:
            return np.empty(0, dtype=np.int64)
        candidates = np.flatnonzero(row >= sorted_row[-length])
        order: NDArray[Any] = candidates if self.ties == "low_index" else -candidates
        if self.ties == "random":
            order = self.tie_stream.hashes(self.train.user_keys[self.users[b]], self.train.item_keys[candidates])
        return candidates[np.lexsort((order, -row[candidates]))[:length]]


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    if any(isinstance(part, np.ma.MaskedArray) for part in parts):
        joined: NDArray[Any] = np.ma.concatenate(parts)  # type: ignore[no-untyped-call]
        return joined
    return np.concatenate(parts)
