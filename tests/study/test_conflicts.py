"""Meaningless combinations are refused before any job, with both decisions named."""

import re
import sys
from functools import partial

import pytest

from approved import refusal
from recsens.errors import ConfigError, DesignError
from recsens.plugins.specs import parse
from recsens.study import Study
from recsens.study.conflicts import refuse_conflicts, remarks_on_metrics
from recsens.study.designs import expand

BASE = {"title": "t", "datasets": {"S": "simulated"}, "systems": {"A": "random", "B": "popularity"}, "metrics": ["P@1"]}


def refuse(**changes: object) -> None:
    study = Study.model_validate({**BASE, **changes})
    refuse_conflicts(study, expand(study, {label: parse("simulated") for label in study.by_label()}))


EXCLUDED = """
    targets=one_r|view=condensed  targets=p1r(m=5)|view=condensed  targets=one_r|coverage=reduced
    targets=one_r(n=99)|aggregate=median  targets=u1r|split=random(ratio=0.5)  targets=uar
    targets=uar|split=thinned(of=uniform,share=0.5)  test=t(log=true)|aggregate=geometric  aggregate=urisk(baseline=C)
    split=k_fold_users(k=3)  split=min_train(of=k_fold_users)  split=thinned(by=users,share=0.5)
    nc=append(by=popularity,users=without_train)  split=complete|filter=binarise
    targets=one_r|view=relevant  targets=p1r(m=5)|view=rate(.05)
"""
METRICS_WITHOUT_PLACE = """
    aggregate=urisk/NDPM  aggregate=trisk(baseline=A)/NDPM  aggregate=georisk/Spearman  aggregate=geometric/Spearman
    test=t(log=true)/Spearman  targets=one_r/AUC  targets=one_r/KendallTau  targets=one_r/Bpref@10  targets=one_r/ARC@10
    view=relevant/AUC  view=rate(.05)/AP(denominator=retrieved)@1
"""
UNTIMED = {"datasets": {"S": 'delimited(path="r.csv")'}}
TIMED_DECISIONS = (
    "split=temporal",
    "split=per_user(of=temporal)",
    "split=leave_out(which=last)",
    "filter=k_core+time_window(end=2001)",
)


def decided(text: str) -> dict[str, str]:
    return dict(each.split("=", 1) for each in text.split("|"))


def test_two_decisions_that_exclude_each_other_are_named(approved):
    told = {text: refusal(partial(refuse, design=decided(text)), DesignError) for text in EXCLUDED.split()}
    for text in METRICS_WITHOUT_PLACE.split():
        design, metric = text.split("/")
        told[text] = refusal(partial(refuse, design=decided(design), metrics=["P@1", metric]), DesignError)
    for text in TIMED_DECISIONS:
        told[f"{text}, without time stamps"] = refusal(partial(refuse, **UNTIMED, design=decided(text)), DesignError)
        for dataset in ('delimited(path="r.csv",timestamp=3)', "movielens", "simulated"):
            refuse(datasets={"S": dataset}, design=decided(text))
    approved(told)


@pytest.mark.parametrize(
    "design",
    [
        {"targets": "one_r(n=99)"},
        {"targets": "uar", "split": "uniform"},
        {"targets": "u1r", "split": "validated(of=uniform,inside=random)"},
        {"aggregate": "urisk(baseline=A)"},
        {"test": "t(log=true)"},
        {"test": "t(log=true)", "targets": "one_r"},
        {"test": "t(log=true)", "aggregate": "weighted"},
        {"split": "k_fold_users", "users": "with_ratings(test=1)"},
        {"split": "k_fold_users", "users": "with_ratings(relevant=1)"},
        {"split": "k_fold_users", "targets": "one_r"},
        {"split": "thinned(by=users)"},
        {"split": "thinned(share=0.5)"},
        {"nc": "append(by=popularity,users=without_train)", "users": "with_ratings(train=0)"},
    ],
)
def test_what_goes_together_is_let_through(design):
    refuse(design=design)


def test_metrics_that_describe_may_stand_beside_any_aggregate():
    refuse(design={"aggregate": "urisk"}, metrics=["P@1", "unrated@1"])
    refuse(design={"aggregate": "urisk"}, metrics=["Spearman"])


def test_what_varies_is_checked_too():
    with pytest.raises(DesignError, match="do not go together"):
        refuse(vary={"targets": ["one_r"], "view": ["condensed"]}, combine="grid")
    refuse(vary={"targets": ["one_r"], "view": ["condensed"]})


