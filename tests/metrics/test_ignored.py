"""Every metric declares as ignored exactly those decisions that change none of its values."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from metrics import lists
from metrics.rankings import STARS, built
from recsens import plugins
from recsens.metrics import Judged, ListMetric, Moments

GAINS = ["binary", "exp", "linear", "chapelle", "power", "above", "ranksys"]
SPECS = [
    *plugins.names("metric"),
    *(f"nDCG(gain={gain})" for gain in GAINS),
    *(f"{name}(gain={gain})" for name in ("ERR", "RBP") for gain in GAINS[:4]),
    *(
        "HLU(neutral=2)",
        "SDCSE(norm=max)",
        "AUC(ties=score)",
        "uMAE(ratings=relevant)",
        "SDCSE(ratings=4..5)",
        "PredictionCoverage(of=items)",
    ),
]
N_USERS, LISTED, JUDGED = 40, 30, 10


def board(view: str, relevance: float) -> Judged:
    """Judge ten items for each of 40 users; two of them are not among the 30 ranked items, and some ranked ones have no score."""
    rng = np.random.default_rng(4)
    user = np.repeat(np.arange(N_USERS, dtype=np.int32), JUDGED)
    position = np.concatenate([rng.permutation(LISTED)[:JUDGED] + 1 for _ in range(N_USERS)])
    position[::JUDGED] = position[1::JUDGED] = 0
    score = np.where(position > 0, 5.5 - position / 7 + rng.choice([0, 0.01], len(user)), np.nan)
    score[2::JUDGED] = np.nan
    return Judged.of(
        user=user,
        position=position,
        rating=rng.integers(1, 6, len(user)).astype(float),
        targets_ranked=np.full(N_USERS, LISTED),
        view=view,
        scale=STARS,
        relevance=relevance,
        score=score,
        item=rng.integers(0, 60, len(user)).astype(np.int32),
    )


def values(spec: str, judged: Judged) -> np.ndarray:
    metric = built(spec)
    if not isinstance(metric, ListMetric):
        return metric.measure(judged, (5,))
    rng = np.random.default_rng(5)
    rows = [rng.permutation(60)[:LISTED].tolist() for _ in range(N_USERS)]
    known = lists.rated(list(rng.integers(1, N_USERS, 60)), N_USERS, genres=[list("abc")[item % 3 :] for item in range(60)])
    moments = Moments(rng.random(60), rng.random(N_USERS))
    before = lists.lists([row[3:] for row in rows], known)
    return metric.measure_lists(replace(lists.lists(rows, replace(known, moments=moments)), earlier=(before,)), judged, (5,))


def alike(found: Sequence[np.ndarray]) -> bool:
    return all(np.array_equal(one, other, equal_nan=True) for one, other in pairwise(found))


def test_a_metric_ignores_relevance_where_it_says_so_and_nowhere_else():
    boards = [board("full", relevance) for relevance in (2, 3, 4, 5)]
    for spec in SPECS:
        assert alike([values(spec, judged) for judged in boards]) == ("relevance" in built(spec).ignored), spec


def test_a_metric_ignores_the_view_where_it_says_so_and_nowhere_else():
    boards = [board(view, 4) for view in ("full", "condensed")]
    for spec in SPECS:
        if not isinstance(built(spec), ListMetric):
            assert alike([values(spec, judged) for judged in boards]) == ("view" in built(spec).ignored), spec


def test_one_value_of_all_users_is_neither_aggregated_nor_tested():
    for name in plugins.names("metric"):
        pooled = built(name).unit == "pooled"
        assert ({"aggregate", "test", "correction"} <= built(name).ignored) == pooled, name
