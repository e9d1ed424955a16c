"""Systems that are no better than a random order are named on the first screen."""

import pandas as pd
import pytest

from recsens.conclusions.verdicts.verdict_table import judge
from recsens.report.sentences.answers import FirstScreen
from recsens.report.sentences.best import best_systems, chance_sentences
from recsens.report.sentences.unscored import scored_nothing, unscored_sentences

PLAIN = {"published": [], "published_comparisons": [], "experiments": {}}


@pytest.fixture
def said(make_study, make_results):
    def make(
        p: dict[str, float], value: float | dict[str, float] = 0.011, at_random: dict[str, float] | None = None, **changes: object
    ) -> list[str]:
        study = make_study(**{**PLAIN, **changes})
        tables = make_results(study)
        summary = tables.summary.copy()
        for system, each in p.items():
            rows = (summary["dataset"] == "Alpha-1M") & (summary["system"] == system)
            summary.loc[rows, ["random_p", "value"]] = each, value[system] if isinstance(value, dict) else value
            summary.loc[rows, "expected_random"] = (at_random or {}).get(system, 0.01)
        rated = pd.DataFrame([{"dataset": "Alpha-1M", "metric": "relevance", "value": 4.0}])
        return chance_sentences(study.own, tables.with_tables(summary=summary, datasets=rated))

    return make


@pytest.fixture
def unscored(make_study, make_results):
    def make(scored: dict[str, float], **changes: object) -> dict[str, list[str]]:
        study = make_study(**{**PLAIN, **changes})
        tables = make_results(study)
        own = tables.summary["dataset"] == "Alpha-1M"
        shares = tables.summary["system"].map(scored).fillna(1.0).where(own, 1.0)
        tables = tables.with_tables(summary=tables.summary.assign(scored=shares))
        verdicts = [judge(study.own, tables.summary, tables.comparisons)]
        best = FirstScreen.of(study, verdicts, tables).best
        place = next((number for number, each in enumerate(best) if "of the target items" in each), len(best))
        winner = best.index(best_systems(verdicts, tables.summary, tables.counted)[0])
        return {
            "before the winner" if place < winner else "after the winner": best[place : place + 1],
            "warnings": scored_nothing(study.own, tables.summary),
        }

    return make


def test_systems_that_leave_items_without_a_score_are_named(unscored, approved):
    approved(
        {
            "the same for all": unscored({}),
            "hardly different": unscored({"MF": 0.995}),
            "nearly all": unscored({"MF": 0.97}),
            "half": unscored({"MF": 0.52}),
            "several, under another policy": unscored({"MF": 0.52, "kNN": 0.9}, design={"nc": "append(by=popularity)"}),
            "nothing": unscored({"MF": 0.0}),
            "varied": unscored({"MF": 0.52}, vary={"nc": ["append"]}),
        }
    )


def test_data_sets_with_the_same_shares_have_one_sentence(make_study, make_results):
    study = make_study(**PLAIN)
    summary = make_results(study).summary
    ((is_nearly_all, told),) = unscored_sentences(
        [study.own], summary.assign(scored=summary["system"].map({"MF": 0.52}).fillna(1.0))
    )
    assert not is_nearly_all
    assert told.startswith("On Alpha-1M and Beta_2, MF scored")


def test_which_systems_are_named_and_what_it_means(said, approved):
    combined = {"over_datasets": {"families": {"A": ["Alpha-1M"], "B": ["Beta_2"]}}}
    approved(
        {
            "none": said({}),
            "one": said({"MF": 0.2}),
            "one, with a threshold to declare": said({"MF": 0.2}, datasets={"Alpha-1M": "cm100k"}),
            "one, with a declared threshold": said({"MF": 0.2}, datasets={"Alpha-1M": "cm100k(relevance=1)"}),
            "two": said({"MF": 0.2, "kNN": 0.05}),
            "combined": said({"MF": 0.2, "kNN": 0.4}, **combined),
            "significantly worse": said({"MF": 0.001}, value=0.001),
            "two significantly worse, one combined": said(
                {"MF": 0.2, "kNN": 0.001, "Pop_1": 0.001}, {"MF": 0.011, "kNN": 0.001, "Pop_1": 0.002}, **combined
            ),
            "different targets": said({"MF": 0.2, "kNN": 0.05}, at_random={"MF": 0.0105, "kNN": 0.0125}),
            "lower is better": said(
                {"MF": 0.001, "kNN": 0.001}, {"MF": 0.005, "kNN": 0.015}, metrics=["AntiP@10"], datasets={"Alpha-1M": "cm100k"}
            ),
            "with a threshold": said({"MF": 0.2}, design={"relevance": 3.0}),
            "drawn": said({"MF": 0.2}, systems={"MF": "random", "kNN": "lab_plugins.Neighbours"}),
        }
    )


def test_the_warning_precedes_the_best_system(make_study, make_results):
    study = make_study(**PLAIN)
    tables = make_results(study)
    low = tables.with_tables(summary=tables.summary.assign(random_p=0.5))
    verdicts = [judge(study.own, tables.summary, tables.comparisons)]
    assert FirstScreen.of(study, verdicts, low).best[:2] == chance_sentences(study.own, low)
    for p in (0.0, float("nan")):
        assert chance_sentences(study.own, tables.with_tables(summary=tables.summary.assign(random_p=p))) == []
