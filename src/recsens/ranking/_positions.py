"""Rank the items of a block of users: find judged items' positions, numbers of ranked items, and the first items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import read_only
from recsens.data.interactions import Interactions
from recsens.ranking._blocks import Columns
from recsens.ranking.kernels import JudgedInLayer, Stands, rank_apart, rank_targets
from recsens.ranking.nc import NotComputable
from recsens.ranking.targets import ByRating
from recsens.recommenders import Recommender, ScoredLists
from recsens.score_files.in_lists import ListRows, found_in_lists
from recsens.seeds import Stream, mix_bits
from recsens.vocabulary import State, Ties


class TieKeys(NamedTuple):
    """The inputs from which tie keys are computed, as a tuple that kernels accept."""

    is_random: bool
    """Whether the key of user u and item i is ``mixed(users[u] ^ items[i])``; otherwise it is ``items[i]`` for all users."""
    users: NDArray[np.uint64]
    items: NDArray[np.uint64]

    @classmethod
    def of(cls, ties: Ties, stream: Stream, train: Interactions) -> TieKeys:
        """Collect all users' keys; random keys equal those of `Stream.hashes` for pairs of user and item."""
        if ties == "random":
            return cls(True, stream.hashes(train.user_keys), mix_bits(train.item_keys))
        index = np.arange(train.n_items, dtype=np.uint64)
        return cls(False, np.zeros(train.n_users, dtype=np.uint64), index if ties == "low_index" else ~index)

    def of_users(self, users: NDArray[np.int64]) -> TieKeys:
        """Return these users' keys only."""
        return self._replace(users=self.users[users])


Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Layer:
    """Items that are ranked together for some users, below the items of the layer above.

    Attributes
    ----------
    values
        The values by which items are ranked, shape (n_users, n_items); items with NaN are not ranked.
    wanted
        The items that may be ranked, shape (n_users, n_items).
    """

    values: Floats
    wanted: Bools


@dataclass(frozen=True)
class Scored:
    """The scores of a block of users.

    Attributes
    ----------
    own
        The system's own scores, NaN where it has none, shape (n_users, n_items).
    layers
        The layers, the highest first.
    filled
        The items that the fallback scored, shape (n_users, n_items); None if there are none.
    """

    own: Floats
    layers: Sequence[Layer]
    filled: Bools | None = None


def score(
    recommender: Recommender,
    train: Interactions,
    users: NDArray[np.int64],
    wanted: Bools,
    *,
    nc: NotComputable,
    fallback: Recommender | None,
) -> Scored:
    """Score the requested items; under some policies, the fallback scores the items without a score.

    Raises DesignError if scores are not an array of numbers, have a wrong shape, or are infinite.
    """
    scores = _ask(recommender, train, users, wanted)
    alone = Scored(scores, [Layer(scores, wanted)])
    if fallback is None:
        return alone
    missing = wanted & np.isnan(scores) & nc.fills(train.user_counts)[users, np.newaxis]
    if not missing.any():
        return alone
    # Copy, because a recommender may reuse its array in the next call, and two recommenders of a class may share an array.
    scores = read_only(scores.copy())
    # Score all users of the block, because a matrix product may depend on their number.
    others = _ask(fallback, train, users, wanted if nc.merges else missing)
    filled = missing & ~np.isnan(others)
    if nc.merges:
        merged = np.where(filled, nc.converted(scores, others, wanted), scores)
        return Scored(scores, [Layer(read_only(merged), wanted)], filled)
    return Scored(scores, [Layer(scores, wanted), Layer(others, filled)], filled)


def _ask(recommender: Recommender, train: Interactions, users: NDArray[np.int64], wanted: Bools) -> Floats:
    scores: NDArray[np.floating] = recommender.score_targets(train, users, wanted)
    # Convert single precision too: order and ties stay the same, and the kernels support only one type.
    return read_only(scores.astype(np.float64, copy=False))


Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Judging:
    """Inputs that all blocks share: the fold's train and test sets, and the tie keys."""

    train: Interactions
    test: Interactions
    ties: TieKeys


@dataclass(frozen=True)
class RankedBlock:
    """Results of ranking a block of users.

    Attributes
    ----------
    positions
        The columns about judged items.
    ranked
        The number of targets ranked for each user, shape (n_users,).
    filled
        The number of targets that the fallback scored for each user, shape (n_users,).
    lists
        The columns about the first items of each ranking.
    """

    positions: Columns
    ranked: Ints
    filled: Ints
    lists: Columns


