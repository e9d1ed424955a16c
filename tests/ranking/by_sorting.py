"""Rankings by sorting every row: the slow definition of what `recsens.ranking.rank` computes by counting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from recsens.data.interactions import Interactions
from recsens.ranking import Rankings, user_blocks
from recsens.seeds import Stream
from recsens.vocabulary import State


@dataclass(frozen=True)
class Scored:
    """The scores of a block of users: the system's own, those that rank items (-inf: not ranked), and which are filled in."""

    own: np.ndarray
    keys: np.ndarray
    filled: np.ndarray


@dataclass(frozen=True)
class Order:
    """The order of equal scores: of two items, the one with the lower key goes first."""

    ties: str
    stream: Stream
    train: Interactions

    def of(self, users: np.ndarray) -> np.ndarray:
        """Return the keys of all items for each user."""
        if self.ties == "random":
            return self.stream.hashes(self.train.user_keys[users][:, np.newaxis], self.train.item_keys)
        index = np.arange(self.train.n_items)
        return np.tile(index if self.ties == "low_index" else -index, (len(users), 1))


def rank_by_sorting(
    recommender, train, test, *, targets, relevance, ties, nc, fallback, list_depth, tie_stream, target_stream
) -> Rankings:
    """Rank as `recsens.ranking.rank` does."""
    order, parts = Order(ties, tie_stream, train), []
    for users in user_blocks(train.n_users):
        chosen = (train, test, users, relevance, target_stream)
        if targets.unit == "rating":
            by_rating = targets.by_rating(*chosen)
            pool, depth = by_rating.pool, 0
            wanted = pool.copy()
            wanted[by_rating.row[by_rating.is_candidate], by_rating.items[by_rating.is_candidate]] = True
            scored = score(recommender, train, users, wanted, nc, fallback)
            positions = among_others(scored, by_rating, users, order)
        else:
            pool, depth = targets.mask(*chosen), list_depth
            scored = score(recommender, train, users, pool, nc, fallback)
            positions = among_targets(scored, pool, users, test, order)
        counts = {
            "train": train.user_counts[users],
            "test": test.user_counts[users],
            "targets": pool.sum(axis=1),
            "scored": (pool & (scored.keys != -np.inf)).sum(axis=1),
            "filled": (pool & scored.filled).sum(axis=1),
        }
        parts.append(
            (positions, {name: each.astype(np.int32) for name, each in counts.items()}, lists(scored, users, depth, order))
        )
    return Rankings(*({name: joined([part[i][name] for part in parts]) for name in parts[0][i]} for i in range(3)))


def score(recommender, train, users, wanted, nc, fallback) -> Scored:
    """Score a block of users; if items are filled in, ranks on a joint scale replace the scores."""
    own = recommender.score(train, users).astype(np.float64)
    keys = np.where(wanted & ~np.isnan(own), own, -np.inf)
    filled = np.zeros_like(wanted)
    if fallback is not None:
        others = fallback.score(train, users).astype(np.float64)
        filled = wanted & np.isnan(own) & nc.fills(train.user_counts)[users, np.newaxis] & ~np.isnan(others)
        if nc.merges:
            keys = np.where(filled, nc.converted(own, others, wanted), keys)
            return Scored(own, keys, filled)
        for row, lower, values in zip(keys, filled, others, strict=True):
            upper = row != -np.inf
            row[upper] = np.unique(row[upper], return_inverse=True)[1]
            row[lower] = -1 - np.unique(-values[lower], return_inverse=True)[1]
    return Scored(own, keys, filled)


def among_targets(scored: Scored, targets: np.ndarray, users: np.ndarray, test: Interactions, order: Order) -> dict[str, Any]:
    """Find each judged item among the targets of its user."""
    judged = test.matrix[users]
    row, items = np.repeat(np.arange(len(users)), np.diff(judged.indptr)), judged.indices.astype(np.int32)
    first = order.of(users)
    stands = [stand(scored.keys[b, item], scored.keys[b], item, first[b]) for b, item in zip(row, items, strict=True)]
    ratings = np.full(len(items), np.nan) if test.rating is None else judged.data
    return columns(scored, users, row, items, ratings, stands, ~targets[row, items])


def among_others(scored: Scored, by_rating, users: np.ndarray, order: Order) -> dict[str, Any]:
    """Find each relevant item among its own targets."""
    drawn = None if by_rating.draw is None else by_rating.draw()
    stands, ranked, first = [], [], order.of(users)
    for j, (b, item) in enumerate(zip(by_rating.row, by_rating.items, strict=True)):
        among = by_rating.pool[b] & (by_rating.strata.of == by_rating.groups[j])
        if drawn is not None:
            among &= np.isin(np.arange(len(among)), drawn[j])
        keys = np.where(among, scored.keys[b], -np.inf)
        stands.append(stand(scored.keys[b, item], keys, item, first[b]))
        ranked.append((np.delete(keys, item) != -np.inf).sum() + (stands[-1][2] > 0))
    found = columns(scored, users, by_rating.row, by_rating.items, by_rating.rating, stands, ~by_rating.is_candidate)
    more = {"targets": by_rating.sizes, "ranked": ranked, "percentile": by_rating.groups}
    return {**found, **{name: np.asarray(column, dtype=np.int32) for name, column in more.items()}}


def stand(score: float, keys: np.ndarray, item: int, first: np.ndarray) -> tuple[int, int, int]:
    """Return how many items of a row have a higher score, how many others the same, and the position."""
    if score == -np.inf:
        return 0, 0, 0
    above, tied = int((keys > score).sum()), keys == score
    tied[item] = False
    return above, int(tied.sum()), above + 1 + int((first[tied] < first[item]).sum())


def columns(scored: Scored, users, row, items, ratings, stands, outside) -> dict[str, Any]:
    """Return the results as columns."""
    above, tied, position = np.array(stands, dtype=np.int32).reshape(-1, 3).T
    unranked, filled = position == 0, scored.filled[row, items]
    states = [State.OUTSIDE_TARGETS, State.NC, State.FILLED]
    return {
        "user": users[row].astype(np.int32),
        "item": items,
        "rating": np.ma.masked_array(ratings, np.isnan(ratings)),
        "score": np.ma.masked_array(scored.own[row, items], unranked | filled),
        "above": np.ma.masked_array(above, unranked),
        "tied": np.ma.masked_array(tied, unranked),
        "position": np.ma.masked_array(position, unranked),
        "state": np.select([outside, unranked, filled], states, State.SCORED).astype(np.uint8),
    }


def lists(scored: Scored, users: np.ndarray, depth: int, order: Order) -> dict[str, Any]:
    """Sort every row, and keep its beginning."""
    heads = []
    for row, first in zip(scored.keys, order.of(users), strict=True):
        best_first = np.lexsort((first, -row))
        heads.append(best_first[: min(depth, (row != -np.inf).sum())])
    row, items = np.repeat(np.arange(len(users)), list(map(len, heads))), np.concatenate(heads)
    return {
        "user": users[row].astype(np.int32),
        "rank": np.concatenate([np.arange(len(head), dtype=np.int32) + 1 for head in heads]),
        "item": items.astype(np.int32),
        "score": scored.own[row, items],
    }


def joined(parts: list) -> np.ndarray:
    masked = any(isinstance(part, np.ma.MaskedArray) for part in parts)
    return np.ma.concatenate(parts) if masked else np.concatenate(parts)
