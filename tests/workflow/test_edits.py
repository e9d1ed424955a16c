"""Which jobs an edit of one module of the library re-runs: those whose results it may change, and few others.

The output of these jobs is compared by content: jobs that read it run again only if it has changed.
"""

from collections.abc import Callable, Iterator
from contextlib import chdir
from fnmatch import filter as matching
from pathlib import Path

import pytest
import yaml

from recsens.workflow import code_digests
from recsens.workflow.ask import _ask
from recsens.workflow.job import Job
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs

STUDY = {
    "title": "Edits",
    "datasets": {"Tiny": "simulated(users=60,items=200,ratings=2000)"},
    "systems": {
        "Popularity": "popularity",
        "kNN": "user_knn",
        "MF": "hkv",
        "Tuned": "tuned(of=user_knn,search=grid(k=[5,10]),metric=P@5)",
    },
    "design": {"split": "random(ratio=0.8)", "filter": "k_core", "correction": "holm"},
    "vary": {"targets": ["one_r"], "aggregate": ["median"]},
    "metrics": ["nDCG@5", "RBP@5"],
    "meta": [{"analysis": "split_half(samples=2)", "metrics": ["nDCG@5"]}],
}
"""A study with a job of every slow kind."""

NAMED = {"fit": ("recommender",), "tune": ("recommender",), "rank": ("recommender", "targets"), "measure": ("metric",)}
"""Rules with several jobs, and the wildcards that distinguish these jobs."""

QUICK = {
    "claims",
    "costs",
    "count_users",
    "describe_datasets",
    "describe_splits",
    "describe_ties",
    "describe_tuning",
    "figure",
    "findings",
    "decide_winners",
    "overlap",
    "complete_relevance",
}
"""Jobs that take almost no time, and are left out of the table."""

OUTCOMES = "summarise compare multiverse"
TABLES = f"{OUTCOMES} report"
MEASURED = f"count_ratings measure/* analyse_metrics {TABLES}"

EDITS = {
    "data.datasets.simulated": "ingest report",
    "data.filtering.k_core": "filter report",
    "data.splitting.random": f"split tune/* {TABLES}",
    "data.splitting._base": f"split tune/* {TABLES}",
    # Recommenders and rankings
    "recommenders._base": f"tune/* fit/* rank/* {TABLES}",
    "recommenders.hkv": f"fit/hkv rank/hkv/* {TABLES}",
    "recommenders.nearest_neighbours": f"tune/* fit/user_knn fit/tuned rank/user_knn/* rank/tuned/* {TABLES}",
    "recommenders.tuned": f"tune/* fit/tuned rank/tuned/* {TABLES}",
    "recommenders._tuning_candidates": f"tune/* fit/tuned rank/tuned/* {TABLES}",
    "recommenders.trivial": f"rank/popularity/* {TABLES}",
    "recommenders.ease": "",
    "outcomes.measuring.trials": "tune/*",
    "ranking.kernels.cells": "tune/* rank/*",
    "ranking._positions": "tune/* rank/*",
    "ranking.nc.drop": "tune/* rank/* report",
    "ranking.targets.all_relevant": f"tune/* rank/*/ar {TABLES}",
    "ranking.targets.one_relevant": f"check_targets rank/*/one_r {TABLES}",
    "ranking.targets._base": f"check_targets tune/* rank/* analyse_metrics {TABLES}",
    # Metrics, and what is made of their values
    "metrics._kernels": f"check_targets tune/* {MEASURED}",
    "metrics._base": f"check_targets tune/* measure/* analyse_metrics {TABLES}",
    "metrics.discounted_gain": f"measure/nDCG analyse_metrics {TABLES}",
    "metrics.precision_recall": f"tune/* {TABLES}",
    "metrics.bound1r": "",
    "outcomes.measuring.stored_rankings": f"check_targets tune/* count_ratings measure/* analyse_metrics {OUTCOMES} report",
    "outcomes.measuring.stored_measures": OUTCOMES,
    "comparison.users.with_ratings": f"check_targets tune/* analyse_metrics {TABLES}",
    "comparison.aggregation._base": f"analyse_metrics {TABLES}",
    "comparison.aggregation.averages": f"analyse_metrics {TABLES}",
    "conclusions.meta.split_half": "analyse_metrics",
    # Studies, tests and reports
    "comparison.significance._base": f"analyse_metrics {TABLES}",
    "comparison.significance._corrections": TABLES,
    "comparison.significance._kernels": "multiverse",
    "comparison.significance.t": f"analyse_metrics {TABLES}",
    "study.checks": TABLES,
    "study.model": TABLES,
    "study.columns": TABLES,
    "study.taxonomy": TABLES,
    "outcomes.summary": OUTCOMES,
    "conclusions.multiverse": "multiverse",
    "tables.numbers": "report",
    "conclusions.verdicts.verdict_table": "",
    "conclusions.verdicts.pairs": "report",
    "cli": "",
    "workflow.plan": "",
}
"""Module of recsens -> the jobs of the study that run again."""


def name_of(job: Job) -> str:
    """Name a job, such as ``rank/hkv/ar``."""
    return "/".join([job.step, *(job.wildcards[each].partition("@")[0] for each in NAMED.get(job.step, ()))])


Codes = Callable[[], dict[str, str]]


@pytest.fixture(scope="module")
def codes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Codes]:
    """Return a function that computes the code digest of every job as a new process would; the jobs are listed once."""
    folder = tmp_path_factory.mktemp("edits")
    (folder / "study.yaml").write_text(yaml.safe_dump(STUDY), encoding="utf-8")
    asked: list[tuple[object, ...]] = []

    def note(step: str, classes: frozenset[type] = frozenset(), *, quoted: tuple[Path, ...] = ()) -> str:
        asked.append((step, classes, quoted))
        return str(len(asked) - 1)

    with chdir(folder), pytest.MonkeyPatch.context() as patched:
        patched.setattr(_ask, "step_code", note)
        jobs = {name_of(job): job.params["code"] for job in planned_jobs(Plan("study.yaml")) if job.step not in QUICK}

    def tell() -> dict[str, str]:
        code_digests.step_code.cache_clear()
        told = {name: asked[int(number)] for name, number in jobs.items()}
        return {name: code_digests.step_code(step, classes, quoted=quoted) for name, (step, classes, quoted) in told.items()}

    with chdir(folder):
        yield tell
    code_digests.forget_code()


@pytest.fixture(scope="module")
def before(codes: Codes) -> dict[str, str]:
    return codes()


@pytest.mark.parametrize("module", EDITS)
def test_an_edit_re_runs_the_jobs_that_it_may_change(
    module: str, codes: Codes, before: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    digest, edited = code_digests._digest, f"recsens.{module}"
    assert code_digests._module_file(edited) is not None
    monkeypatch.setattr(code_digests, "_digest", lambda name: "edited" if name == edited else digest(name))
    after = codes()
    expected = {job for pattern in EDITS[module].split() for job in matching(before, pattern)}
    assert {job for job in before if after[job] != before[job]} == expected


def test_the_table_names_jobs_of_the_study(before: dict[str, str]) -> None:
    patterns = {pattern for row in EDITS.values() for pattern in row.split()}
    assert [pattern for pattern in patterns if not matching(before, pattern)] == []
    assert {"ingest", "fit/hkv", "rank/tuned/one_r", "measure/RBP", "multiverse"} <= before.keys()