def among_targets(scored: Scored, targets: Bools, users: Ints, judging: Judging, depth: int) -> RankedBlock:
    """Find each judged item's position among its user's targets (AR), and the top of each ranking."""
    asked, ratings = _judged_items(users, judging)
    stands, ranked, heads = _rank_layers(scored.layers, targets, asked, judging.ties.of_users(users), depth)
    columns = _position_columns(users, asked, ratings, stands, *_own(scored, asked), outside=~targets[asked.row, asked.items])
    row, place = _row_and_place(ranked, depth)
    items = heads[row, place]
    # An item that the fallback ranked has no score here.
    lists = _list_columns(users[row], place, items, scored.own[row, items])
    return RankedBlock(columns, ranked, _n_filled(scored, targets), lists)


def rank_among_listed(listed: ScoredLists, targets: Bools, users: Ints, judging: Judging, depth: int) -> RankedBlock:
    """Find the same results as `among_targets`, given all scores as lists that name few items."""
    asked, ratings = _judged_items(users, judging)
    is_target = targets[listed.row, listed.items]
    row, items, scores = listed.row[is_target], listed.items[is_target], listed.scores[is_target]
    ranked, ties = np.bincount(row, minlength=len(users)), judging.ties.of_users(users)
    starts = np.concatenate([[0], np.cumsum(ranked)])
    keys = mix_bits(ties.users[row] ^ ties.items[items]) if ties.is_random else ties.items
    lists = ListRows(np.zeros(0, dtype=np.int64), starts, items, scores, keys, are_of_items=not ties.is_random)
    found = found_in_lists(lists, targets.shape[1], np.arange(len(users)), asked.indptr, asked.items, depth)
    assert found.repeated is None, "readers of files refuse repeated pairs"
    above, tied, position, at = found.places
    own, is_unranked = np.full(len(at), np.nan), position == 0
    own[~is_unranked] = scores[at[~is_unranked]]
    stands = Stands(*(each.astype(np.int32) for each in (above, tied, position)))
    outside = ~targets[asked.row, asked.items]
    columns = _position_columns(users, asked, ratings, stands, own, np.zeros_like(is_unranked), outside=outside)
    head_row, place = _row_and_place(ranked, depth)
    heads = found.heads[head_row, place]
    return RankedBlock(columns, ranked, np.zeros_like(ranked), _list_columns(users[head_row], place, items[heads], scores[heads]))


def rank_among_others(scored: Scored, by_rating: ByRating, users: Ints, judging: Judging) -> RankedBlock:
    """Find each relevant item's position among its own targets (1R). The result does not contain rankings' first items."""
    asked, ties = _JudgedItems(by_rating.indptr.astype(np.int64), by_rating.items.astype(np.int32)), judging.ties.of_users(users)
    if by_rating.draw is None and by_rating.strata.n_groups == 1:
        stands, ranked, _ = _rank_layers(scored.layers, by_rating.pool, asked, ties, 0)
        beside = ranked[asked.row]
    else:
        stands, beside = _rank_apart(scored.layers, by_rating, asked, ties)
        ranked = _rank_layers(scored.layers, by_rating.pool, _JudgedItems.none_judged(len(users)), ties, 0)[1]
    columns = _position_columns(users, asked, by_rating.rating, stands, *_own(scored, asked), outside=~by_rating.is_candidate)
    more = {"targets": by_rating.sizes, "ranked": beside + (stands.position > 0), "percentile": by_rating.groups}
    columns |= {name: column.astype(np.int32) for name, column in more.items()}
    nothing = np.zeros(0, dtype=np.int64)
    lists = _list_columns(nothing, nothing, nothing.astype(np.int32), np.zeros(0))
    return RankedBlock(columns, ranked, _n_filled(scored, by_rating.pool), lists)


@dataclass(frozen=True)
class _JudgedItems:
    """Judged items of a block; user b has the items ``items[indptr[b]:indptr[b + 1]]``."""

    indptr: Ints
    items: NDArray[np.int32]

    @classmethod
    def none_judged(cls, n_users: int) -> _JudgedItems:
        return cls(np.zeros(n_users + 1, dtype=np.int64), np.zeros(0, dtype=np.int32))

    @property
    def row(self) -> Ints:
        """User of each item, as an index into the block."""
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))

    def of(self, layer: Layer) -> JudgedInLayer:
        """Return the items, for a kernel that ranks a layer."""
        return JudgedInLayer(self.indptr, self.items, layer.wanted[self.row, self.items])

    def no_positions(self) -> Stands:
        """Return empty arrays for the items' positions."""
        return Stands(*np.zeros((3, len(self.items)), dtype=np.int32))


