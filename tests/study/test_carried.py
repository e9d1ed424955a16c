"""Metrics that data or target items cannot carry: refused if no design can, left out of the designs that cannot."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import yaml

from in_process import call, compute
from metrics.rankings import built
from metrics.test_ignored import SPECS, board, values
from recsens.errors import DesignError, RecsensError
from recsens.files.scale import Scale
from recsens.plugins.specs import parse
from recsens.study import Study
from recsens.study.conflicts import left_out, refusals
from recsens.study.designs import expand

DATA = {
    "null": ('delimited(path="r.csv",rating=null)', False, Scale(1, 5, 1)),
    "below zero": ('delimited(path="r.csv",lowest=-5)', True, Scale(-5, 5, 1)),
    "wide": ('delimited(path="r.csv",highest=2000)', True, Scale(1, 2000, 1)),
    "stars": ('delimited(path="r.csv")', True, Scale(1, 5, 1)),
}
SPECS = [*SPECS, "DCG(gain=power)", "nDCG(gain=linear)", "RMSE(ratings=4..5)", "RMSE(ratings=7..9)", "MAE(norm=chance)"]
CLICKS = "clicks.csv"


def study_of(datasets: dict[str, str], **changes: object) -> Study:
    base = {"title": "t", "systems": {"A": "average_rating", "B": "biased_mf"}, "metrics": ["P@5", "RMSE"]}
    return Study.model_validate({**base, "datasets": datasets, **changes})


def refused(study: Study) -> list[RecsensError]:
    return list(refusals(study, expand(study, {label: parse("simulated") for label in study.by_label()})))


@pytest.mark.parametrize("data", DATA)
def test_a_check_refuses_what_measuring_refuses(data):
    dataset, has_ratings, scale = DATA[data]
    judged = board("full", scale.threshold(None))
    rating = judged.rating if has_ratings else np.full(len(judged.rating), np.nan)
    for spec in dict.fromkeys(SPECS):
        try:
            values(spec, replace(judged, rating=rating, scale=scale))
            is_measured = True
        except DesignError:
            is_measured = False
        metric = spec if built(spec).takes_cutoff == "never" else f"{spec}@5"
        design = {"split": "rolling"} if built(spec).reads_earlier else {}
        told = refused(study_of({"S": dataset}, metrics=["R@3", metric], design=design))
        times = [each for each in told if "time stamps" in str(each)]
        assert (len(told) > len(times)) is not is_measured, spec
        assert all("metrics: " in str(each) for each in told if each not in times), spec


def test_a_metric_is_left_out_where_only_some_data_carry_it_and_refused_if_strict():
    datasets = {"S": "simulated", "C": DATA["null"][0]}
    study = study_of(datasets)
    designs = expand(study, {label: parse("simulated") for label in datasets})
    assert refused(study) == []
    assert {place: list(map(str, own)) for place, own in left_out(study, designs).items() if own} == {("C", 0): ["RMSE"]}
    (strict,) = refused(study_of(datasets, strict=True))
    assert "the designs of 'C': 'metrics: RMSE' and 'delimited(path=r.csv,rating=null)' do not go together" in str(strict)
    (nowhere,) = refused(study_of({"C": DATA["null"][0]}))
    assert "no ratings to predict" in str(nowhere)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"vary": {"filter": ["binarise(below=drop)"]}}, {("S", 1): ["RMSE"]}),
        ({"vary": {"targets": ["one_r"]}}, {("S", 1): ["RMSE"]}),
        ({"vary": {"targets": ["one_r"]}, "metrics": ["P@5", "AUC", "ILD@5"]}, {("S", 1): ["AUC", "ILD"]}),
        (
            {
                "datasets": {"S": DATA["below zero"][0]},
                "metrics": ["P@5", "nDCG(gain=linear)@5"],
                "vary": {"filter": ["binarise(below=zero)"]},
            },
            {("S", 0): ["nDCG(gain=linear)"]},
        ),
    ],
)
def test_a_design_that_cannot_carry_a_metric_leaves_it_out(changes, expected):
    study = study_of(**{"datasets": {"S": "simulated"}, **changes})
    designs = expand(study, {"S": parse("simulated")})
    assert refused(study) == []
    assert {place: list(map(str, own)) for place, own in left_out(study, designs).items() if own} == expected


def test_what_is_left_out_is_named_and_the_rest_is_computed(tmp_path):
    rng = np.random.default_rng(1)
    rows = [f"u{user},i{item}\n" for user in range(30) for item in rng.permutation(25)[:8]]
    (tmp_path / CLICKS).write_text("user,item\n" + "".join(rows), encoding="utf-8")
    clicks = f'delimited(path={CLICKS},separator=",",header=true,user=user,item=item,rating=null)'
    asked = {
        "title": "t",
        "datasets": {"S": "simulated(users=30,items=80,ratings=600)", "C": clicks},
        "systems": {"A": "average_rating", "B": "biased_mf(factors=3,epochs=2)"},
        "metrics": ["P@5", "KendallTau", "RMSE", "nDCG@5"],
        "meta": [{"analysis": "correlation", "metrics": ["P@5", "KendallTau", "nDCG@5"]}],
        "figures": ["bars(x=system,y=P@5)"],
    }
    (tmp_path / "some.yaml").write_text(yaml.safe_dump(asked, sort_keys=False), encoding="utf-8")
    checked = call(tmp_path, "check", "some.yaml")
    assert checked.exit_code == 0, checked.output
    for metric in ("KendallTau", "RMSE"):
        assert f"{metric} is left out on C" in checked.output
    compute(tmp_path, "some.yaml")
    results = tmp_path / "results" / "studies" / "some"
    summary = pd.read_csv(results / "summary.csv")
    unmeasured = summary[summary["value"].isna()]
    assert set(zip(unmeasured["dataset"], unmeasured["metric"], strict=True)) == {("C", "KendallTau"), ("C", "RMSE")}
    verdicts = pd.read_csv(results / "verdicts.csv", dtype=str)
    is_left_out = (verdicts["dataset"] == "C") & verdicts["metric"].isin(["KendallTau", "RMSE"])
    assert set(verdicts["verdict"][is_left_out]) == {"uninformative"}
    assert "uninformative" not in set(verdicts["verdict"][~is_left_out])
    assert set(verdicts["users"][~is_left_out]) == {"30"}
    page = (results / "report.html").read_text(encoding="utf-8")
    assert "KendallTau is left out on C" in page


def test_ratings_that_only_the_data_show_are_checked_before_anything_is_fitted(tmp_path):
    rows = [f"u{user},i{item},{900 if item == user % 20 else 1}\n" for user in range(30) for item in range(0, 20, 2)]
    (tmp_path / "plays.csv").write_text("user,item,rating\n" + "".join(rows * 2), encoding="utf-8")
    plays = 'delimited(path=plays.csv,separator=",",header=true,user=user,item=item,rating=rating,duplicates=sum)'
    asked = {"title": "t", "datasets": {"P": plays}, "systems": {"A": "popularity", "B": "user_knn(k=5)"}}
    for metric, is_refused in (("nDCG(gain=exp)@5", True), ("nDCG(gain=linear)@5", False)):
        (tmp_path / "plays.yaml").write_text(yaml.safe_dump({**asked, "metrics": ["P@5", metric]}), encoding="utf-8")
        assert call(tmp_path, "check", "plays.yaml").exit_code == 0
        if is_refused:
            with pytest.raises(DesignError, match="gains overflow"):
                compute(tmp_path, "plays.yaml", without=["fit", "rank"])
        else:
            assert compute(tmp_path, "plays.yaml", without=["fit", "rank"])["check_targets"] == 1
