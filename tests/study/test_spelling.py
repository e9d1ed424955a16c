"""A study's metrics and options appear everywhere as the study writes them, with one spelling each."""

from collections.abc import Callable
from functools import partial

import pytest
from pydantic import ValidationError

from approved import refusal
from recsens.study import Decisions, Study
from recsens.study.designs import expand
from recsens.study.keys_by_step import digest_for_step

BASE = {"title": "A study", "datasets": {"Simulated": "simulated"}, "systems": {"Random": "random"}, "metrics": ["P@10"]}


@pytest.fixture
def study() -> Callable[..., Study]:
    """Make a study with some keys changed."""
    return lambda **changes: Study.model_validate({**BASE, **changes})


def columns(study):
    """The columns of every design, by the label of its data set or experiment."""
    addresses = {label: each.datasets[label] for label, each in study.by_label().items()}
    return {label: [design.columns() for design in designs] for label, designs in expand(study, addresses).items()}


def test_options_are_spelt_as_the_study_writes_them_and_stand_in_full_beside(study):
    found = columns(study(design={"split": "Random( ratio = .8 )"}, vary={"split": ["k_fold(5)"], "filter": ["k_core(5) + none"]}))
    base, folds, filtered = found["Simulated"]
    assert (base["split"], base["split_full"]) == ("Random( ratio = .8 )", "random(count=binomial,ratio=0.8)")
    assert (base["targets"], base["targets_full"][:3]) == ("ar", "ar(")
    assert folds["split"] == "k_fold(5)"
    assert filtered["filter"] == "k_core(5) + none"
    assert list(base)[:4] == ["filter", "filter_full", "split", "split_full"]


def test_a_default_has_the_spelling_that_the_study_uses_elsewhere(study):
    base, other = columns(study(vary={"split": ["random(ratio=.8)", "k_fold"]}))["Simulated"]
    assert (base["split"], other["split"]) == ("random(ratio=.8)", "k_fold")


def test_metrics_are_spelt_as_the_study_writes_them_with_one_cutoff_each(study):
    metrics = study(metrics=["precision@5, 10", "ndcg( gain = exp )@3", "Map"]).metrics
    assert [metric.written for metric in metrics] == ["precision@5", "precision@10", "ndcg( gain = exp )@3", "Map"]


def test_two_spellings_of_one_thing_are_refused_with_both_named(study, approved):
    cases = (
        {"metrics": ["P@10", "precision@10"]},
        {"metrics": ["nDCG@5", "ndcg@10"]},
        {"design": {"split": "random(ratio=0.8)"}, "vary": {"split": ["random(.8)"]}},
        {"vary": {"nc": ["append"]}, "experiments": {"X": {"dataset": "Simulated", "design": {"nc": "Append"}}}},
    )
    approved({str(changes): refusal(partial(study, **changes), ValidationError) for changes in cases})


def test_spelling_makes_no_option_another_one(study):
    one, other = study(design={"split": "random"}), study(design={"split": "random(ratio=.8)"})
    assert one.design == other.design
    assert one.design.split.slug == other.design.split.slug
    assert Decisions().split.written == "random"


@pytest.mark.parametrize(
    "changes", [{"metrics": ["precision@10"]}, {"design": {"split": "random(.8)"}}, {"vary": {"split": ["random(.8)"]}}]
)
def test_tables_and_pages_depend_on_the_spelling(study, changes):
    before = {"metrics": ["P@10"], "design": {"split": "random"}, "vary": {"split": ["random"]}}
    spelt = {"metrics": before["metrics"], **changes}
    before = {key: value for key, value in before.items() if key in spelt}
    assert all(
        digest_for_step(study(**before), step) != digest_for_step(study(**spelt), step)
        for step in ("summarise", "decide_winners", "report")
    )
