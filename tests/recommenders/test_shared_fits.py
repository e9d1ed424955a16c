"""Candidates that share the costly part of fitting learn the same bytes as when each is fitted alone."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from recsens import plugins
from recsens.errors import DesignError, RecsensError
from recsens.recommenders import Extent, Recommender, learn
from recsens.recommenders._shared_fits import SharedFit, group_by_shared_fit, learn_each
from recsens.recommenders.nearest_neighbours import ItemKNN, WeightedSum
from recsens.recommenders.tuned import Tuned
from recsens.seeds import Stream
from recsens.testing import crowd, from_rows

SHARING = [
    name
    for name in plugins.names("recommender")
    if issubclass(found := plugins.load("recommender", name), SharedFit) and found.search_space is not None and not found.draws
]
OTHERS = ["pure_svd(factors=3)", "hkv(epochs=2)", "popularity", "random"]


def drawn(name: str, trials: int) -> list[Recommender]:
    tuned: Any = Tuned.build(f"tuned(of={name},search=random(trials={trials}))")
    return [Recommender.build(each.spec) for each in tuned.candidates(Stream.of(5))]


def each_alone(recommenders: Sequence[Recommender], train: Any) -> list[dict[str, tuple[Any, ...]]]:
    return [written(learn(Recommender.build(each.full_spec), train, np.random.default_rng(3))) for each in recommenders]


def written(fitted: Recommender) -> dict[str, tuple[Any, ...]]:
    return {name: (array.dtype, array.shape, array.tobytes()) for name, array in fitted.learned.items()}


def shared(recommenders: Sequence[Recommender], train: Any) -> list[Any]:
    found = dict(learn_each(recommenders, train, lambda: np.random.default_rng(3)))
    return [
        each if isinstance(each, RecsensError) else written(each) for _, each in sorted(found.items(), key=lambda item: item[0])
    ]


@pytest.mark.parametrize("name", SHARING)
@pytest.mark.parametrize("kind", ["ratings", "no ratings"])
def test_every_candidate_of_a_search_learns_what_it_learns_alone(name, kind):
    train = crowd(n_users=60, n_items=50, share=0.3)
    train = train if kind == "ratings" else replace(train, rating=None)
    candidates = drawn(name, 30)
    assert len(candidates) > 20
    assert shared(candidates, train) == each_alone(candidates, train)


def test_neighbourhoods_share_with_every_similarity_and_preference():
    train = crowd(n_users=60, n_items=50, share=0.3)
    for name in ("user_knn", "item_knn"):
        grid = "k=[1,59,500],similarity=[cosine,vector_jaccard,set_cosine,jaccard,log_likelihood],overlap=[1,2,9],alpha=[0.3,0.5]"
        more = "preference=[rating,binary,positive],q=[0,3]"
        tuned: Any = Tuned.build(f"tuned(of={name},search=grid({grid},{more}))")
        candidates = [Recommender.build(each.spec) for each in tuned.candidates(Stream.of(5))]
        # Products are of ratings, of ones, and of ones for positive ratings.
        assert len(group_by_shared_fit(candidates)) == 3
        alone = each_alone(candidates, train)
        assert shared(candidates, train) == alone
        assert shared(candidates[::-7], train) == alone[::-7]


def test_one_factorisation_serves_all_numbers_of_factors_up_to_rounding():
    train = crowd(n_users=90, n_items=140, share=0.3)
    candidates = drawn("pure_svd", 30)
    assert len(group_by_shared_fit(candidates)) == 2
    for number, fitted in learn_each(candidates, train, lambda: np.random.default_rng(3)):
        assert isinstance(fitted, Recommender)
        alone = learn(Recommender.build(candidates[number].full_spec), train, np.random.default_rng(3))
        np.testing.assert_allclose(fitted.learned["item_factors"], alone.learned["item_factors"], rtol=0, atol=1e-9)
    assert shared(candidates[::-1], train)[::-1] == shared(candidates, train)


def test_of_equal_singular_values_the_last_is_left_out_as_by_a_fit_of_its_own():
    train = from_rows([[1, None, None, None], [None, 1, None, None], [None, None, 2, None], [None, None, None, 1]])
    candidates = [Recommender.build(f"pure_svd(factors={factors})") for factors in (1, 2)]
    fits = dict(learn_each(candidates, train, lambda: np.random.default_rng(3)))
    assert [fits[number].learned["item_factors"].shape for number in (0, 1)] == [(4, 1), (4, 1)]  # type: ignore[union-attr]


def test_ties_for_the_last_places_are_kept_as_by_a_search_for_few():
    train = from_rows([[1, 1, None, 1], [1, 1, None, 1], [1, 1, 1, None], [1, None, 1, 1], [None, 1, 1, 1]])
    candidates = [Recommender.build(f"user_knn(k={k})") for k in (4, 1, 3, 2)]
    assert len(group_by_shared_fit(candidates)) == 1
    assert shared(candidates, train) == each_alone(candidates, train)


def test_what_shares_nothing_is_fitted_by_itself_and_in_any_order():
    train = crowd(n_users=30, n_items=25)
    candidates = [
        Recommender.build(text) for text in (*OTHERS, "user_knn(k=3)", "item_knn(k=3)", "rp3beta(k=2)", "rp3beta(alpha=2)")
    ]
    assert [len(group) for group in group_by_shared_fit(candidates)] == [1] * len(candidates)
    assert shared(candidates, train) == each_alone(candidates, train)
    assert shared(candidates[::-1], train)[::-1] == shared(candidates, train)


def test_the_candidate_that_does_not_fit_stops_no_other(monkeypatch):
    train = crowd(n_users=60, n_items=50, share=0.3)
    candidates = [Recommender.build(text) for text in ("user_knn(k=2)", "user_knn(k=59)", "user_knn(k=3)")]
    # The most for 3 neighbours of 60 users, in GiB.
    monkeypatch.setenv("RECSENS_MEMORY_GIB", str(candidates[2].bytes_needed(Extent.of(train)) / 2**30))
    two, too_many, three = shared(candidates, train)
    assert isinstance(too_many, DesignError)
    assert "user_knn(k=59)" in str(too_many)
    assert [two, three] == each_alone([candidates[0], candidates[2]], train)


def test_what_does_not_fit_into_memory_together_is_divided(monkeypatch):
    train = crowd(n_users=60, n_items=50, share=0.3)
    candidates = [Recommender.build(f"item_knn(k={k},alpha={alpha})") for k, alpha in ((9, 0.1), (30, 0.2), (30, 0.2), (5, 0.9))]
    alone, found = each_alone(candidates, train), []

    def prepare(self: ItemKNN, train: Any, rng: Any, sharing: Any) -> Any:
        prepared = WeightedSum.prepare(self, train, rng, sharing)
        found.append([each.k for each in sharing])
        return prepared

    monkeypatch.setattr(ItemKNN, "prepare", prepare)
    # Equal measures share their neighbours, so that the halves are of 9 + 30 and of 30 + 5 neighbours.
    monkeypatch.setenv("RECSENS_MEMORY_GIB", str(Recommender.build("item_knn(k=40)").bytes_needed(Extent.of(train)) / 2**30))
    assert shared(candidates, train) == alone
    assert found == [[9, 30], [30, 5]]


def test_only_one_of_the_fitted_recommenders_is_kept():
    """A search of EASE would otherwise hold a hundred matrices of all pairs of items."""
    candidates = [Recommender.build(f"ease(regularization={weight})") for weight in (1, 2, 3)]
    for _, fitted in learn_each(candidates, crowd(), lambda: np.random.default_rng(1)):
        assert isinstance(fitted, Recommender)
        assert fitted.learned
        assert not any(each.learned for each in candidates)


def test_a_plug_in_with_a_fit_of_its_own_shares_nothing():
    popular = plugins.load("recommender", "user_knn")

    class Own(popular):  # type: ignore[valid-type,misc]
        """A subclass with its own fit."""

        label = "own_with_fit"

        def fit(self, train, rng):
            """Fit as the class above."""
            return super().fit(train, rng)

    assert group_by_shared_fit([Own(k=2), Own(k=3)]) == [[0], [1]]
    assert group_by_shared_fit([popular(k=2), popular(k=3)]) == [[0, 1]]