def _judged_items(users: Ints, judging: Judging) -> tuple[_JudgedItems, NDArray[np.float64]]:
    """Return the judged items of a block, and their ratings, which are NaN if the data have no ratings."""
    judged = judging.test.matrix
    indptr = judged.indptr[users[0] : users[-1] + 2]
    rows = slice(indptr[0], indptr[-1])
    asked = _JudgedItems((indptr - indptr[0]).astype(np.int64), judged.indices[rows].astype(np.int32))
    return asked, np.full(len(asked.items), np.nan) if judging.test.rating is None else judged.data[rows]


def _rank_layers(
    layers: Sequence[Layer], targets: Bools, asked: _JudgedItems, ties: TieKeys, depth: int
) -> tuple[Stands, Ints, NDArray[np.int32]]:
    """Rank the targets layer by layer, and return judged items' positions, numbers of ranked targets, and the first items."""
    stands, ranked = asked.no_positions(), np.zeros(len(targets), dtype=np.int64)
    heads = np.empty((len(targets), depth), dtype=np.int32)
    for layer in layers:
        rank_targets(layer.values, layer.wanted & targets, asked.of(layer), ties, stands, ranked, heads)
    return stands, ranked, heads


def _rank_apart(layers: Sequence[Layer], by_rating: ByRating, asked: _JudgedItems, ties: TieKeys) -> tuple[Stands, Ints]:
    """Rank each item among the targets drawn for it or in its group; return its position and the number of other ranked items."""
    if by_rating.draw is None:
        others, starts = by_rating.strata.members.astype(np.int32), by_rating.strata.starts
        first, last = starts[by_rating.groups], starts[by_rating.groups + 1]
    else:
        drawn = by_rating.draw()
        others, first = drawn.ravel(), np.arange(len(drawn), dtype=np.int64) * drawn.shape[1]
        last = first + drawn.shape[1]
    stands, beside = asked.no_positions(), np.zeros(len(asked.items), dtype=np.int64)
    for layer in layers:
        rank_apart(layer.values, layer.wanted & by_rating.pool, asked.of(layer), others, first, last, ties, stands, beside)
    return stands, beside


def _own(scored: Scored, asked: _JudgedItems) -> tuple[NDArray[np.float64], Bools]:
    """Return the recommender's own scores of judged items, and whether the fallback ranked each item."""
    row, items = asked.row, asked.items
    is_filled = np.zeros(len(items), dtype=np.bool_) if scored.filled is None else scored.filled[row, items]
    return scored.own[row, items], is_filled


def _n_filled(scored: Scored, targets: Bools) -> Ints:
    """Count the targets of each user that the fallback ranked."""
    if scored.filled is None:
        return np.zeros(len(targets), np.int64)
    return np.asarray(np.count_nonzero(targets & scored.filled, axis=1))


def _row_and_place(ranked: Ints, depth: int) -> tuple[Ints, Ints]:
    """For each of the first items of rankings, return the user, as an index into the block, and the place, from 0."""
    row, place = np.nonzero(np.arange(depth) < ranked[:, np.newaxis])
    return row, place


def _list_columns(users: Ints, places: Ints, items: NDArray[np.int32], scores: NDArray[np.float64]) -> Columns:
    return {"user": users.astype(np.int32), "rank": (places + 1).astype(np.int32), "item": items, "score": scores}


def _position_columns(
    users: Ints,
    asked: _JudgedItems,
    ratings: NDArray[np.float64],
    stands: Stands,
    scores: NDArray[np.float64],
    filled: Bools,
    *,
    outside: Bools,
) -> Columns:
    row, items, unranked = asked.row, asked.items, stands.position == 0
    states = [State.OUTSIDE_TARGETS, State.NC, State.FILLED]
    columns: dict[str, NDArray[Any]] = {
        "user": users[row].astype(np.int32),
        "item": items,
        "rating": np.ma.masked_array(ratings, np.isnan(ratings)),
        "score": np.ma.masked_array(scores, unranked | filled),
        "above": np.ma.masked_array(stands.above, unranked),
        "tied": np.ma.masked_array(stands.tied, unranked),
        "position": np.ma.masked_array(stands.position, unranked),
        "state": np.select([outside, unranked, filled], states, State.SCORED).astype(np.uint8),
    }
    return columns
