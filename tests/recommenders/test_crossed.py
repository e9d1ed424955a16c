"""Latent Cross and LC-NN: context multiplies the hidden vector, and without it nothing changes."""

from dataclasses import replace

import numpy as np
import pytest

from recsens.interactions import SideTable
from recsens.recommenders import Recommender
from recsens.recommenders._crossed import CrossedNetwork
from recsens.recommenders._fused import FusedNetwork
from recsens.recommenders._side_features import side_features
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
    return CrossedNetwork(network, side_features(train.n_users, train.user_table))


def doubled(weights, scale=20.0):
    return {name: scale * each.astype(np.float64) for name, each in weights.items()}


def defined(network, weights, context, user, item):
    """Return h · [(1 + Σ_c x_c w_c) ∘ z] + b, and z."""
    k = network.factors
    p, q = weights["users"][user], weights["items"][item]
    layer = np.concatenate((p[k:], q[k:]))
    for nth in range(1, network.layers + 1):
        layer = np.maximum(weights[f"layer_{nth}"] @ layer + weights[f"biases_{nth}"], 0)
    hidden = np.concatenate((p[:k] * q[:k], layer if network.layers else []))
    return weights["output"][0] @ ((1 + context[user] @ weights["context"]) * hidden) + weights["bias"][0], hidden


@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_scores_are_those_of_the_equation(network, train):
    both = crossed(network, train)
    weights = doubled(both.start(train, np.random.default_rng(1)))
    context = both.context.toarray()
    assert context.tolist() == [[-1, 1, 0], [1, 0, 1], [0, 1, 0]]
    scores = network.scores(both.gated(weights), np.array([1, 2]))
    expected = [[defined(network, weights, context, user, item)[0] for item in range(4)] for user in (1, 2)]
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


@needs_torch
@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_gradients_of_the_top_are_those_of_the_equation(network, train):
    import torch

    from recsens.recommenders._weights import Weights

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

    from recsens.recommenders._weights import Weights

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
