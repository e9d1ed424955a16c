"""LDA: which ratings count and how often, the batch fit of scikit-learn, and communities that are found."""

import numpy as np
import pytest
from sklearn.decomposition import LatentDirichletAllocation

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.files.scale import Scale
from recsens.recommenders.topic_models import LDA
from recsens.testing import crowd, from_rows


def fitted(train: Interactions, **params) -> LDA:
    return LDA(**params).fit(train, np.random.default_rng(3))


def test_ratings_are_rounded_down_or_count_once():
    train = from_rows([[4.5, None, 0.5], [0, 2, None]], scale=Scale(0, 5, 0.5))
    rounded, once = (LDA(counts=counts)._count_occurrences(train) for counts in ("rating", "binary"))
    np.testing.assert_array_equal(rounded.toarray(), [[4, 0, 0], [0, 2, 0]])
    assert rounded.nnz == 2
    np.testing.assert_array_equal(once.toarray(), [[1, 0, 1], [1, 1, 0]])


def test_one_topic_is_worked_by_hand():
    # One topic takes every meeting: φ is as 5 + 3 + 1, 1 + 1 and 1 + 1, with η = 1 added to each sum.
    train = from_rows([[5, 1, None], [3, None, 1]])
    scores = fitted(train, factors=1, epochs=1).score(train, np.arange(2))
    np.testing.assert_allclose(scores, [[9 / 13, 2 / 13, 2 / 13]] * 2, rtol=1e-14)


def test_two_communities_are_two_topics():
    # With priors next to nothing each topic has the items of one community alone, in proportion to their ratings, 2 : 1 and 1 : 3.
    train = from_rows([[4, 2, None, None]] * 3 + [[None, None, 1, 3]] * 3)
    scores = fitted(train, factors=2, alpha=1e-6, eta=1e-6).score(train, np.arange(6))
    np.testing.assert_allclose(scores, [[2 / 3, 1 / 3, 0, 0]] * 3 + [[0, 0, 1 / 4, 3 / 4]] * 3, atol=1e-5)


def test_scikit_learn_in_batch_has_the_same_probabilities():
    train = crowd(n_users=40, n_items=30, share=0.3)
    model = fitted(train, factors=4, alpha=0.7, eta=0.3, epochs=6, steps=7)
    theirs = LatentDirichletAllocation(
        4,
        doc_topic_prior=0.7,
        topic_word_prior=0.3,
        learning_method="batch",
        max_iter=6,
        max_doc_update_iter=7,
        random_state=int(np.random.default_rng(3).integers(2**31)),
    ).fit(train.matrix)
    probabilities = theirs.components_ / theirs.components_.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.score(train, np.arange(40)), theirs.transform(train.matrix) @ probabilities, rtol=1e-12)


def test_probabilities_of_a_user_s_items_sum_to_one():
    train = crowd(n_users=50, n_items=40, share=0.3)
    np.testing.assert_allclose(fitted(train).score(train, np.arange(50)).sum(axis=1), 1.0, rtol=1e-12)


def test_what_counts_nothing_is_not_computable():
    train = from_rows([[0, 2, None], [4, None, None], [0.5, None, None]], scale=Scale(0, 4, 0.5))
    missing = np.isnan(fitted(train, factors=2).score(train, np.arange(3)))
    np.testing.assert_array_equal(missing, [[False, False, True], [False, False, True], [True, True, True]])


def test_negative_ratings_are_refused_unless_each_counts_once():
    train = from_rows([[-3, 2]], scale=Scale(-10, 10, 1))
    with pytest.raises(DesignError, match="rating -3"):
        fitted(train)
    assert not np.isnan(fitted(train, counts="binary").score(train, np.arange(1))).any()
