"""Hitting time: chains worked out by hand, sweeps over every node, and the closed form by the Laplacian of the graph."""

import numpy as np
import pytest

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.recommenders._kernels import Rows
from recsens.recommenders.ht import HT, Neighbours, search_around
from recsens.testing import crowd, from_rows


def times(train: Interactions, **params) -> np.ndarray:
    return -HT(**params).fit(train, np.random.default_rng()).score(train, np.arange(train.n_users))


def graph_of(train: Interactions) -> np.ndarray:
    """The weights of all edges, users before items."""
    ratings = train.matrix.toarray()
    return np.block([[np.zeros((train.n_users,) * 2), ratings], [ratings.T, np.zeros((train.n_items,) * 2)]])


def by_plain_sweeps(train: Interactions, tau: int, mu: int) -> np.ndarray:
    weights, n_users = graph_of(train), train.n_users
    found = np.full((n_users, train.n_items), np.nan)
    for user in range(n_users):
        queue, place = [user], 0
        while place < len(queue) and (mu == 0 or sum(node >= n_users for node in queue) <= mu):
            queue += [node for node in np.flatnonzero(weights[queue[place]]) if node not in queue]
            place += 1
        if len(queue) == 1:
            continue
        inside = weights[np.ix_(queue, queue)]
        steps = np.zeros(len(queue))
        for _ in range(tau):
            steps = 1.0 + inside @ steps / inside.sum(axis=1)
            steps[0] = 0.0
        for node, value in zip(queue, steps, strict=True):
            if node >= n_users:
                found[user, node - n_users] = value
    return found


def test_steps_are_counted_until_the_walk_meets_the_user():
    # Towards user 0: item 0 leads there with probability 1/4, else to user 1, who leads back with 3/5 and to item 1 with 2/5.
    train = from_rows([[1, None], [3, 2]])
    np.testing.assert_allclose(times(train, tau=1)[0], [1, 1])
    np.testing.assert_allclose(times(train, tau=2)[0], [1 + 3 / 4, 2])
    np.testing.assert_allclose(times(train, tau=3)[0], [1 + 3 / 4 * 2, 3])
    # H_0 = 1 + 3/4 H_v, H_v = 1 + 3/5 H_0 + 2/5 H_1, H_1 = 1 + H_v.
    np.testing.assert_allclose(times(train, tau=2000)[0], [11, 43 / 3])


def test_the_closed_form_is_what_many_sweeps_come_to():
    train = crowd(n_users=9, n_items=7, share=0.5)
    weights = graph_of(train)
    degrees = weights.sum(axis=1)
    inverse = np.linalg.pinv(np.diag(degrees) - weights)
    for user, found in enumerate(times(train, tau=3000)):
        for item in range(train.n_items):
            j = train.n_users + item
            terms = inverse[j] - inverse[j, user] - inverse[user] + inverse[user, user]
            assert found[item] == pytest.approx(terms @ degrees, rel=1e-9)


@pytest.mark.parametrize(("tau", "mu"), [(1, 0), (6, 0), (15, 0), (15, 12), (4, 3), (5, 1)])
def test_plain_sweeps_agree(tau, mu):
    train = crowd(n_users=40, n_items=25, share=0.07)
    np.testing.assert_allclose(times(train, tau=tau, mu=mu), by_plain_sweeps(train, tau, mu), rtol=1e-12)


def test_a_subgraph_stops_after_the_neighbours_that_made_it_large_enough():
    rows = [[1, None, None], [1, 2, None], [None, 3, 4]]
    found = times(from_rows(rows), mu=1)[0]
    # User 1 adds the second item. User 2 is outside the subgraph, and so is this user's edge to item 1.
    assert np.isnan(found[2])
    np.testing.assert_allclose(found[:2], times(from_rows([rows[0], rows[1]]))[0, :2])


@pytest.mark.parametrize("most", [0, 3, 70, 150, 1000])
def test_a_search_by_words_finds_what_a_search_edge_by_edge_does(most):
    train = crowd(n_users=150, n_items=200, share=0.02)
    weights, rows = graph_of(train), Rows.of(train.matrix)
    around = Neighbours.of(rows), Neighbours.of(Rows.of_columns(train.matrix))
    for user in np.flatnonzero(np.diff(rows.indptr)):
        queue, place = [user], 0
        while place < len(queue) and sum(node >= 150 for node in queue) <= most:
            queue += [node for node in np.flatnonzero(weights[queue[place]]) if node not in queue]
            place += 1
        users, items = search_around(*around, user, most)
        assert users.tolist() == [node for node in queue if node < 150]
        assert items.tolist() == [node - 150 for node in queue if node >= 150]


def test_a_subgraph_of_all_items_is_the_graph():
    train = crowd(n_users=20, n_items=10, share=0.3)
    np.testing.assert_array_equal(times(train, mu=train.n_items), times(train))


def test_what_no_walk_connects_is_not_computable():
    found = times(from_rows([[5, None, None], [None, 5, None], [None, None, None]]))
    np.testing.assert_array_equal(found, [[1, np.nan, np.nan], [np.nan, 1, np.nan], [np.nan] * 3])


def test_a_rating_of_zero_is_no_edge():
    train = from_rows([[5, 0], [None, 3]], scale=Scale(0, 5))
    np.testing.assert_array_equal(times(train), [[1, np.nan], [np.nan, 1]])
    assert not np.isnan(times(train, preference="binary")).any()


def test_negative_ratings_are_refused():
    train = from_rows([[5, -1]], scale=Scale(-5, 5))
    with pytest.raises(DesignError, match="cannot use an edge of negative weight -1"):
        times(train)
    np.testing.assert_array_equal(times(train, preference="binary"), [[1, 1]])
