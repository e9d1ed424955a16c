"""The key ``meta``: how analyses are written and named, and what is refused before anything runs."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from approved import refusal
from recsens.errors import ConfigError
from recsens.study import Study, load_study
from recsens.workflow.job_names import names_of
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs

BASE = {
    "title": "A study",
    "datasets": {"Simulated": "simulated(users=60,items=200,ratings=2000)"},
    "systems": {"kNN": "user_knn", "Popularity": "popularity"},
    "metrics": ["P@10", "nDCG@10"],
}
FURTHER = {"dataset": "Simulated", "design": {"view": "condensed"}}


@pytest.fixture
def study(tmp_path: Path) -> Callable[..., Study]:
    """Load a study with some keys changed."""

    def load(**changes: Any) -> Study:
        path = tmp_path / "study.yaml"
        path.write_text(yaml.safe_dump({**BASE, **changes}, sort_keys=False), encoding="utf-8")
        return load_study(path)

    return load


# How they are written


def test_analyses_of_a_list_are_called_as_their_plug_ins_numbered_from_the_second_on(study):
    found = study(meta=["sparsity", "split_half", {"analysis": "sparsity(samples=3)"}, "Sparsity"])
    assert list(found.meta) == ["sparsity", "split-half", "sparsity-2", "sparsity-3"]
    assert [str(entry.analysis) for entry in found.meta.values()][2] == "sparsity(samples=3)"
    # There is no figure for halves of the users.
    assert list(found.drawn) == ["meta-sparsity", "meta-sparsity-2", "meta-sparsity-3"]


def test_a_mapping_names_them_and_an_entry_may_have_metrics_of_its_own(study):
    found = study(meta={"holes": "sparsity", "heads": {"analysis": "popularity", "metrics": ["P@5,10"]}})
    assert {name: [at.written for at in entry.metrics_of(found.own)] for name, entry in found.meta.items()} == {
        "holes": ["P@10", "nDCG@10"],
        "heads": ["P@5", "P@10"],
    }
    assert {name: str(entry.draw) for name, entry in found.drawn.items()} == {
        "meta-holes": "robustness(analysis=holes)",
        "meta-heads": "robustness(analysis=heads)",
    }


def test_an_analysis_belongs_to_the_experiment_it_names(study):
    found = study(meta=["sparsity", {"analysis": "popularity", "experiment": "Further"}], experiments={"Further": FURTHER})
    own, further = found.all_experiments()
    assert (list(own.analyses), list(further.analyses)) == (["sparsity"], ["popularity"])


def test_a_study_of_metrics_need_not_compare_systems_yet_its_pairs_are_analysed(study):
    found = study(compare=[], meta=["discrimination"])
    assert found.own.pairs() == []
    assert list(found.asked(found.meta["discrimination"]).pairs) == [("kNN", "Popularity")]


@pytest.mark.parametrize("nothing", [{}, {"meta": []}, {"meta": {}}])
def test_a_study_without_analyses_is_as_before(study, nothing):
    found = study(**nothing)
    assert (found.meta, found.drawn, list(found.all_figures())) == ({}, {}, ["systems", "designs"])


def test_declared_figures_take_the_place_of_those_of_analyses(study):
    assert list(study(meta=["sparsity"], figures=["robustness"]).all_figures()) == ["figure-1"]


# What is refused

ANALYSES = "allowed:\n    correlation "
ONE_SYSTEM = {"kNN": "user_knn"}


def test_what_cannot_be_analysed_is_refused_by_name(study, approved):
    cases = (
        {"meta": {"One": "sparsity"}},
        {"meta": {"-a": "sparsity"}},
        {"meta": "sparsity"},
        {"meta": ["sparsity", None]},
        {"meta": [{"metrics": ["P@5"]}]},
        {"meta": [["sparsity"]]},
        {"meta": ["sparsty"]},
        {"meta": ["sparsity(sample=2)"]},
        {"meta": ["sparsity(samples=0)"]},
        {"meta": [{"analysis": "sparsity", "metric": ["P@5"]}]},
        {"meta": [{"analysis": "sparsity", "metrics": ["Gini@10"]}]},
        {"meta": ["sparsity"], "metrics": ["P@10", "Unrated@10"]},
        {"meta": [{"analysis": "popularity", "metrics": ["ILD@10"]}]},
        {"meta": [{"analysis": "dial", "metrics": ["AUC"]}]},
        {"meta": ["correlation"], "metrics": ["P@10"]},
        {"meta": ["correlation(of=cutoffs)"]},
        {"meta": [{"analysis": "popularity", "metrics": ["nDCG(gain=binary)@5"]}]},
        {"meta": ["sparsity"], "design": {"targets": "one_r(n=10)"}},
        {"meta": ["sparsity"], "design": {"targets": "ar(items=test)"}},
        {"meta": ["popularity"], "design": {"targets": "ar(items=test)"}},
        {"meta": ["dial"], "design": {"view": "condensed"}},
        {"meta": ["dial"], "design": {"aggregate": "geometric"}},
        {"meta": ["sparsity"], "systems": ONE_SYSTEM},
        {"meta": [{"analysis": "sparsity", "experiment": "E"}], "experiments": {"E": {**FURTHER, "systems": ONE_SYSTEM}}},
        {"meta": [{"analysis": "sparsity", "experiment": "Furthest"}], "experiments": {"Further": FURTHER}},
        {"meta": ["sparsity"], "datasets": dict.fromkeys(("ML 1M", "B", "ml-1m"), BASE["datasets"]["Simulated"])},
        {"figures": ["robustness"]},
        {"meta": ["sparsity"], "figures": ["robustness(analysis=sparsty)"]},
        {"meta": {"view": "sparsity"}, "experiments": {"Meta": {**FURTHER, "vary": {"view": ["full"]}}}},
    )
    approved({str(changes): refusal(partial(study, **changes), ConfigError) for changes in cases})


def test_rankings_of_the_test_set_can_be_correlated_as_nothing_is_taken_out_of_it(study):
    assert list(study(meta=["correlation"], design={"targets": "ar(items=test)"}).meta) == ["correlation"]


def test_data_sets_of_one_file_name_may_stand_side_by_side_where_no_metric_is_judged(study):
    assert len(study(datasets=dict.fromkeys(("ML 1M", "ml-1m"), BASE["datasets"]["Simulated"])).datasets) == 2


# The plan's output


def test_a_plan_names_each_analysis_and_its_data_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    content = {
        **BASE,
        "meta": ["sparsity", {"analysis": "split_half", "experiment": "Further"}],
        "experiments": {"Further": FURTHER},
    }
    (tmp_path / "judged.yaml").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    plan = Plan("judged.yaml")
    named = names_of(plan)
    assert [named(job) for job in planned_jobs(plan) if job.step in {"analyse_metrics", "findings"}] == [
        "analyse_metrics sparsity on Simulated, repeat-0",
        "analyse_metrics split-half on Further, repeat-0",
        "findings",
    ]
