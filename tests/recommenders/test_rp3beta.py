"""RP3beta: walks by hand, the equation of Paudel et al. as dense matrices, and the items that are kept by a plain sort."""

import numpy as np
import pytest

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.recommenders.rp3beta import RP3Beta
from recsens.testing import crowd, from_rows


def scored(train: Interactions, **params) -> np.ndarray:
    model = RP3Beta(**params).fit(train, np.random.default_rng(1))
    return model.score(train, np.arange(train.n_users))


def test_walks_are_worked_by_hand():
    # From item 0, a walk goes to user 0 or 1 (1/2 each), then to one of the user's two items (1/2 each).
    train = from_rows([[5, 4, None], [5, None, 3]])
    scores = scored(train, beta=0)
    np.testing.assert_allclose(scores, [[1 / 2, 1 / 4, 1 / 4], [1 / 2, 1 / 4, 1 / 4]], rtol=1e-15)
    # Two users rated item 0, so its weight is halved; with alpha = 2, all steps are squared.
    np.testing.assert_allclose(scored(train, beta=1)[0], [1 / 4, 1 / 4, 1 / 4], rtol=1e-15)
    np.testing.assert_allclose(scored(train, beta=0, alpha=2)[0], [1 / 4, 1 / 16, 1 / 16], rtol=1e-15)


@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 0.6), (0.5, 0.0), (1.7, 1.2), (0.0, 0.3)])
@pytest.mark.parametrize("preference", ["binary", "rating"])
def test_unrated_items_are_ranked_as_the_walks_of_the_paper(alpha, beta, preference):
    train = crowd(n_users=60, n_items=40, share=0.2)
    dense = train.matrix.toarray()
    adjacency = np.sign(dense) if preference == "binary" else dense
    edges = adjacency > 0
    to_items = np.where(edges, adjacency / np.maximum(adjacency.sum(1, keepdims=True), 1e-300), 0)
    to_users = np.where(edges.T, adjacency.T / np.maximum(adjacency.T.sum(1, keepdims=True), 1e-300), 0)
    powered, back = (np.where(step > 0, step**alpha, 0) for step in (to_items, to_users))
    first = powered if preference == "binary" else adjacency
    walks = first @ back @ powered / edges.sum(0) ** beta
    scores = scored(train, alpha=alpha, beta=beta, preference=preference, k=40)
    for user in range(60):
        unrated = ~edges[user] & (walks[user] > 0)
        ratio = scores[user, unrated] / walks[user, unrated]
        np.testing.assert_allclose(ratio, ratio[0], rtol=1e-12)
        assert np.isnan(scores[user, ~edges[user] & (walks[user] == 0)]).all()


def test_only_the_most_visited_items_are_kept():
    train = crowd(n_users=60, n_items=40, share=0.2)
    kept, model = 5, RP3Beta(k=5).fit(train, np.random.default_rng(1))
    everything = RP3Beta(k=40).fit(train, np.random.default_rng(1)).learned
    for item in range(40):
        whole = slice(*everything["indptr"][item : item + 2])
        best = sorted(zip(everything["weights"][whole], everything["items"][whole], strict=True), reverse=True)[:kept]
        own = slice(*model.learned["indptr"][item : item + 2])
        assert dict(zip(model.learned["items"][own], model.learned["weights"][own], strict=True)) == {i: w for w, i in best}


def test_negative_ratings_are_refused():
    train = from_rows([[1, -1], [1, 1]], scale=Scale(-1, 1, 1))
    with pytest.raises(DesignError, match="no probabilities with the negative rating -1"):
        scored(train, preference="rating")
    assert np.isfinite(scored(train)[0]).all()
