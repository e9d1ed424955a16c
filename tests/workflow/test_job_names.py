"""The progress line and the refusals of a run name options and metrics as the study does."""

from collections.abc import Callable

import pytest
import yaml

from recsens.workflow.job_names import in_own_words, names_of
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs


@pytest.fixture
def plan(tmp_path, monkeypatch) -> Callable[..., Plan]:
    """Plan a small study with some keys changed."""
    monkeypatch.chdir(tmp_path)
    study = {"title": "t", "datasets": {"S": "simulated"}, "systems": {"kNN": "user_knn(k=10)"}}

    def make(**changes: object) -> Plan:
        (tmp_path / "a.yaml").write_text(yaml.safe_dump({**study, **changes}), encoding="utf-8")
        return Plan("a.yaml")

    return make


def test_a_job_is_named_in_the_studys_spelling(plan):
    made = plan(metrics=["ndcg(gain=exp)@5,10"], design={"split": "Random(ratio=.8)"})
    named = set(map(names_of(made), planned_jobs(made, "all")))
    assert {"fit kNN on S, Random(ratio=.8), repeat-0", "measure ndcg(gain=exp)@5, ndcg(gain=exp)@10"} <= named


def test_a_refusal_names_an_option_in_the_studys_spelling(plan):
    made = plan(metrics=["P@5"], design={"split": "Random(ratio=.5)", "filter": "k_core(7)+sample(.5)"})
    said = (
        "split 'random(count=binomial,ratio=0.5)' and split 'random(ratio=0.5)', filter 'sample(ratings=0.5)', 'random(ratio=0.5)'"
    )
    assert in_own_words(made, said) == (
        "split 'Random(ratio=.5)' and split 'Random(ratio=.5)', filter 'sample(.5)', 'random(ratio=0.5)'"
    )