def test_metrics_without_a_formula_are_left_out_where_unrated_items_may_be_relevant():
    def told(*metrics: str, **changes: object) -> list[str]:
        study = Study.model_validate({**BASE, "metrics": list(metrics), "vary": {"unrated": ["relevant"]}, **changes})
        designs = expand(study, {label: parse("simulated") for label in study.by_label()})
        refuse_conflicts(study, designs)
        return remarks_on_metrics(study, designs)

    assert told("P@1", "nDCG(gain=exp)@1", "AP(denominator=min)@100") == []
    left_out = told("P@1", "SetP@2", "AUC", "AP", "nDCG(ideal=list)@1", "R@10,200")
    assert [each.partition(":")[0] for each in left_out] == [
        f"{metric} is left out on S under 1 of 2 designs" for metric in ("SetP", "AUC", "AP", "nDCG(ideal=list)", "R")
    ]
    assert left_out[-1].endswith(": there is no formula for R@200 if unrated items may be relevant")
    with pytest.raises(DesignError, match="'metrics: SetP@2' and 'view: relevant' do not go together"):
        told("SetP@2", "AUC")
    with pytest.raises(DesignError, match="'metrics: AUC' and 'view: relevant' do not go together"):
        told("P@1", "AUC", strict=True)


def test_analyses_of_metrics_know_nothing_of_unrated_items_that_may_be_relevant():
    asked = {"metrics": ["P@1", "R@1"], "meta": {"agree": "correlation"}}
    refuse(**asked, vary={"view": ["relevant"]})
    with pytest.raises(DesignError, match="'meta: agree' and 'view: relevant' do not go together"):
        refuse(**asked, design={"view": "relevant"})


def test_experiments_are_checked_too():
    with pytest.raises(DesignError, match="the designs of 'X'"):
        refuse(experiments={"X": {"dataset": "S", "design": {"targets": "one_r", "view": "condensed"}}})


def test_the_systems_of_an_experiment_are_its_own():
    changed = {"dataset": "S", "design": {"aggregate": "urisk(baseline=C)"}, "systems": {"C": "random", "D": "popularity"}}
    refuse(experiments={"X": changed})


def test_scores_in_files_stand_in_for_models_of_one_split_only(tmp_path):
    (tmp_path / "repeat-0.csv").write_text("user,item,score\n1,1,1\n")
    systems = {"Mine": f'from_file(path="{tmp_path}/{{fold}}.csv")', "B": "popularity"}
    refuse(systems=systems, vary={"view": ["condensed"]})
    with pytest.raises(DesignError, match="the scores of 'Mine' are read from files") as refused:
        refuse(systems=systems, vary={"split": ["random(ratio=0.5)"]})
    assert "is the same for split 'random' and split 'random(ratio=0.5)'" in str(refused.value)
    assert f"'{tmp_path}/{{split}}/{{fold}}.csv'" in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"vary": {"split": ["k_fold"]}}, "{split}"),
        ({"vary": {"filter": ["k_core"]}}, "{filter}"),
        ({"datasets": {"S": "simulated", "T": "simulated(mnar=1)"}}, "{dataset}"),
        ({"experiments": {"X": {"dataset": "S", "design": {"split": "k_fold"}}}}, "{split}"),
        ({"vary": {"split": ["k_fold"], "filter": ["k_core"]}, "combine": "grid"}, "{filter}/{split}"),
    ],
    ids=["split", "filter", "data set", "an experiment", "both"],
)
def test_files_are_told_apart_by_what_their_path_holds(changes, told):
    for path in ("runs/{fold}.csv", f"runs/{told.partition('/')[0]}.csv" if "/" in told else "runs/mine.csv"):
        with pytest.raises(DesignError, match="this path tells them apart"):
            refuse(**changes, systems={"Mine": f'from_file(path="{path}")'})
    refuse(**changes, systems={"Mine": f'from_file(path="runs/{told}/{{fold}}.csv")'})
    refuse(**changes, systems={"Mine": 'from_file(path="runs/{dataset}-{filter}-{split}-{fold}.csv")'})


def test_labels_that_are_one_in_a_path_are_refused():
    with pytest.raises(DesignError, match=r"data set|rename one of the data sets"):
        refuse(
            datasets={"My data": "simulated", "my-data": "simulated(mnar=1)"},
            systems={"Mine": 'from_file(path="{dataset}/{fold}.csv")'},
        )


