"""Systems that are no better than a random order are named on the first screen."""

import pandas as pd
import pytest

from recsens.conclusions.verdicts.verdict_table import judge
from recsens.report.sentences.answers import FirstScreen
from recsens.report.sentences.chance import chance_sentences

PLAIN = {"published": [], "published_comparisons": [], "experiments": {}}


@pytest.fixture
def said(make_study, make_results):
    def make(p: dict[str, float], value: float = 0.011, **changes: object) -> list[str]:
        study = make_study(**{**PLAIN, **changes})
        tables = make_results(study)
        summary = tables.summary.copy()
        for system, each in p.items():
            rows = (summary["dataset"] == "Alpha-1M") & (summary["system"] == system)
            summary.loc[rows, ["random_p", "value"]] = each, value
        rated = pd.DataFrame([{"dataset": "Alpha-1M", "metric": "relevance", "value": 4.0}])
        return chance_sentences(study.own, tables.with_tables(summary=summary, datasets=rated))

    return make


def test_which_systems_are_named_and_what_it_means(said, approved):
    combined = {"over_datasets": {"families": {"A": ["Alpha-1M"], "B": ["Beta_2"]}}}
    approved(
        {
            "none": said({}),
            "one": said({"MF": 0.2}),
            "one, with a threshold to declare": said({"MF": 0.2}, datasets={"Alpha-1M": "cm100k"}),
            "two": said({"MF": 0.2, "kNN": 0.05}),
            "combined": said({"MF": 0.2, "kNN": 0.4}, **combined),
            "significantly worse": said({"MF": 0.001}, value=0.001),
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
