"""Tuned with equal trials in equal spaces, no model of another framework is clearly better than the same algorithm here.

The recommenders here and the models there get the same draws, learn from the same ratings of MovieLens 100K, and are measured by
the same nDCG@10. `make trials ARGS=-rA` prints the values after 20 trials.
"""

import csv
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recsens
from recsens.artefacts.folds import sides
from recsens.data.interactions import Interactions
from recsens.data.splitting import Splitter
from recsens.outcomes.measuring.trials import drawn_trials
from recsens.outcomes.searches import RandomSearch, expected, expected_error
from recsens.recommenders import Recommender, learn
from recsens.recommenders.tuned import Tuned
from recsens.seeds import Stream
from trials.environments import PROGRAMS, call, python_of

pytestmark = pytest.mark.trial

DEPTH, EFFORT, TRIALS = 10, 20, 40
TOLERANCE = 0.005
"""How much better a model of another framework may be on nDCG@10, if the difference is also above two standard errors."""

Lists = Mapping[str, list[str]]


@dataclass(frozen=True)
class Alike:
    """A model of a framework, the same algorithm here, the space of both searches, and the model's parameters of a draw."""

    framework: str
    theirs: str
    ours: str
    space: str
    parameters: Callable[[Any], dict[str, Any]] = lambda drawn: {}


K = "k=log_uniform(low=5,high=500)"
EASE = "regularization=log_uniform(low=1,high=10000)"
FACTORS = "alpha=log_uniform(low=0.1,high=100),factors=log_uniform(low=4,high=128),regularization=log_uniform(low=0.001,high=100)"
BPR = (
    "epochs=log_uniform(low=10,high=200),factors=log_uniform(low=4,high=128),initial_deviation=log_uniform(low=0.001,high=0.1),"
    "learning_rate=log_uniform(low=0.005,high=0.3),positive_regularization=log_uniform(low=0.00001,high=0.1),"
    "user_regularization=log_uniform(low=0.00001,high=0.1)"
)


def named(*names: str) -> Callable[[Any], dict[str, Any]]:
    """Return a function that takes some parameters of a draw."""
    return lambda drawn: {name: getattr(drawn, name) for name in names}


def of_bpr(drawn: Any) -> dict[str, Any]:
    """Return the parameters of a BPR with a single penalty, which starts within ±.5 / K."""
    return {**named("epochs", "factors", "learning_rate")(drawn), "regularization": drawn.positive_regularization}


ALIKE = [
    Alike("cornac", "EASE", "ease(preference=rating)", EASE, named("regularization")),
    Alike("cornac", "BPR", "bpr", BPR, of_bpr),
    Alike("implicit", "AlternatingLeastSquares", "hkv(preference=binary)", FACTORS, named("alpha", "factors", "regularization")),
    Alike("implicit", "BayesianPersonalizedRanking", "bpr", BPR, of_bpr),
    Alike("implicit", "CosineRecommender", "item_knn(of=profile)", K, named("k")),
    Alike("lenskit", "EASEScorer", "ease", EASE, named("regularization")),
    Alike("lenskit", "ImplicitMFScorer", "hkv(preference=binary)", FACTORS, named("alpha", "factors", "regularization")),
    Alike("lenskit", "ItemKNNScorer", "item_knn(preference=binary)", K, named("k")),
    Alike("lenskit", "UserKNNScorer", "user_knn(preference=binary)", K, named("k")),
    Alike("rectools", "EASEModel", "ease(preference=rating)", EASE, named("regularization")),
    Alike("rectools", "PureSVDModel", "pure_svd", "factors=log_uniform(low=2,high=200)", named("factors")),
    Alike("rectools", "ImplicitItemKNNWrapperModel", "item_knn(of=profile)", K, named("k")),
]


@pytest.fixture(scope="module")
def folds(real_data) -> dict[str, tuple[Interactions, Interactions]]:
    """What is learnt from and what is asked: ``validation`` inside the train set, and ``test``."""
    real_data("ml-100k/u.data")
    splitter = Splitter.build("random(ratio=0.8)")
    data = recsens.load("movielens").interactions
    outer = sides(data, splitter.roles(data, 0, Stream.of(1, "outer")))
    return {"test": outer, "validation": sides(outer[0], splitter.roles(outer[0], 0, Stream.of(1, "inner")))}


