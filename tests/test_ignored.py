"""A varied decision that changes nothing is refused if every metric ignores it, and reported if some do."""

from functools import partial

import pytest
from click.testing import CliRunner

from approved import refusal
from recsens.cli import main
from recsens.errors import DesignError
from recsens.plugins.specs import parse
from recsens.study import Study
from recsens.study.conflicts import refuse_conflicts
from recsens.study.designs import expand
from recsens.study.ignored import ignored, remarks

BASE = {"title": "t", "datasets": {"S": "simulated"}, "systems": {"A": "random", "B": "popularity"}}
BY_RATING = ["nDCG(gain=linear)@5", "Unrated@5"]


def study_of(metrics: list[str], **changes: object) -> Study:
    return Study.model_validate({**BASE, "metrics": metrics, **changes})


def unmoved(study: Study) -> dict[str, list[str]]:
    return {key: [metric.short for metric in metrics] for key, metrics in ignored(study.own).items()}


def refuse(study: Study) -> None:
    refuse_conflicts(study, expand(study, {"S": parse("simulated")}))


def test_a_varied_decision_that_nothing_depends_on_is_refused(approved):
    cases = (
        (BY_RATING, {"relevance": [3, 5]}),
        (["ILD@5"], {"relevance": [3]}),
        (["AUC", "NDPM"], {"view": ["condensed"]}),
        (["Gini@5"], {"test": ["wilcoxon"]}),
        (["Gini@5"], {"aggregate": ["median"]}),
    )
    approved({f"{metrics} {vary}": refusal(partial(refuse, study_of(metrics, vary=vary)), DesignError) for metrics, vary in cases})


def test_it_is_refused_of_an_experiment_too():
    own = {"dataset": "S", "vary": {"relevance": [3]}}
    study = study_of(BY_RATING, experiments={"X": own})
    with pytest.raises(DesignError, match="the designs of 'X': 'relevance' is varied"):
        refuse_conflicts(study, expand(study, {"S": parse("simulated"), "X": parse("simulated")}))


def test_beside_a_metric_that_depends_on_it_the_others_are_told():
    study = study_of(["P@5", *BY_RATING], vary={"relevance": [3], "view": ["condensed"]})
    refuse(study)
    assert unmoved(study) == {"relevance": BY_RATING}
    names = "nDCG(gain=linear)@5, Unrated@5"
    assert list(remarks(study)) == [
        f"'relevance' is varied but does not affect {names}: the numbers are equal by definition, and count once"
    ]


def test_an_option_that_is_the_bases_own_varies_nothing():
    assert unmoved(study_of(BY_RATING, design={"relevance": 3}, vary={"relevance": [3]})) == {}


@pytest.mark.parametrize(
    "design",
    [
        {"users": "with_ratings(relevant=1)"},
        {"aggregate": "weighted(by=relevant)"},
        {"targets": "rel_plus_n"},
        {"targets": "one_r"},
    ],
)
def test_a_threshold_that_decides_who_is_ranked_averaged_or_weighed_changes_every_metric(design):
    assert unmoved(study_of(["nDCG(gain=linear)@5"], design=design, vary={"relevance": [3]})) == {}


def test_one_value_of_all_users_is_not_weighed():
    study = study_of(["Gini@5"], design={"aggregate": "weighted(by=relevant)"}, vary={"relevance": [3]})
    assert unmoved(study) == {"relevance": ["Gini@5"]}


def test_the_view_decides_whom_a_reduced_average_counts():
    assert unmoved(study_of(["AUC"], design={"coverage": "reduced"}, vary={"view": ["condensed"]})) == {}


def test_in_a_grid_one_design_that_depends_on_it_is_enough():
    vary = {"relevance": [3], "targets": ["one_r"]}
    assert unmoved(study_of(["nDCG(gain=linear)@5"], vary=vary)) == {"relevance": ["nDCG(gain=linear)@5"]}
    assert unmoved(study_of(["nDCG(gain=linear)@5"], vary=vary, combine="grid")) == {}


def test_checking_a_study_tells_before_anything_runs(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text(
        "title: t\ndatasets: {S: simulated}\nsystems: {A: random, B: popularity}\n"
        "metrics: [P@5, 'nDCG(gain=exp)@5']\nvary: {relevance: [3]}\n"
    )
    told = CliRunner().invoke(main, ["check", str(path)])
    assert told.exit_code == 0
    assert "note: 'relevance' is varied but does not affect nDCG(gain=exp)@5" in told.output
