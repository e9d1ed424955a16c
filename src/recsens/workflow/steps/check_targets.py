"""Check, before anything is fitted, that a fold's data allow the chosen target items."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import InteractionFiles, SideFiles
from recsens.comparison.users import Population, Users
from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.metrics import Metric
from recsens.outcomes.measuring.stored_rankings import check_threshold
from recsens.plugins.specs import parse
from recsens.ranking import user_blocks
from recsens.ranking.targets import Samples, Targets, target_stream
from recsens.seeds import Origin, Stream
from recsens.study.carried import check_features, measuring_error
from recsens.workflow.steps._fold import read_fold

Admit = Callable[[NDArray[np.int64]], NDArray[np.bool_]]
"""A function from the lengths of users' rankings to whether each user is averaged; both have shape (n_users,)."""


def check_targets(
    *,
    data: InteractionFiles,
    roles: str,
    truth: str | None = None,
    record: str,
    targets: str,
    audiences: Sequence[tuple[float | None, str]],
    user_columns: Sequence[str] = (),
    metrics: Sequence[str] = (),
    side: Sequence[SideFiles] = (),
    origin: Origin,
) -> None:
    """Refuse what the data do not allow; record facts about the rankings.

    This is a threshold outside the scale, targets that cannot be chosen, missing columns, and ``metrics`` that refuse the ratings.

    The record covers the users averaged, for each relevance threshold and selection of users in ``audiences``. It contains the
    precision of a random ranking and, if targets are sampled, the number of users with fewer targets than wanted. If users are
    selected by the length of their list, the list of a random ranking counts, which contains all targets of the user.

    Raises
    ------
    DesignError
        If something must be refused; the message says what is allowed.
    """
    fold = read_fold(data=data, roles=roles, truth=truth, origin=origin)
    interactions, train, test, before = fold.interactions, fold.train, fold.test, fold.known
    for files in side:
        _check_weights(files.user_columns, user_columns)
        features = storage.read_table(files.item_columns, schemas.SIDE_COLUMNS).column_names
        for metric in metrics:
            check_features(features, getattr(Metric.build(metric), "item_columns", ()), files.item_columns)
    chosen = Targets.build(targets)
    stream = target_stream(origin)
    records = []
    # Audiences with the same threshold have the same targets.
    counts = cache(partial(_sizes_and_hits, chosen, before, test, stream))
    for relevance, selection in audiences:
        if relevance is not None and interactions.rating is not None:
            check_threshold(relevance, interactions.scale)
        threshold = interactions.scale.threshold(relevance)
        for metric in metrics:
            if against := measuring_error(parse(metric), interactions.rating is not None, interactions.scale, relevance):
                raise against.at(f"metrics: {metric}")
        try:
            chosen.check(before, test, threshold)
        except DesignError as error:
            raise error.at(f"targets '{chosen.spec}'") from error
        users = Users.build(selection)
        admit = partial(_admitted_users, users, train, test, threshold)
        if chosen.unit == "rating":
            described = _rating_facts(chosen, before, test, threshold, stream, admit)
        else:
            described = _user_facts(chosen, before, test, threshold, counts(threshold), admit)
        records.append({"relevance": threshold, "user_selection": str(users.spec), **described})
    storage.write_json(record, {"targets": str(chosen.full_spec), "audiences": records}, schemas.CHECK)


