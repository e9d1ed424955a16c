"""Metrics of lists, of predictions and of all users are refused before any job if they have no meaning."""

import pytest

from recsens.errors import DesignError
from recsens.plugins.specs import parse
from recsens.study import Study
from recsens.study.conflicts import refuse_conflicts
from recsens.study.designs import expand

PREDICTING = {"A": "average_rating", "B": "average_rating(damping=2.0)"}


def refuse(metric: str, systems: dict[str, str], **design: str) -> None:
    base = {"title": "t", "datasets": {"S": "simulated"}, "systems": systems, "metrics": [metric], "design": design}
    study = Study.model_validate(base)
    refuse_conflicts(study, expand(study, {"S": parse("simulated")}))


@pytest.mark.parametrize("metric", ["MAE", "RMSE", "uMAE", "iRMSE", "SDCSE", "DCSE@5", "UpSell@5"])
def test_scores_that_are_no_ratings_have_no_error(metric):
    refuse(metric, PREDICTING)
    with pytest.raises(DesignError) as refused:
        refuse(metric, {"A": "average_rating", "B": "popularity"})
    assert f"'metrics: {metric}' and 'systems: B' do not go together" in str(refused.value)
    assert "such as average_rating" in str(refused.value)


@pytest.mark.parametrize("metric", ["Gini@5", "ILD@5", "HLU", "CROC", "MAE", "uMAE", "PredictionCoverage"])
@pytest.mark.parametrize("targets", ["one_r", "p1r(m=5)", "rel_plus_n(n=10)"])
def test_rankings_of_ratings_have_neither_lists_nor_a_pooled_value(metric, targets):
    with pytest.raises(DesignError) as refused:
        refuse(metric, PREDICTING, targets=targets)
    assert f"'targets: {targets}' and 'metrics: {metric}' do not go together" in str(refused.value)
    assert "one ranking per user" in str(refused.value)


def test_bounds_need_one_sample_for_all_ratings_of_a_user():
    for targets in ("ar", "one_r", "one_r(n=10)", "p1r(m=5)"):
        refuse("Bound1R@5", PREDICTING, targets=targets)
    for targets in ("one_r(n=10,draw=per_rating)", "rel_plus_n(n=10)"):
        with pytest.raises(DesignError, match="different non-relevant items"):
            refuse("Bound1R@5", PREDICTING, targets=targets)


@pytest.mark.parametrize("metric", ["Gini@5", "GROC", "CROC", "HLU", "PredictionCoverage", "ARP@100"])
def test_any_scores_may_be_ordered(metric):
    refuse(metric, {"A": "random", "B": "popularity"})
    refuse(metric, {"A": "random", "B": "popularity"}, view="condensed", aggregate="urisk(baseline=A)")
