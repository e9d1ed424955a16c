"""Comparison with scikit-learn on runs and judgements: its convention and our metrics on whole rankings, and prediction errors."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, mean_absolute_error, ndcg_score, roc_auc_score, root_mean_squared_error

from recsens.runs.evaluation import evaluate

N_USERS, N_ITEMS = 100, 20


@pytest.fixture(scope="module")
def board() -> tuple[np.ndarray, np.ndarray]:
    """Scores without ties, and ratings (0 if there is none), shape (n_users, n_items); some users like nothing."""
    rng = np.random.default_rng(0)
    ratings = rng.choice([0, 1, 2, 3, 4, 5], (N_USERS, N_ITEMS), p=[0.5, 0.1, 0.1, 0.1, 0.1, 0.1])
    ratings[:, 0] = np.maximum(ratings[:, 0], 1)
    ratings[::10] = np.minimum(ratings[::10], 3)
    return rng.random((N_USERS, N_ITEMS)) * 5, ratings


def asked(board: tuple[np.ndarray, np.ndarray], metrics: list[str], **options: object):
    scores, ratings = board
    user, item = np.indices(scores.shape)
    judged = ratings > 0
    run = (user.ravel(), item.ravel(), scores.ravel())
    return evaluate(run, (user[judged], item[judged], ratings[judged]), metrics, **options)


def test_its_convention_on_whole_rankings(board):
    found = asked(board, ["ndcg_score@3,10", "ndcg_score", "average_precision_score"], convention="sklearn")
    assert len(found.per_user) == N_USERS
    for values, score, rating in zip(found.per_user.values(), *board, strict=True):
        expected = [ndcg_score([rating], [score], k=k) for k in (3, 10, None)]
        # Without a relevant item it warns, and returns 0.
        expected.append(average_precision_score(rating >= 4, score) if (rating >= 4).any() else 0.0)
        assert list(values.values()) == pytest.approx(expected, abs=1e-9)


def test_our_metrics_of_wholly_judged_rankings(board):
    scores, ratings = board[0], np.maximum(board[1], 1)
    found = asked((scores, ratings), ["AP", "LAUC", "nDCG(gain=linear)@7", "nDCG(gain=power)"], relevance=4)
    for values, score, rating in zip(found.per_user.values(), scores, ratings, strict=True):
        relevant = rating >= 4
        of_relevant = [of(relevant, score) for of in (average_precision_score, roc_auc_score)] if relevant.any() else [0.0, 0.5]
        expected = [*of_relevant, ndcg_score([rating], [score], k=7), ndcg_score([2.0**rating - 1], [score])]
        assert list(values.values()) == pytest.approx(expected, abs=1e-12)


def test_errors_of_predicted_ratings(board):
    scores, ratings = board
    found = asked(board, ["MAE", "RMSE", "uMAE", "uRMSE", "iMAE", "iRMSE", "MAE(norm=range)"]).means
    judged = ratings > 0
    expected: dict[str, float] = {}
    for name, error in {"MAE": mean_absolute_error, "RMSE": root_mean_squared_error}.items():
        expected[name] = error(ratings[judged], scores[judged])
        for prefix, axis in {"u": (ratings, scores), "i": (ratings.T, scores.T)}.items():
            expected[prefix + name] = np.mean([error(r[r > 0], s[r > 0]) for r, s in zip(*axis, strict=True)])
    expected["MAE(norm=range)"] = expected["MAE"] / 4
    assert found == pytest.approx(expected, abs=1e-9)