def _admitted_users(
    users: Users, train: Interactions, test: Interactions, relevance: float, listed: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which users are averaged, given the lengths of their rankings, shape (n_users,)."""
    relevant = _relevant_ratings(test, relevance)
    return users.admit(Population(train.user_counts, test.user_counts, relevant.user_counts, listed))


def _relevant_ratings(test: Interactions, relevance: float) -> Interactions:
    """Select the relevant test ratings; all are relevant if the data set has no ratings."""
    return test if test.rating is None else test.take(test.rating >= relevance)


def _check_weights(users: str, wanted: Sequence[str]) -> None:
    """Refuse an average weighted by a user column that is missing from the data set or not numeric."""
    if not wanted:
        return
    table = storage.read_table(users, schemas.SIDE_COLUMNS)
    numbers = [field.name for field in table.schema if pa.types.is_integer(field.type) or pa.types.is_floating(field.type)]
    for name in wanted:
        if name not in numbers:
            problem = "holds no numbers" if name in table.column_names else "is not among those of the data set's users"
            always = "test, relevant and train with any data set"
            raise DesignError(
                f"aggregate: the column '{name}' {problem}",
                where=users,
                allowed=", ".join([*(column for column in numbers if column != "key"), always]),
            )


def _sizes_and_hits(
    targets: Targets, train: Interactions, test: Interactions, stream: Stream, relevance: float
) -> NDArray[np.int64]:
    """Count each user's targets, and the relevant test items among them, shape (2, n_users)."""
    relevant = _relevant_ratings(test, relevance)
    judged = relevant.matrix
    sizes, hits = np.zeros((2, train.n_users), dtype=np.int64)
    for users in user_blocks(train.n_users):
        chosen = targets.mask(train, test, users, relevance, stream)
        own = slice(judged.indptr[users[0]], judged.indptr[users[-1] + 1])
        row = np.repeat(np.arange(len(users)), relevant.user_counts[users])
        sizes[users] = chosen.sum(axis=1)
        hits[users] = np.bincount(row, weights=chosen[row, judged.indices[own]], minlength=len(users))
    return np.stack([sizes, hits])


def _user_facts(
    targets: Targets, train: Interactions, test: Interactions, relevance: float, counts: NDArray[np.int64], admit: Admit
) -> dict[str, Any]:
    """Describe the rankings of the averaged users.

    A random order has the expected precision E[P] = avg |PR_test(u) ∩ T_u| / |T_u|, where PR_test(u) are the relevant test items of
    user u (Bellogín 2012, equation 4.4).
    """
    relevant, (sizes, hits) = _relevant_ratings(test, relevance), counts
    averaged = admit(sizes)
    return {
        "users_averaged": int(averaged.sum()),
        "mean_targets": _mean_or_none(sizes[averaged]),
        "relevant_ratings": int(relevant.user_counts[averaged].sum()),
        "users_with_relevant": int((relevant.user_counts[averaged] > 0).sum()),
        "expected_random_precision": _mean_or_none((hits / np.maximum(sizes, 1))[averaged]),
        **_sample_facts(targets.samples(train, test, relevance), averaged),
    }


def _rating_facts(
    targets: Targets, train: Interactions, test: Interactions, relevance: float, stream: Stream, admit: Admit
) -> dict[str, Any]:
    """Describe the rankings of single ratings, percentile by percentile.

    A random order has the expected precision E[P] = avg 1 / |T_u^r|, where T_u^r are the targets in the ranking for rating r of
    user u (Bellogín 2012, equation 4.5). The ratings belong to the averaged users: the admitted users with a relevant rating.
    """
    row, sizes, hits, groups = [], [], [], []
    pools = np.zeros(train.n_users, dtype=np.int64)
    for users in user_blocks(train.n_users):
        rankings = targets.by_rating(train, test, users, relevance, stream)
        pools[users] = rankings.pool.sum(axis=1)
        row.append(users[rankings.row])
        sizes.append(rankings.sizes)
        hits.append(rankings.is_candidate / np.maximum(rankings.sizes, 1))
        groups.append(rankings.groups)
    user = np.concatenate(row)
    admitted = admit(pools)
    kept = admitted[user]
    group = np.concatenate(groups)[kept]
    ratings = np.bincount(group)
    shares = np.bincount(group, weights=np.concatenate(hits)[kept])
    averaged = len(np.unique(user[kept]))
    return {
        "users_averaged": averaged,
        "mean_targets": _mean_or_none(np.concatenate(sizes)[kept]),
        "relevant_ratings": int(ratings.sum()),
        "users_with_relevant": averaged,
        "expected_random_precision": _mean_or_none(shares[ratings > 0] / ratings[ratings > 0]),
        **_sample_facts(targets.samples(train, test, relevance), admitted),
    }


def _sample_facts(samples: Samples | None, averaged: NDArray[np.bool_]) -> dict[str, Any]:
    """Describe the averaged users' samples: how many are smaller than wanted, and the sizes drawn."""
    if samples is None:
        return {}
    counted = averaged[samples.user]
    short, drawn = samples.is_short & counted, samples.drawn[counted]
    return {
        "sample_size": samples.wanted,
        "short_users": len(np.unique(samples.user[short])),
        "short_rankings": int(short.sum()),
        "smallest_sample": int(drawn.min()) if len(drawn) else None,
        "mean_sample": _mean_or_none(drawn),
        "mean_short_sample": _mean_or_none(samples.drawn[short]),
    }


def _mean_or_none(values: NDArray[Any]) -> float | None:
    """Return the mean; None without values."""
    return float(values.mean()) if len(values) else None
