"""Latent Cross and LC-NN: context multiplies the hidden vector, and without it nothing changes."""

from dataclasses import replace

import numpy as np
import pytest

from recsens.data.interactions import SideTable
from recsens.recommenders import Recommender
from recsens.recommenders._factors import means_by_user
from recsens.recommenders._gradient_descent import RatedPairs
from recsens.recommenders._neural_networks import FusedNetwork
from recsens.recommenders.latent_crosses import CrossedNetwork
from recsens.testing import crowd, from_rows

X = None
NETWORKS = {"a product": FusedNetwork(factors=3), "a tower": FusedNetwork(narrowest=2, layers=2)}
needs_torch = pytest.mark.skipif(
    "not __import__('importlib.util').util.find_spec('torch')", reason="PyTorch is not installed: make neural"
)


@pytest.fixture
def train():
    people = SideTable.of({"age": [20, 40, None], "gender": ["F", "M", "F"]})
    return replace(from_rows([[5, X, 3, X], [X, 4, X, 1], [2, X, X, 4]]), user_table=people)


def crossed(network, train):
    return CrossedNetwork.around(network, train)


def doubled(weights, scale=20.0):
    return {name: scale * each.astype(np.float64) for name, each in weights.items()}


def defined(network, weights, context, user, item, request=0.0):
    """Return h · [(1 + Σ_c x_c w_c) ∘ z] + b, and z; ``request`` is the interaction's part of the sum."""
    k = network.factors
    p, q = weights["users"][user], weights["items"][item]
    layer = np.concatenate((p[k:], q[k:]))
    for nth in range(1, network.layers + 1):
        layer = np.maximum(weights[f"layer_{nth}"] @ layer + weights[f"biases_{nth}"], 0)
    hidden = np.concatenate((p[:k] * q[:k], layer if network.layers else []))
    return weights["output"][0] @ ((1 + context[user] @ weights["context"] + request) * hidden) + weights["bias"][0], hidden


@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_scores_are_those_of_the_equation(network, train):
    both = crossed(network, train)
    weights = doubled(both.start(train, np.random.default_rng(1)))
    context = both.context.toarray()
    assert context.tolist() == [[-1, 1, 0], [1, 0, 1], [0, 1, 0]]
    scores = network.scores(both.with_gates(weights), np.array([1, 2]))
    expected = [[defined(network, weights, context, user, item)[0] for item in range(4)] for user in (1, 2)]
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