def test_a_fallback_that_reads_files_serves_one_split():
    nc = 'append(by=from_file(path="runs/{fold}.csv"))'
    refuse(design={"nc": nc}, vary={"view": ["condensed"]})
    with pytest.raises(DesignError, match="are read from files"):
        refuse(design={"nc": nc}, vary={"split": ["k_fold"]})
    with pytest.raises(DesignError, match="only replaced in the path of a system"):
        refuse(design={"nc": nc.replace("{fold}", "{split}")})


@pytest.mark.parametrize(
    "dataset",
    [
        'delimited(path="r.csv")',
        'delimited(path="r.csv",header=true,user=u,item=i)',
        'parquet(path="r.parquet")',
        "cm100k",
    ],
)
def test_time_stamps_are_advised_for_columns_with_names_and_with_numbers(dataset):
    for changes in ({"design": {"split": "temporal"}}, {"metrics": ["P@1", "Future@5"]}):
        with pytest.raises(DesignError) as refused:
            refuse(datasets={"S": dataset}, **changes)
        assert re.search(r"timestamp=<column>", refused.value.allowed)
        assert not re.search(r"timestamp=\d", refused.value.allowed)


@pytest.mark.parametrize(
    ("dataset", "relevance", "allowed"),
    [
        ("simulated", 7, "1 to 5"),
        ("simulated", 0.5, "1 to 5"),
        ("movielens(release=20m)", 5.5, "0.5 to 5"),
        ('delimited(path="r.csv",highest=10)', 11, "1 to 10"),
        ('parquet(path="r.parquet",lowest=0,highest=1,step=0)', 4, "0 to 1"),
    ],
)
def test_a_threshold_outside_the_declared_scale_is_refused(dataset, relevance, allowed):
    with pytest.raises(DesignError, match=f"relevance: {relevance:g}") as refused:
        refuse(datasets={"S": dataset}, vary={"relevance": [relevance]})
    assert f"allowed: {allowed}, the scale of the data set" in str(refused.value)


def test_a_threshold_is_left_alone_where_the_declaration_does_not_tell_the_scale():
    refuse(datasets={"S": 'delimited(path="r.csv",rating=null)'}, design={"relevance": 7})
    refuse(design={"filter": "binarise", "relevance": 7})
    with pytest.raises(DesignError, match="relevance: 7"):
        refuse(design={"filter": "k_core", "relevance": 7})


@pytest.mark.parametrize(
    ("design", "first", "second"),
    [
        ({"split": "random(ratio=0.5)"}, "systems: T", "split: random(ratio=0.5)"),
        ({"split": "k_fold(k=3)"}, "systems: T", "split: k_fold(k=3)"),
        ({"split": "validated", "nc": "append(by=tuned)"}, "nc: append(by=tuned)", "recommender: tuned"),
    ],
)
def test_tuning_wants_a_validation_set_and_a_system(design, first, second):
    systems = {"T": "tuned(split=validation)", "P": "popularity"}
    with pytest.raises(DesignError, match=re.escape(f"'{first}' and '{second}' do not go together")):
        refuse(design=design, systems=systems)
    for split in ("validated", "min_train(of=validated(of=k_fold))"):
        refuse(design={"split": split}, systems=systems)
    refuse(design={"split": "random"}, systems={"T": "tuned", "P": "popularity"})


def test_a_metric_of_moments_needs_time_stamps():
    study = Study.model_validate({**BASE, "datasets": {"S": "cm100k"}, "metrics": ["P@1", "Future@5"]})
    with pytest.raises(DesignError, match="'metrics: Future@5' and 'cm100k' do not go together: it needs time stamps"):
        refuse_conflicts(study, expand(study, {"S": parse("cm100k")}))
    unknown = Study.model_validate({**BASE, "design": {"split": "complete"}, "datasets": {"S": "cm100k"}})
    with pytest.raises(DesignError, match="'split: complete' and 'cm100k' do not go together: the complete relevance"):
        refuse_conflicts(unknown, expand(unknown, {"S": parse("cm100k")}))


@pytest.mark.parametrize("system", ["neumf", "tuned(of=gmf,search=grid(factors=[4,8]))", "calibrated(of=mlp)"])
def test_a_study_that_needs_what_is_not_installed_says_what_to_install(monkeypatch, system):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ConfigError, match=r"systems: N: recommender '(neumf|gmf|mlp)': it needs PyTorch") as refused:
        refuse(systems={"A": "random", "N": system})
    assert "run 'make neural'" in str(refused.value)
