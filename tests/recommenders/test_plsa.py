"""pLSA: one step by hand, dense expectation maximisation, and the fixed points of scikit-learn's factorisation by divergence."""

import warnings

import numpy as np
import pytest
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.recommenders._kernels import Rows
from recsens.recommenders.topic_models import PLSA, share_out
from recsens.testing import crowd, from_rows


def fitted(train: Interactions, **params) -> PLSA:
    return PLSA(**params).fit(train, np.random.default_rng(3))


def dense_step(ratings: np.ndarray, mixtures: np.ndarray, topics: np.ndarray, temper: float) -> tuple[np.ndarray, np.ndarray]:
    """Hofmann's E and M step with every q(z | u, i) written out."""
    q = (mixtures[:, None, :] * topics[None, :, :]) ** temper
    q /= q.sum(axis=2, keepdims=True)
    new_mixtures = (ratings[:, :, None] * q).sum(axis=1)
    new_topics = (ratings[:, :, None] * q).sum(axis=0)
    return new_mixtures / new_mixtures.sum(axis=1, keepdims=True), new_topics / new_topics.sum(axis=0)


def likelihood(train: Interactions, model: PLSA) -> float:
    scores = model.score(train, np.arange(train.n_users))
    return float((train.rating * np.log(scores[train.user, train.item])).sum())


def test_shares_are_worked_by_hand():
    # 6 is shared as 1*2 : 3*1, hence 2.4 and 3.6; 10 as 1*1 : 3*3, hence 1 and 9.
    rows = Rows.of(from_rows([[5, 5]]).matrix)._replace(values=np.array([6.0, 10.0]))
    rows.values.setflags(write=False)
    shares = share_out(np.arange(1), rows, np.array([[1.0, 3.0]]), np.array([[2.0, 1.0], [1.0, 3.0]]), 1e-200)
    np.testing.assert_allclose(shares, [[2.4 + 1, 3.6 + 9]], rtol=1e-14)


@pytest.mark.parametrize("temper", [1.0, 0.7])
def test_dense_expectation_maximisation_agrees(temper):
    train = crowd(n_users=40, n_items=30, share=0.3)
    one, four = (fitted(train, topics=5, epochs=epochs, temper=temper) for epochs in (1, 4))
    mixtures, topics = one.learned["mixtures"], one.learned["topics"]
    for _ in range(3):
        mixtures, topics = dense_step(train.matrix.toarray(), mixtures, topics, temper)
    np.testing.assert_allclose(four.learned["mixtures"], mixtures, rtol=1e-10)
    np.testing.assert_allclose(four.learned["topics"], topics, rtol=1e-10)
    np.testing.assert_allclose(four.score(train, np.array([7, 3])), mixtures[[7, 3]] @ topics.T, rtol=1e-10)


def test_the_likelihood_never_falls():
    train = crowd(n_users=50, n_items=40, share=0.3)
    found = [likelihood(train, fitted(train, topics=6, epochs=epochs)) for epochs in (1, 2, 3, 5, 10, 50)]
    assert (np.diff(found) > 0).all()


def test_probabilities_of_a_user_s_items_sum_to_one():
    train = crowd(n_users=50, n_items=40, share=0.3)
    np.testing.assert_allclose(fitted(train).score(train, np.arange(50)).sum(axis=1), 1.0, rtol=1e-12)


def test_one_topic_is_popularity_by_ratings():
    train = from_rows([[5, 1, None], [3, None, 1]])
    np.testing.assert_allclose(fitted(train, topics=1, epochs=1).score(train, np.arange(2)), [[0.8, 0.1, 0.1]] * 2, rtol=1e-14)


def test_nothing_moves_where_scikit_learn_ends():
    train = crowd(n_users=30, n_items=20, share=0.5)
    nmf = NMF(2, solver="mu", beta_loss="kullback-leibler", init="random", max_iter=2000, tol=0, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        weights = nmf.fit_transform(train.matrix.toarray())
    sizes = nmf.components_.sum(axis=1)
    mixtures, topics = weights * sizes, (nmf.components_ / sizes[:, None]).T
    of_users, of_items = Rows.of(train.matrix), Rows.of_columns(train.matrix)
    users, items = np.arange(len(mixtures)), np.arange(len(topics))
    moved = share_out(users, of_users, mixtures, np.ascontiguousarray(topics), 1e-200)
    np.testing.assert_allclose(moved, mixtures, rtol=1e-3, atol=1e-3)
    moved = share_out(items, of_items, np.ascontiguousarray(topics), mixtures, 1e-200)
    np.testing.assert_allclose(moved / moved.sum(axis=0), topics, rtol=1e-3, atol=1e-5)


def test_what_counts_nothing_is_not_computable():
    train = from_rows([[0, 2, None], [4, None, None], [0, None, None]], scale=Scale(0, 4, 1))
    missing = np.isnan(fitted(train, topics=2).score(train, np.arange(3)))
    np.testing.assert_array_equal(missing, [[False, False, True], [False, False, True], [True, True, True]])
    missing = np.isnan(fitted(train, topics=2, preference="positive").score(train, np.arange(3)))
    np.testing.assert_array_equal(missing, [[True, True, True], [False, True, True], [True, True, True]])


def test_negative_ratings_are_refused_unless_they_only_say_who_met_what():
    train = from_rows([[-3, 2]], scale=Scale(-10, 10, 1))
    with pytest.raises(DesignError, match=r"rating -3(.|\n)*preference=binary"):
        fitted(train)
    assert not np.isnan(fitted(train, preference="binary").score(train, np.arange(1))).any()
