"""UIR-Item: probabilities by hand, a plain loop, and popularity if there is nothing but smoothing."""

import numpy as np
import pytest

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.recommenders._kernels import Rows
from recsens.recommenders._memory_check import LIMIT
from recsens.recommenders.uir_item import UIRItem, is_filled
from recsens.testing import crowd, from_rows


def scored(train: Interactions, **params) -> np.ndarray:
    return UIRItem(**{"mixing": 0.5, **params}).fit(train, np.random.default_rng()).score(train, np.arange(train.n_users))


def by_plain_loop(train: Interactions, mixing: float) -> np.ndarray:
    met = train.matrix.toarray() > 0
    counts = met.sum(axis=0)
    together = np.array(
        [[0 if i == j else (met[:, i] & met[:, j]).sum() for j in range(train.n_items)] for i in range(train.n_items)]
    )
    scores = np.full(met.shape, np.nan)
    for u, i in np.ndindex(met.shape):
        if counts[i] > 0 and met[u].any():
            scores[u, i] = np.log(counts[i] / counts.sum())
            for j in np.flatnonzero(met[u] & (together[i] > 0)):
                given_i, alone = together[i, j] / together[i].sum(), counts[j] / counts.sum()
                scores[u, i] += np.log(1 + (1 - mixing) * given_i / (mixing * alone))
    return scores


def test_scores_follow_from_who_met_what_together():
    train = from_rows([[5, 1, None], [None, 2, 4], [3, None, None]])
    # P = 2/5, 2/5, 1/5; items 0 and 1 were rated together once, and so were 1 and 2: P(1|2) = 1, P(0|1) = 1/2.
    scores = scored(train)
    assert scores[0, 2] == pytest.approx(np.log(1 / 5) + np.log(1 + 1 / (2 / 5)))
    assert scores[2, 1] == pytest.approx(np.log(2 / 5) + np.log(1 + 1 / 2 / (2 / 5)))
    assert scores[2, 2] == pytest.approx(np.log(1 / 5))
    assert scored(train, mixing=0.8)[0, 2] == pytest.approx(np.log(1 / 5) + np.log(1 + 0.2 / (0.8 * 2 / 5)))


@pytest.mark.parametrize("mixing", [0.1, 0.99])
def test_a_plain_loop_agrees(mixing):
    train = crowd(n_users=40, n_items=30)
    np.testing.assert_allclose(scored(train, mixing=mixing), by_plain_loop(train, mixing), rtol=1e-12)


@pytest.mark.parametrize(("n_items", "filled"), [(50, True), (300, False)])
def test_sums_over_few_or_many_pairs_of_items_agree_with_a_plain_loop(n_items, filled):
    train = crowd(n_users=40, n_items=n_items, share=4 / n_items)
    model = UIRItem(mixing=0.5).fit(train, np.random.default_rng())
    gains = Rows(*(model.learned[name] for name in ("indptr", "items", "gains")))
    assert is_filled(gains, n_items) == filled
    np.testing.assert_allclose(model.score(train, np.arange(40)), by_plain_loop(train, 0.5), rtol=1e-12)


def test_nothing_but_smoothing_is_popularity():
    train = crowd(n_users=40, n_items=30, share=0.3)
    popularity = np.log(train.item_counts / len(train))
    np.testing.assert_allclose(scored(train, mixing=1 - 1e-12), np.tile(popularity, (40, 1)), atol=1e-8)


def test_only_relevant_ratings_can_count():
    train = from_rows([[5, 1, 5], [5, 5, None], [4, 5, 2]])
    relevant = from_rows([[1, None, 1], [1, 1, None], [1, 1, None]])
    np.testing.assert_array_equal(scored(train, preference="positive"), scored(relevant))


def test_users_and_items_without_ratings_are_not_computable():
    scores = scored(from_rows([[5, 5, None], [None, None, None]]))
    np.testing.assert_array_equal(np.isnan(scores), [[False, False, True], [True] * 3])


def test_too_many_pairs_are_refused(monkeypatch):
    monkeypatch.setenv(LIMIT, "0.000001")
    with pytest.raises(DesignError, match="co-occurring pairs of the 120 items"):
        scored(crowd())
