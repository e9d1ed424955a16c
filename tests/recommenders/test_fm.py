"""Factorisation machines: the definition over all pairs of features, and a step of descent in plain numpy."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from recsens.data.interactions import Interactions, SideTable
from recsens.errors import DesignError
from recsens.recommenders._factors import side_features
from recsens.recommenders._kernels import Rows
from recsens.recommenders.fm import FM, _all_features, _descend, sum_features
from recsens.testing import from_rows


@pytest.fixture
def train() -> Interactions:
    ratings = from_rows([[5, 4, None], [1, None, 2], [None, 3, 5]])
    people = SideTable.of({"age": [20, 40, None], "gender": ["F", "M", "F"]})
    films = SideTable.of({"genres": [["Drama", "War"], ["War"], []]})
    return replace(ratings, user_table=people, item_table=films)


def defined(mean: float, x: np.ndarray, w: np.ndarray, v: np.ndarray) -> float:
    """Return equation 1, pair by pair."""
    pairs = sum(v[f] @ v[g] * x[f] * x[g] for f, g in combinations(range(len(x)), 2))
    return float(mean + w @ x + pairs)


def drawn(train: Interactions) -> tuple:
    users, items = _all_features(3, train.user_table), _all_features(3, train.item_table)
    rng = np.random.default_rng(1)
    return users, items, rng.normal(size=(users.shape[1], 4)), rng.normal(size=(items.shape[1], 4))


def together(users, items, p, q, u: int, i: int) -> tuple[np.ndarray, np.ndarray]:
    return np.concatenate([users.toarray()[u], items.toarray()[i]]), np.concatenate([p, q])


def test_numbers_are_standardised_and_sets_share_one(train):
    # Ages 20 and 40: mean 30, deviation 10; the third is not known.
    assert _all_features(3, train.user_table).toarray().tolist() == [[1, 0, 0, -1, 1, 0], [0, 1, 0, 1, 0, 1], [0, 0, 1, 0, 1, 0]]
    assert _all_features(3, train.item_table).toarray()[:, 3:].tolist() == [[0.5, 0.5], [0, 1], [0, 0]]


def test_sums_of_each_side_give_the_definition_over_all_pairs(train):
    users, items, p, q = drawn(train)
    of_users, of_items = sum_features(users, p), sum_features(items, q)
    for u in range(3):
        for i in range(3):
            x, both = together(users, items, p, q, u, i)
            linear = 3.0 + of_users[u, 0] + of_items[i, 0] + of_users[u, 1:] @ of_items[i, 1:]
            assert linear == pytest.approx(defined(3.0, x, both[:, 0], both[:, 1:]), rel=1e-12)


def test_a_step_goes_along_the_gradient_of_the_definition(train):
    users, items, p, q = drawn(train)
    x, before = together(users, items, p, q, 0, 0)
    w, v = before[:, 0], before[:, 1:]
    error = 5 - defined(3.0, x, w, v)
    slopes = np.column_stack([x, x[:, None] * ((x @ v) - x[:, None] * v)])
    expected = before + 0.01 * (error * slopes - 0.3 * before) * (x != 0)[:, None]
    nothing = side_features(len(train), None), np.empty((0, 4))
    sides = (Rows.of(each) for each in (users, items, nothing[0]))
    _descend(np.array([0]), train.user, train.item, train.values, *sides, 3.0, 0.01, 0.3, p, q, nothing[1])
    np.testing.assert_allclose(np.concatenate([p, q]), expected, rtol=1e-12)


def test_without_side_tables_or_without_their_use_models_are_the_same(train):
    plain = replace(train, user_table=None, item_table=None)
    unused = FM(user_features=False, item_features=False, context_features=False)
    rngs = [np.random.default_rng(2) for _ in range(2)]
    scores = [unused.fit(each, rng).score(each, np.arange(3)) for each, rng in zip((train, plain), rngs, strict=True)]
    assert scores[0].tobytes() == scores[1].tobytes()
    assert unused.side_information is None
    assert FM().side_information == ()


def test_side_features_reach_the_scores(train):
    plain = replace(train, user_table=None, item_table=None)
    scores = [FM().fit(each, np.random.default_rng(2)).score(each, np.arange(3)) for each in (train, plain)]
    assert not np.allclose(*scores)


def test_too_long_steps_are_refused(train):
    with np.errstate(all="ignore"), pytest.raises(DesignError, match="diverged"):
        FM(learning_rate=1, epochs=1000).fit(train, np.random.default_rng(2))


@pytest.fixture
def told(train) -> Interactions:
    """Add the device on which, and the hour at which, each rating was given."""
    table = SideTable.of({"device": ["desk", "phone", "phone", None, "desk", "phone"], "hour": [1, 2, 3, 4, None, 6]})
    return replace(train, context_table=table)


def test_a_step_with_a_context_goes_along_the_gradient_of_the_definition(told):
    users, items, p, q = drawn(told)
    contexts, r = side_features(len(told), told.context_table), np.random.default_rng(2).normal(size=(3, 4))
    x = np.concatenate([users.toarray()[told.user[1]], items.toarray()[told.item[1]], contexts.toarray()[1]])
    before = np.concatenate([p, q, r])
    w, v = before[:, 0], before[:, 1:]
    error = told.values[1] - defined(3.0, x, w, v)
    slopes = np.column_stack([x, x[:, None] * ((x @ v) - x[:, None] * v)])
    expected = before + 0.01 * (error * slopes - 0.3 * before) * (x != 0)[:, None]
    sides = (Rows.of(each) for each in (users, items, contexts))
    _descend(np.array([1]), told.user, told.item, told.values, *sides, 3.0, 0.01, 0.3, p, q, r)
    np.testing.assert_allclose(np.concatenate([p, q, r]), expected, rtol=1e-12)


def test_a_score_is_the_mean_of_the_definition_over_the_contexts_of_the_users_ratings(told, monkeypatch):
    seen = {}

    def keep(*given):
        seen["parameters"] = [each.copy() for each in given[-3:]]

    monkeypatch.setattr("recsens.recommenders.fm._descend", keep)
    scores = FM(factors=3, epochs=1).fit(told, np.random.default_rng(3)).score(told, np.arange(3))
    parameters = np.concatenate(seen["parameters"])
    users, items, contexts = (
        each.toarray()
        for each in (_all_features(3, told.user_table), _all_features(3, told.item_table), side_features(6, told.context_table))
    )
    for u in range(3):
        for i in range(3):
            rows = (np.concatenate([users[u], items[i], each]) for each in contexts[told.user == u])
            mean = np.mean([defined(told.values.mean(), x, parameters[:, 0], parameters[:, 1:]) for x in rows])
            assert scores[u, i] == pytest.approx(mean, rel=1e-12)


def test_contexts_reach_the_scores_and_without_their_use_models_are_the_same(train, told):
    scores = [FM().fit(each, np.random.default_rng(2)).score(each, np.arange(3)) for each in (train, told)]
    assert not np.allclose(*scores)
    unused = FM(context_features=False).fit(told, np.random.default_rng(2)).score(told, np.arange(3))
    assert unused.tobytes() == scores[0].tobytes()
