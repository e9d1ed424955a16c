"""Selections of target items on MovieLens 1M, compared with what Bellogín (2012, chapter 4) derives and finds."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from recsens import plugins
from recsens.artefacts.folds import sides
from recsens.data.datasets import DataSet, to_interactions
from recsens.data.interactions import Interactions
from recsens.ranking import Rankings, rank
from recsens.ranking.nc.drop import Drop
from recsens.recommenders import Recommender
from recsens.seeds import Stream
from recsens.workflow.steps.check_targets import _rating_facts, _sizes_and_hits, _user_facts

STREAM = Stream.of(1, "target designs")
RELEVANCE = 5
"""As in the thesis."""
N = 10
SYSTEMS = ("random", "popularity", "user_knn(k=100)")


class Lab:
    """Rankings of MovieLens 1M, each made once."""

    def __init__(self, path: Path) -> None:
        dataset: DataSet = plugins.build("dataset", "movielens(release=1m)")
        self._data = to_interactions(dataset.load([path], STREAM))
        self.fold = cache(self._fold)
        self._fitted = cache(self._fit)
        self.ranked = cache(self._rank)

    def _fold(self, split: str) -> tuple[Interactions, Interactions]:
        return sides(self._data, plugins.build("split", split).roles(self._data, 0, STREAM.child("split")))

    def _fit(self, system: str, split: str) -> Recommender:
        recommender: Recommender = plugins.build("recommender", system)
        return recommender.fit(self.fold(split)[0], STREAM.child("fit").generator())

    def _rank(self, system: str, targets: str, split: str = "random(ratio=0.8)") -> Rankings:
        return rank(
            self._fitted(system, split),
            *self.fold(split),
            targets=plugins.build("targets", targets),
            relevance=RELEVANCE,
            ties="random",
            nc=Drop(),
            fallback=None,
            list_depth=0,
            tie_stream=STREAM.child("ties"),
            target_stream=STREAM.child("targets"),
        )

    def expected(self, targets: str, split: str = "random(ratio=0.8)") -> dict[str, float]:
        chosen = plugins.build("targets", targets)
        fold, stream = self.fold(split), STREAM.child("targets")
        if chosen.unit == "rating":
            return _rating_facts(chosen, *fold, RELEVANCE, stream, everybody)
        return _user_facts(chosen, *fold, RELEVANCE, _sizes_and_hits(chosen, *fold, stream, RELEVANCE), everybody)

    def one_rp(self, system: str, targets: str, split: str = "random(ratio=0.8)") -> float:
        """1RP@10, equation 4.1; within percentiles, their mean."""
        positions = self.ranked(system, targets, split).positions
        hits, groups = hits_within(positions["position"], N), positions["percentile"]
        return float(np.mean([hits[groups == group].mean() for group in np.unique(groups)])) / N


def everybody(listed: np.ndarray) -> np.ndarray:
    """Average all users, including those for whom nothing is ranked."""
    return np.ones(len(listed), dtype=bool)


def hits_within(position: np.ma.MaskedArray, depth: int | np.ndarray) -> np.ndarray:
    return np.asarray((position <= depth).filled(fill_value=False))


@pytest.fixture(scope="module")
def lab(real_data: Callable[[str], Path]) -> Lab:
    return Lab(real_data("ml-1m/ratings.dat"))


@pytest.mark.parametrize(
    ("targets", "size"),
    [
        ("one_r(items=test,n=99)", 100),
        pytest.param("rel_plus_n(n=199)", 200, marks=pytest.mark.slow),
        pytest.param("p1r(n=49,draw=per_rating)", 50, marks=pytest.mark.slow),
    ],
)
def test_one_relevant_of_a_random_ranking_is_one_of_its_targets(lab, targets, size):
    """Equation 4.5, within four standard errors."""
    n_ratings = len(lab.ranked("random", targets).positions["user"])
    share = N / size
    error = 4 * np.sqrt(share * (1 - share) / n_ratings) / N
    assert lab.expected(targets)["expected_random_precision"] == pytest.approx(1 / size)
    assert lab.one_rp("random", targets) == pytest.approx(1 / size, abs=error)


@pytest.mark.parametrize("targets", ["ar", *(pytest.param(f"ar(items=test{n})", marks=pytest.mark.slow) for n in ("", ",n=300"))])
def test_all_relevant_of_a_random_ranking_is_the_density_of_relevance(lab, targets):
    """Equation 4.4: E[P] ~ sigma · delta = pr_test / (t |U|), 1/t = avg 1/|T_u|; exact only where sizes and likes are unrelated."""
    found = lab.ranked("random", targets)
    train, test = lab.fold("random(ratio=0.8)")
    hits = hits_within(found.positions["position"], N) & (found.positions["rating"] >= RELEVANCE).filled(fill_value=False)
    precision = hits.sum() / N / train.n_users
    expected = lab.expected(targets)["expected_random_precision"]
    density = (test.rating >= RELEVANCE).sum() * (1 / found.users["targets"]).mean() / train.n_users
    assert precision == pytest.approx(expected, abs=4 * np.sqrt(expected / N / train.n_users))
    assert expected == pytest.approx(density, rel=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("n", [99, 999])
def test_all_relevant_bounds_one_relevant(lab, system, n):
    """Equation 4.2, if a user's rankings share their non-relevant targets."""
    every = lab.ranked(system, f"ar(items=test,n={n})").positions
    liked = (every["rating"] >= RELEVANCE).filled(fill_value=False)
    of_user = np.bincount(every["user"][liked])
    deeper = N + of_user[every["user"][liked]] - 1
    position = every["position"][liked]
    lower = hits_within(position, N).sum() / (N * of_user.sum())
    upper = hits_within(position, deeper).sum() / (N * of_user.sum())
    found = lab.one_rp(system, f"one_r(items=test,n={n})")
    assert lower < found < upper


@pytest.mark.slow
def test_percentiles_and_uniform_tests_take_the_advantage_of_popularity_and_leave_that_of_neighbours(lab):
    """Figure 4.7, in units of a random ranking's precision: popularity falls towards random, neighbours stay well above."""
    uniform = "uniform(sigma=0.2,epsilon=0.2)"
    designs = {"1R": ("one_r(items=test,n=99)",), "P1R": ("p1r(n=99)",), "U1R": ("u1r(n=99)", uniform)}
    popularity = {name: lab.one_rp("popularity", *design) * 100 for name, design in designs.items()}
    neighbours = {name: lab.one_rp("user_knn(k=100)", *design) * 100 for name, design in designs.items()}
    assert popularity["1R"] > 5
    assert max(popularity["P1R"], popularity["U1R"]) < 3
    assert min(neighbours.values()) > 4
    for design in ("P1R", "U1R"):
        assert popularity[design] < 0.4 * popularity["1R"]
        assert neighbours[design] > 0.5 * neighbours["1R"]
