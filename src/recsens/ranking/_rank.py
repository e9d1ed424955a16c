"""The loop over blocks of users: score a block, find positions, cut lists, and free the block."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.ranking._blocks import Columns, Rankings, divide_users, user_blocks
from recsens.ranking._positions import Judging, RankedBlock, TieKeys, among_targets, rank_among_listed, rank_among_others, score
from recsens.ranking.nc import NotComputable
from recsens.ranking.targets import Targets
from recsens.recommenders import Recommender
from recsens.seeds import Stream
from recsens.vocabulary import Ties


def rank(
    recommender: Recommender,
    train: Interactions,
    test: Interactions,
    *,
    targets: Targets,
    relevance: float,
    ties: Ties,
    nc: NotComputable,
    fallback: Recommender | None,
    list_depth: int,
    tie_stream: Stream,
    target_stream: Stream,
    known: Interactions | None = None,
    users: NDArray[np.int64] | None = None,
) -> Rankings:
    """Rank every user's targets, and find the positions of judged items.

    Memory grows with the number of users in a block times the number of items, and with the size of the result.

    Raises DesignError if a recommender's scores are not an array of numbers, have a wrong shape, or are infinite. Raises DataError
    if scores come from a file that covers too few users of the test set.

    Parameters
    ----------
    recommender
        The recommender, fitted on ``train``.
    train, test
        The train and test sets of a fold.
    targets
        The choice of the items to rank for each user, or for each relevant test rating.
    relevance
        The lowest relevant rating; only the choice of targets depends on it.
    ties
        Order of equal scores; ``random`` draws it from ``tie_stream`` for each pair of a user and an item.
    nc
        The policy that decides for which users ``fallback`` ranks items without a score, below all scored items or among them; for
        other users, such items are left out.
    fallback
        The recommender that ``nc`` names, fitted on ``train``; None if ``nc`` names no recommender.
    list_depth
        Length of the lists in the result.
    tie_stream, target_stream
        Uncertainty of the random order of ties, and of sampled targets.
    known
        Ratings known before the test, such as train and validation ratings. They replace ``train`` in the choice of targets; items
        with validation ratings are then not targets either.
    users
        The users whose targets are ranked, in whole blocks, such as one of the `stretches`; all by default. A user's results do not
        depend on this choice.
    """
    for asked in (recommender, fallback):
        if asked is not None:
            asked.check_judged(train, test.user_counts > 0)
    judging = Judging(train, test, TieKeys.of(ties, tie_stream, train))
    parts = []
    for block in user_blocks(train.n_users) if users is None else divide_users(users):
        chosen = (train if known is None else known, test, block, relevance, target_stream)
        if targets.unit == "rating":
            by_rating = targets.by_rating(*chosen)
            # A rated item needs a score too, even though it is not a target for the user's other ratings.
            is_target, wanted = by_rating.pool, by_rating.pool.copy()
            wanted[by_rating.row[by_rating.is_candidate], by_rating.items[by_rating.is_candidate]] = True
            scored = score(recommender, train, block, wanted, nc=nc, fallback=fallback)
            found = rank_among_others(scored, by_rating, block, judging)
        else:
            is_target = targets.mask(*chosen)
            lists = recommender.scored_lists(train, block) if fallback is None else None
            if lists is None:
                scored = score(recommender, train, block, is_target, nc=nc, fallback=fallback)
                found = among_targets(scored, is_target, block, judging, 0 if recommender.has_places_only else list_depth)
            else:
                found = rank_among_listed(lists, is_target, block, judging, list_depth)
        parts.append((found.positions, _count_columns(is_target, block, found, judging), found.lists))
    return Rankings(*({name: _concatenate([part[i][name] for part in parts]) for name in parts[0][i]} for i in range(3)))


def _count_columns(targets: NDArray[np.bool_], users: NDArray[np.int64], found: RankedBlock, judging: Judging) -> Columns:
    counts = {
        "train": judging.train.user_counts[users],
        "test": judging.test.user_counts[users],
        # Counting row by row takes a tenth of the time of a single call with an axis.
        "targets": np.array([np.count_nonzero(row) for row in targets], dtype=np.int64),
        "scored": found.ranked,
        "filled": found.filled,
    }
    return {name: count.astype(np.int32) for name, count in counts.items()}


def _concatenate(parts: list[NDArray[Any]]) -> NDArray[Any]:
    if any(isinstance(part, np.ma.MaskedArray) for part in parts):
        joined: NDArray[Any] = np.ma.concatenate(parts)  # type: ignore[no-untyped-call]
        return joined
    return np.concatenate(parts)