@needs_torch
@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_gradients_of_the_top_are_those_of_the_equation(network, train):
    import torch

    from recsens.recommenders._gradient_descent import Weights

    both = crossed(network, train)
    start = {name: 20 * each for name, each in both.start(train, np.random.default_rng(1)).items()}
    pairs = [(0, 0, 5.0), (1, 3, 1.0), (2, 3, 4.0), (0, 2, 3.0)]
    weights = Weights(torch, start, both.tables)
    users, items, ratings = (torch.tensor(column) for column in zip(*pairs, strict=True))
    weights.differentiate(torch.nn.functional.mse_loss(both.logits(torch, weights, users, items), ratings))
    wide, context = doubled(start, 1.0), both.context.toarray()
    by_context, by_output = np.zeros_like(wide["context"]), np.zeros_like(wide["output"])
    for user, item, rating in pairs:
        s, hidden = defined(network, wide, context, user, item)
        slope = 2 * (s - rating) / len(pairs)
        by_context += slope * np.outer(context[user], wide["output"][0] * hidden)
        by_output[0] += slope * (1 + context[user] @ wide["context"]) * hidden
    np.testing.assert_allclose(weights.gradient("context"), by_context, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(weights.gradient("output"), by_output, rtol=1e-4, atol=1e-6)


@needs_torch
@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_a_context_of_zero_equals_the_network_without(network, train):
    import torch

    from recsens.recommenders._gradient_descent import Weights

    both = crossed(network, train)
    start = both.start(train, np.random.default_rng(1))
    start["context"][:] = 0
    users, items = torch.tensor([0, 1, 2]), torch.tensor([3, 0, 1])
    with_zeros = both.logits(torch, Weights(torch, start, both.tables), users, items)
    without = network.logits(torch, Weights(torch, start, both.tables), users, items)
    assert with_zeros.detach().numpy().tobytes() == without.detach().numpy().tobytes()


@needs_torch
def test_without_a_table_latent_cross_is_gmf():
    train = crowd(n_users=40, n_items=30)
    scores = [
        Recommender.build(f"{name}(epochs=2)").fit(train, np.random.default_rng(1)).score(train, np.arange(40)).tobytes()
        for name in ("latent_cross", "gmf")
    ]
    assert scores[0] == scores[1]


@needs_torch
def test_context_takes_part(train):
    spec = "latent_cross(epochs=20,batch_size=4,learning_rate=0.05)"
    learned = Recommender.build(spec).fit(train, np.random.default_rng(1)).learned
    assert "context" not in learned
    assert np.abs(learned["gates"] - 1).max() > 0.05


@needs_torch
def test_lc_nn_learns_ratings_of_a_taste():
    tastes = from_rows([[5 if (u + i) % 2 == 0 else 1 for i in range(12)] for u in range(12)])
    train = tastes.take(tastes.user != tastes.item)
    scores = Recommender.build("lc_nn(epochs=60,batch_size=8)").fit(train, np.random.default_rng(1)).score(train, np.arange(12))
    assert scores[np.arange(12), np.arange(12)].mean() == pytest.approx(5, abs=0.5)
    assert scores[0, 1] == pytest.approx(1, abs=0.5)


DEVICES = ["desk", "phone", "phone", None, "desk", "phone"]


@pytest.fixture
def told(train):
    return replace(train, context_table=SideTable.of({"device": DEVICES}))


@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_a_score_is_the_mean_of_the_equation_over_the_contexts_of_the_users_ratings(network, told):
    both = crossed(network, told)
    weights = doubled(both.start(told, np.random.default_rng(1)))
    context = both.context.toarray()
    seen = [np.array([device == "desk", device == "phone"]) @ weights["request"] for device in DEVICES]
    scores = network.scores(both.with_gates(weights), np.array([1, 2]))
    expected = [
        [
            np.mean([defined(network, weights, context, u, i, seen[nth])[0] for nth in np.flatnonzero(told.user == u)])
            for i in range(4)
        ]
        for u in (1, 2)
    ]
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


@needs_torch
@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_gradients_by_the_context_of_requests_are_those_of_the_equation(network, told):
    import torch

    from recsens.recommenders._gradient_descent import Weights

    both = crossed(network, told)
    start = {name: 20 * each for name, each in both.start(told, np.random.default_rng(1)).items()}
    pairs = [(0, 0, 5.0, 0), (1, 3, 1.0, 3), (2, 3, 4.0, 5), (0, 3, 0.0, 1)]
    weights = Weights(torch, start, both.tables)
    users, items, ratings = (torch.tensor(column) for column in list(zip(*pairs, strict=True))[:3])
    rated = np.array([pair[3] for pair in pairs])
    weights.differentiate(torch.nn.functional.mse_loss(both.logits(torch, weights, users, items, rated), ratings))
    wide, context = doubled(start, 1.0), both.context.toarray()
    slopes = np.zeros_like(wide["request"])
    for user, item, rating, number in pairs:
        features = np.array([DEVICES[number] == "desk", DEVICES[number] == "phone"])
        s, hidden = defined(network, wide, context, user, item, features @ wide["request"])
        slopes += 2 * (s - rating) / len(pairs) * np.outer(features, wide["output"][0] * hidden)
    np.testing.assert_allclose(weights.gradient("request"), slopes, rtol=1e-4, atol=1e-6)


def test_a_sampled_pair_is_drawn_for_a_rated_pair_of_its_user(told):
    pairs = RatedPairs(told.matrix)
    drawn = pairs.draw(2, np.random.default_rng(1), numbered=True)
    assert np.array_equal(pairs.user[drawn.rated], drawn.user)
    assert np.array_equal(pairs.item[drawn.rated] == drawn.item, drawn.label == 1)
    assert np.bincount(drawn.rated).tolist() == [3] * len(told)
    again = pairs.draw(2, np.random.default_rng(1))
    assert again.rated is None
    assert np.array_equal(again.item, drawn.item)


def test_pairs_that_count_keep_their_contexts(told):
    order = np.arange(6)[::-1]
    backwards = replace(
        told, user=told.user[order], item=told.item[order], rating=told.rating[order], context_table=told.context_table.take(order)
    )
    for preference, expected in (("binary", DEVICES), ("positive", [DEVICES[0], DEVICES[2], DEVICES[5]])):
        found = [Recommender.build(f"latent_cross(preference={preference})")._crossed(each).requests for each in (told, backwards)]
        wanted = [[device == "desk", device == "phone"] for device in expected]
        assert [each.toarray().tolist() for each in found] == [wanted, wanted]


@needs_torch
def test_requests_take_part_in_what_is_learnt(told, train):
    for spec in ("latent_cross(epochs=5,batch_size=4,learning_rate=0.05)", "lc_nn(epochs=5,batch_size=4)"):
        fits = [Recommender.build(spec).fit(each, np.random.default_rng(1)) for each in (told, train)]
        assert "request" not in fits[0].learned
        assert not np.allclose(*(each.score(train, np.arange(3)) for each in fits))


def test_who_has_no_rating_is_expected_in_the_contexts_of_everybody(told):
    rows = np.array([[1.0], [2.0], [6.0]])
    assert means_by_user(rows, np.array([2, 0, 0]), 4).tolist() == [[4], [3], [1], [3]]
    nobody = told.take(np.zeros(6, dtype=bool))
    both = crossed(NETWORKS["a product"], nobody)
    assert np.isfinite(both.with_gates(both.start(nobody, np.random.default_rng(1)))["gates"]).all()