def candidates(ours: str, space: str) -> list[Recommender]:
    """List our recommender as written, then with the parameters of every draw."""
    tuned = Tuned.build(f"tuned(of={ours},search=random(trials={TRIALS},{space}))")
    return [Recommender.build(spec) for spec in (tuned.of, *drawn_trials(tuned, identity="trial", seed=1))]


@pytest.fixture(scope="module")
def values_here(folds: dict[str, tuple[Interactions, Interactions]]) -> Callable[[str, str], list[dict[str, float]]]:
    """Return a function that measures our candidates, those that several frameworks are compared with once."""

    @cache
    def found(ours: str, space: str) -> list[dict[str, float]]:
        return [
            {place: values(first_items(each, known), known, asked) for place, (known, asked) in folds.items()}
            for each in candidates(ours, space)
        ]

    return found


def values(lists: Lists, known: Interactions, asked: Interactions) -> float:
    """Return the mean nDCG@10 of binary relevance (4 and above) over all users who are known."""
    names = asked.user_ids[asked.user], asked.item_ids[asked.item]
    relevant: dict[str, set[str]] = {}
    for user, item, rating in zip(*names, asked.rating, strict=True):
        if rating >= 4:
            relevant.setdefault(str(user), set()).add(str(item))
    discount = 1 / np.log2(np.arange(DEPTH) + 2)
    users = list(map(str, known.user_ids[np.unique(known.user)]))
    gains = [
        sum(discount[rank] for rank, item in enumerate(lists.get(user, [])[:DEPTH]) if item in relevant.get(user, ()))
        / max(discount[: len(relevant.get(user, ()))].sum(), discount[0])
        for user in users
    ]
    return float(np.mean(gains))


def first_items(recommender: Recommender, known: Interactions) -> Lists:
    """Return the first items of each user that the user has not rated."""
    fitted, users = learn(recommender, known, np.random.default_rng(1)), np.unique(known.user)
    scores = np.asarray(fitted.score(known, users), dtype=np.float64)
    scores[np.searchsorted(users, known.user), known.item] = np.nan
    order = np.argsort(np.where(np.isnan(scores), np.inf, -scores), axis=1, kind="stable")[:, :DEPTH]
    found = zip(users, order, scores, strict=True)
    return {
        str(known.user_ids[user]): [str(known.item_ids[item]) for item in own if not np.isnan(scored[item])]
        for user, own, scored in found
    }


def after_trials(of_candidates: list[dict[str, float]]) -> tuple[float, float]:
    """Return the expected value after the effort's trials on test data, and its standard error over searches."""
    search = RandomSearch(np.array([[own["validation"] for own in of_candidates]]), np.arange(1, TRIALS + 1))
    test = np.array([[own["test"] for own in of_candidates]])
    return expected(search, test, EFFORT), expected_error(search, test, EFFORT)


@pytest.mark.parametrize("framework", ["cornac", "implicit", "lenskit", "rectools"])
def test_no_tuned_model_of_a_framework_is_clearly_better(
    framework: str, folds: dict[str, tuple[Interactions, Interactions]], values_here: Callable, tmp_path: Path
):
    for place, (known, _) in folds.items():
        (tmp_path / place).mkdir()
        with (tmp_path / place / "train.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["user", "item", "rating"])
            writer.writerows(zip(known.user_ids[known.user], known.item_ids[known.item], known.rating, strict=True))
    asked = [alike for alike in ALIKE if alike.framework == framework]
    jobs = {alike.theirs: [alike.parameters(each) for each in candidates(alike.ours, alike.space)] for alike in asked}
    (tmp_path / "jobs.json").write_text(json.dumps(jobs), encoding="utf-8")
    call(python_of(framework), PROGRAMS / "tuned_models.py", framework, tmp_path, folder=tmp_path)
    lists = json.loads((tmp_path / "lists.json").read_text(encoding="utf-8"))
    told, better = [], []
    for alike in asked:
        of_theirs = [{place: values(own[place], *folds[place]) for place in folds} for own in lists[alike.theirs]]
        (theirs, error_of_theirs), (ours, error) = after_trials(of_theirs), after_trials(values_here(alike.ours, alike.space))
        told.append(f"{framework} {alike.theirs}: {theirs:.4f}; {alike.ours}: {ours:.4f}")
        told[-1] += f" (errors {error_of_theirs:.4f}, {error:.4f})"
        if theirs - ours > max(TOLERANCE, 2 * np.hypot(error, error_of_theirs)):
            better.append(told[-1])
    sys.stdout.write("\n".join(["", *told, ""]))
    assert not better
