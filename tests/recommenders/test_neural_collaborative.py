"""GMF, MLP and NeuMF: a training step follows the equations, and fitted models score without PyTorch."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array

from recsens.errors import ConfigError
from recsens.recommenders import Recommender, read_model, write_model
from recsens.recommenders._gradient_descent import RatedPairs
from recsens.recommenders._neural_networks import FusedNetwork, join_networks
from recsens.testing import crowd, from_rows

X = None
NETWORKS = {
    "gmf(factors=3)": FusedNetwork(factors=3),
    "mlp(factors=2,layers=2)": FusedNetwork(narrowest=2, layers=2),
    "neumf(factors=2,layers=2)": FusedNetwork(factors=2, narrowest=2, layers=2),
}


def sigmoid(s):
    return 1 / (1 + np.exp(-s))


def forward(network, weights, user, item):
    """Return s of one pair, [p ∘ q; z_L] and the layers z_0, ..., z_L of equation 12, in float64."""
    k = network.factors
    p, q = weights["users"][user], weights["items"][item]
    layers = []
    if network.layers:
        layers = [np.concatenate((p[k:], q[k:]))]
        for layer in range(1, network.layers + 1):
            layers.append(np.maximum(weights[f"layer_{layer}"] @ layers[-1] + weights[f"biases_{layer}"], 0))
    top = np.concatenate((p[:k] * q[:k], layers[-1] if layers else []))
    return weights["output"][0] @ top + weights["bias"][0], top, layers


def gradients(network, weights, pairs):
    """Return the gradient of the mean cross-entropy of (user, item, label), by the chain rule, pair by pair."""
    k, found = network.factors, {name: np.zeros_like(each) for name, each in weights.items()}
    for user, item, label in pairs:
        s, top, layers = forward(network, weights, user, item)
        slope = (sigmoid(s) - label) / len(pairs)
        found["output"][0] += slope * top
        found["bias"] += slope
        by_top = slope * weights["output"][0]
        p, q = weights["users"][user], weights["items"][item]
        found["users"][user, :k] += by_top[:k] * q[:k]
        found["items"][item, :k] += by_top[:k] * p[:k]
        by_layer = by_top[k:]
        for layer in range(network.layers, 0, -1):
            by_sum = by_layer * (layers[layer] > 0)
            found[f"layer_{layer}"] += np.outer(by_sum, layers[layer - 1])
            found[f"biases_{layer}"] += by_sum
            by_layer = weights[f"layer_{layer}"].T @ by_sum
        if network.layers:
            half = len(by_layer) // 2
            found["users"][user, k:] += by_layer[:half]
            found["items"][item, k:] += by_layer[half:]
    return found


def adam(weights, gradient, rate, step=1):
    """Return the weights after the first step of Adam from zero moments: m̂ = g and v̂ = g² (Kingma & Ba 2015, algorithm 1)."""
    assert step == 1
    return {name: each - rate * gradient[name] / (np.abs(gradient[name]) + 1e-8) for name, each in weights.items()}


def doubled(weights, scale=1.0):
    return {name: scale * each.astype(np.float64) for name, each in weights.items()}


@pytest.fixture
def small():
    return from_rows([[5, X, 3, X], [X, 4, X, 1], [2, X, X, 4]])


@pytest.mark.parametrize(("spec", "network"), NETWORKS.items(), ids=NETWORKS)
def test_scores_are_those_of_the_equations(spec, network, small):
    weights = doubled(network.start(small, np.random.default_rng(3)), 20)
    scores = network.scores(weights, np.array([2, 0]))
    expected = [[forward(network, weights, user, item)[0] for item in range(4)] for user in (2, 0)]
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


@pytest.mark.parametrize(("spec", "network"), NETWORKS.items(), ids=NETWORKS)
def test_a_gradient_is_that_of_the_equations(spec, network, small):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: make neural")
    from recsens.recommenders._gradient_descent import Weights

    start = {name: 20 * each for name, each in network.start(small, np.random.default_rng(3)).items()}
    # A user and an item occur twice: their rows add up.
    pairs = [(0, 0, 1.0), (0, 1, 0.0), (2, 1, 1.0), (1, 3, 0.0), (0, 0, 0.0)]
    users, items, labels = (torch.tensor(column) for column in zip(*pairs, strict=True))
    weights = Weights(torch, start, network.tables)
    for _ in range(2):  # the second starts from zero again
        logits = network.logits(torch, weights, users, items)
        weights.differentiate(torch.nn.functional.binary_cross_entropy_with_logits(logits, labels))
    expected = gradients(network, doubled(start), pairs)
    found = weights.vector.grad.numpy()
    np.testing.assert_allclose(found, np.concatenate([each.ravel() for each in expected.values()]), rtol=1e-4, atol=1e-7)
    assert np.abs(found).max() > 1e-3


@pytest.mark.parametrize(("spec", "network"), NETWORKS.items(), ids=NETWORKS)
def test_one_epoch_of_one_batch_is_a_step_of_adam(spec, network, small):
    pytest.importorskip("torch", reason="PyTorch is not installed: make neural")
    recommender = Recommender.build(spec.replace(")", ",epochs=1,batch_size=100,learning_rate=0.01)"))
    learned = recommender.fit(small, np.random.default_rng(7)).learned
    rng = np.random.default_rng(7)
    start = network.start(small, rng)
    drawn = RatedPairs(small.matrix).draw(4, rng)
    expected = adam(doubled(start), gradients(network, doubled(start), list(zip(*drawn[:3], strict=True))), 0.01)
    for name, each in expected.items():
        np.testing.assert_allclose(learned[name], each, rtol=1e-3, atol=1e-5, err_msg=name)


def test_pretraining_starts_from_both_halves_and_goes_on_by_plain_descent(small):
    pytest.importorskip("torch", reason="PyTorch is not installed: make neural")
    network = NETWORKS["neumf(factors=2,layers=2)"]
    spec = "neumf(factors=2,layers=2,epochs=1,batch_size=100,learning_rate=0.5,pretraining=true,alpha=0.25)"
    learned = Recommender.build(spec).fit(small, np.random.default_rng(7)).learned
    rng = np.random.default_rng(7)
    halves = []
    for half in (FusedNetwork(factors=2), FusedNetwork(narrowest=2, layers=2)):
        start = doubled(half.start(small, rng))
        pairs = list(zip(*RatedPairs(small.matrix).draw(4, rng)[:3], strict=True))
        halves.append(adam(start, gradients(half, start, pairs), 0.5))
    joined = doubled(join_networks(*halves, alpha=0.25))
    pairs = list(zip(*RatedPairs(small.matrix).draw(4, rng)[:3], strict=True))
    gradient = gradients(network, joined, pairs)
    for name, each in joined.items():
        np.testing.assert_allclose(learned[name], each - 0.5 * gradient[name], rtol=1e-3, atol=1e-4, err_msg=name)


def test_halves_are_joined_by_their_weight():
    gmf = {"users": np.ones((1, 2)), "items": np.ones((1, 2)), "output": np.array([[4.0, 8.0]]), "bias": np.array([1.0])}
    mlp = {"users": np.zeros((1, 1)), "items": np.zeros((1, 1)), "output": np.array([[2.0]]), "bias": np.array([3.0])}
    joined = join_networks(gmf, mlp, 0.5)
    assert joined["output"].tolist() == [[2.0, 4.0, 1.0]]
    assert joined["bias"].tolist() == [2.0]
    assert joined["users"].tolist() == [[1.0, 1.0, 0.0]]


def test_the_tower_of_eight_factors_is_that_of_the_paper():
    assert FusedNetwork(factors=8, narrowest=8, layers=3).widths == (64, 32, 16, 8)
    assert FusedNetwork(factors=8, narrowest=8, layers=3).embedding == 40


def test_more_users_than_a_tile_of_items_are_scored_alike():
    train = crowd(n_users=5, n_items=150)
    network = FusedNetwork(factors=4, narrowest=4, layers=3)
    weights = doubled(network.start(train, np.random.default_rng(1)), 30)
    scores = network.scores(weights, np.arange(5))
    for item in (0, 63, 64, 127, 128, 149):
        assert scores[3, item] == pytest.approx(forward(network, weights, 3, item)[0], rel=1e-12)


def test_unrated_items_are_drawn_uniformly_from_what_others_rated():
    ratings = csr_array(np.array([[1, 0, 1, 0, 0, 0], [0, 1, 0, 0, 1, 0], [1, 1, 1, 0, 1, 1]]))
    drawn = RatedPairs(ratings).draw(6000, np.random.default_rng(1))
    rated = {(int(u), int(i)) for u, i in pairwise([0])} | {(0, 0), (0, 2), (1, 1), (1, 4), (2, 0), (2, 1), (2, 2), (2, 4), (2, 5)}
    ones = drawn.label == 1
    assert {(int(u), int(i)) for u, i in zip(drawn.user[ones], drawn.item[ones], strict=True)} == rated
    assert ones.sum() == 9
    # Item 3 has no rating, and user 2 rated all others.
    for user, unrated in ((0, [1, 4, 5]), (1, [0, 2, 5]), (2, [])):
        counts = np.bincount(drawn.item[~ones & (drawn.user == user)], minlength=6)
        assert np.flatnonzero(counts).tolist() == unrated
        assert counts.sum() == (12_000 if unrated else 0)
        if unrated:
            np.testing.assert_allclose(counts[unrated], 4000, rtol=0.05)


def test_every_draw_is_another_one():
    pairs, rng = RatedPairs(crowd().matrix), np.random.default_rng(1)
    first, second = pairs.draw(4, rng), pairs.draw(4, rng)
    assert (first.item != second.item).mean() > 0.9
    assert first.label.mean() == pytest.approx(0.2)


@pytest.mark.parametrize("spec", ["gmf(epochs=2)", "mlp(epochs=2)", "neumf(epochs=2)", "neumf(epochs=1,pretraining=true)"])
def test_the_same_bytes_twice_and_a_model_read_back_scores_alike(spec, tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed: make neural")
    train = crowd(n_users=60, n_items=40)
    first, second = (Recommender.build(spec).fit(train, np.random.default_rng(1)) for _ in range(2))
    assert {name: each.tobytes() for name, each in first.learned.items()} == {
        name: each.tobytes() for name, each in second.learned.items()
    }
    write_model(tmp_path / "model.npz", first)
    read = read_model(tmp_path / "model.npz", Recommender.build(spec))
    np.testing.assert_array_equal(read.score(train, np.arange(60)), first.score(train, np.arange(60)))


def test_relevant_ratings_alone_may_count():
    pytest.importorskip("torch", reason="PyTorch is not installed: make neural")
    train = from_rows([[5, 1, X], [2, 1, X], [X, 4, 4]])
    scores = Recommender.build("neumf(preference=positive)").fit(train, np.random.default_rng(1)).score(train, np.arange(3))
    assert np.isnan(scores[1]).all()
    assert not np.isnan(scores[[0, 2]]).any()


def test_without_pytorch_a_fit_says_what_to_install(monkeypatch, small):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(ConfigError, match="it needs PyTorch") as refused:
        Recommender.build("gmf").fit(small, np.random.default_rng(1))
    assert refused.value.remedy == "run 'make neural' in a checkout, or install recsens[neural]"
