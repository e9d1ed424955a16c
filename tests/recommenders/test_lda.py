"""LDA: dense updates, scikit-learn's steps from the same start, and the bound, which never falls."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.special import gammaln, psi
from sklearn.decomposition import LatentDirichletAllocation

from recsens.errors import DesignError
from recsens.interactions import Interactions, Scale
from recsens.recommenders.lda import LDA, geometric_means
from recsens.testing import crowd, from_rows


def fitted(train: Interactions, **params) -> LDA:
    return LDA(**params).fit(train, np.random.default_rng(3))


def start(train: Interactions, model: LDA) -> np.ndarray:
    """Return the λ that fitting starts from, topic by topic."""
    from recsens.recommenders._draws import uniform_draws

    return (model.eta + 1 + uniform_draws(train.item_keys, model.topics, np.random.default_rng(3))).T


def dense(train: Interactions, model: LDA) -> tuple[np.ndarray, np.ndarray]:
    """Return γ and λ by the updates of Hoffman, Blei & Bach (2010), with every n_uiz written out."""
    ratings, topics = train.matrix.toarray(), start(train, model)
    mixtures = np.full((train.n_users, model.topics), model.alpha + 1)

    def meetings() -> np.ndarray:
        log = (psi(mixtures) - psi(mixtures.sum(1, keepdims=True)))[:, None, :] + typical.T[None, :, :]
        shares = np.exp(log)
        return ratings[:, :, None] * shares / shares.sum(axis=2, keepdims=True)

    for _ in range(model.epochs):
        typical = psi(topics) - psi(topics.sum(1, keepdims=True))
        for _ in range(model.steps):
            mixtures = model.alpha + meetings().sum(axis=1)
        topics = model.eta + meetings().sum(axis=0).T
    return mixtures, topics


def bound(train: Interactions, model: LDA) -> float:
    """Return the evidence lower bound with n_uiz maximised out, up to what does not change."""
    mixtures, topics = dense(train, model)
    typical = geometric_means(mixtures) @ geometric_means(topics)
    found = float((train.matrix.toarray() * np.log(typical)).sum())
    for parameters, prior in ((mixtures, model.alpha), (topics, model.eta)):
        log = psi(parameters) - psi(parameters.sum(1, keepdims=True))
        found += float(((prior - parameters) * log + gammaln(parameters)).sum() - gammaln(parameters.sum(1)).sum())
    return found


def test_dense_updates_agree():
    train = crowd(n_users=40, n_items=30, share=0.3)
    model = fitted(train, topics=5, alpha=0.4, eta=0.2, epochs=3, steps=2)
    mixtures, topics = dense(train, model)
    np.testing.assert_allclose(model.learned["mixtures"], mixtures / mixtures.sum(1, keepdims=True), rtol=1e-9)
    np.testing.assert_allclose(model.learned["topics"].T, topics / topics.sum(1, keepdims=True), rtol=1e-9)


def test_scikit_learn_makes_the_same_step_from_the_same_start():
    train = crowd(n_users=40, n_items=30, share=0.3)
    model = fitted(train, topics=4, alpha=0.7, eta=0.3, epochs=1, steps=300)
    counts = csr_matrix(train.matrix)
    theirs = LatentDirichletAllocation(
        4, doc_topic_prior=0.7, topic_word_prior=0.3, max_iter=0, random_state=0, max_doc_update_iter=300, mean_change_tol=0
    ).fit(counts)
    theirs.components_ = start(train, model)
    theirs.exp_dirichlet_component_ = geometric_means(theirs.components_)
    np.testing.assert_allclose(model.learned["mixtures"], theirs.transform(counts), rtol=1e-6)
    theirs._em_step(counts, total_samples=40, batch_update=True)
    topics = theirs.components_ / theirs.components_.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.learned["topics"].T, topics, rtol=1e-4)


@pytest.mark.parametrize("steps", [1, 3])
def test_the_bound_never_falls(steps):
    train = crowd(n_users=20, n_items=15, share=0.4)
    model = LDA(topics=3, alpha=0.5, eta=0.1, steps=steps)
    found = [bound(train, model.model_copy(update={"epochs": epochs})) for epochs in (1, 2, 3, 4, 8, 16)]
    assert (np.diff(found) > 0).all()


def test_scores_are_probabilities():
    train = crowd(n_users=50, n_items=40, share=0.3)
    model = fitted(train, topics=5)
    scores = model.score(train, np.arange(50))
    np.testing.assert_allclose(scores.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(scores[7], model.learned["mixtures"][7] @ model.learned["topics"].T, rtol=1e-12)


def test_what_counts_nothing_is_not_computable():
    train = from_rows([[0, 2, None], [4, None, None], [0, None, None]], scale=Scale(0, 4, 1))
    missing = np.isnan(fitted(train, topics=2).score(train, np.arange(3)))
    np.testing.assert_array_equal(missing, [[False, False, True], [False, False, True], [True, True, True]])


def test_negative_ratings_are_refused():
    with pytest.raises(DesignError, match="rating -3"):
        fitted(from_rows([[-3, 2]], scale=Scale(-10, 10, 1)))
