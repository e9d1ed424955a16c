"""Second opinions on metrics of pairs: scipy and scikit-learn, with tied scores, tied ratings and users of few items."""

import warnings

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr
from sklearn.metrics import roc_auc_score

from recsens import plugins
from recsens.files.scale import Scale
from recsens.metrics import WHOLE, Judged

N_USERS, N_ITEMS = 300, 40


@pytest.fixture(scope="module")
def judged() -> Judged:
    """Users with 0 to 12 judged items, some of them not ranked; scores fall with the position, by steps of three."""
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(N_USERS), rng.integers(0, 13, N_USERS))
    order = np.argsort(rng.random((N_USERS, N_ITEMS)), axis=1)
    position = np.concatenate([order[u, :n] for u, n in enumerate(np.bincount(user, minlength=N_USERS))])
    return Judged.of(
        user=user.astype(np.int32),
        position=position,
        rating=rng.integers(1, 6, len(user)).astype(float),
        targets_ranked=np.full(N_USERS, N_ITEMS - 1),
        view="full",
        scale=Scale(),
        relevance=4,
        score=np.where(position > 0, -(position // 3), np.nan),
    )


def each(judged: Judged, theirs, otherwise: float, *, by_score: bool) -> list[float]:
    """Compute each user's value with another library from scores (or positions) and ratings; NaN if it is undefined."""
    found = []
    for user in range(N_USERS):
        mine = (judged.user == user) & (judged.position > 0)
        values = judged.score[mine] if by_score else -judged.position[mine].astype(float)
        value = theirs(values, judged.rating[mine]) if mine.sum() > 1 else np.nan
        found.append(otherwise if np.isnan(value) else value)
    return found


def area(scores: np.ndarray, ratings: np.ndarray) -> float:
    relevant = ratings >= 4
    return roc_auc_score(relevant, scores) if 0 < relevant.sum() < len(relevant) else np.nan


@pytest.mark.parametrize("ties", ["broken", "score"])
@pytest.mark.parametrize(
    ("name", "theirs", "otherwise"),
    [
        ("KendallTau", lambda a, b: kendalltau(a, b, variant="b").statistic, 0.0),
        ("Spearman", lambda a, b: spearmanr(a, b).statistic, 0.0),
        ("AUC", area, 0.5),
    ],
)
def test_pairs_and_ranks_are_those_of_scipy_and_scikit_learn(judged, name, theirs, otherwise, ties):
    found = plugins.build("metric", f"{name}(ties={ties})").measure(judged, (WHOLE,))[:, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns if all values are equal
        expected = each(judged, theirs, otherwise, by_score=ties == "score")
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
