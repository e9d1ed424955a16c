"""Metrics of whole rankings against scikit-learn's, user by user."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score

from recsens import evaluate

RNG = np.random.default_rng(1)
RATINGS = RNG.integers(1, 6, (40, 30))
SCORES = RNG.permuted(np.tile(np.arange(30.0), (40, 1)), axis=1)
RELEVANT = RATINGS >= 4

ORACLES = {
    "AP": lambda user: average_precision_score(RELEVANT[user], SCORES[user]),
    "LAUC": lambda user: roc_auc_score(RELEVANT[user], SCORES[user]),
    "nDCG(gain=linear)@7": lambda user: ndcg_score(RATINGS[[user]], SCORES[[user]], k=7),
    "nDCG(gain=power)@30": lambda user: ndcg_score(2.0 ** RATINGS[[user]] - 1, SCORES[[user]]),
}


def rows(values):
    return pd.DataFrame(values).melt(ignore_index=False, var_name="item", value_name="score").rename_axis("user").reset_index()


@pytest.mark.parametrize("metric", ORACLES)
def test_a_user_has_scikit_learn_s_value(metric):
    found = evaluate(rows(SCORES), rows(RATINGS).rename(columns={"score": "rating"}), [metric], relevance=4)
    for user, values in found.per_user.items():
        assert values[metric] == pytest.approx(ORACLES[metric](int(user)), rel=1e-12)
