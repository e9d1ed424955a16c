"""What a dry run and 'recsens plan' say about a study: design, jobs, reasons, time, and disk space."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

import pytest

from recsens.errors import DesignError
from recsens.workflow import lock
from recsens.workflow.estimates import describe_disk, describe_time
from recsens.workflow.job import Job
from recsens.workflow.lock import only_writer
from recsens.workflow.plan import Plan
from recsens.workflow.plan_in_words import plan_lines
from recsens.workflow.run_preview import RunPreview, other_run_lines, preview_lines
from recsens.workflow.staleness import Audited
from workspaces import Workspace


def job(step: str, name: str = "", *, seconds: float | None = None) -> Job:
    """Return a job that makes a file, with a record of an earlier run."""
    record = Path(f"{step}{name}.tsv")
    if seconds is not None:
        record.write_text(f"s\n{seconds}\n", encoding="utf-8")
    return Job(step, {"recommender": name} if name else {}, {}, {"made": [f"results/s/{step}{name}"]}, {}, str(record))


@dataclass(frozen=True)
class Fixed:
    """Prices by data set or, without one, by step."""

    prices: Mapping[str, float]

    def of(self, job: Job) -> float:
        """Return the price."""
        return self.prices[job.wildcards.get("dataset", job.step)]

    def label_of(self, job: Job) -> str:
        """Return the data set."""
        return job.wildcards.get("dataset", "all of them")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with the results of one ranking, and a folder for studies."""
    monkeypatch.chdir(tmp_path)
    for made in ("results/s", "config/studies"):
        Path(made).mkdir(parents=True)
    Path("results/s/rankA").write_bytes(bytes(2000))
    return tmp_path


def test_jobs_are_counted_by_step_in_the_studys_own_words_and_reasons_are_grouped(folder):
    jobs = [job("fit", "A"), job("fit", "B"), job("rank", "A"), job("report")]
    states = ("stale", "stale", "sound", "waiting")
    found = [Audited(each.files_written[0], state, "its code", each) for each, state in zip(jobs, states, strict=True)]
    preview = RunPreview(found, lambda each: each.wildcards.get("recommender", ""), PurePath("results/s"))
    assert list(preview.jobs()) == ["A run would do 3 jobs, including 2 fits:", "      2 fit: A, B", "      1 report"]
    assert list(preview.reasons()) == [
        "Why: 2 of 4 results are not up to date, and 1 depend on them",
        "  stale: results/s/fitA and 1 more: its code",
        "A run does less if a result that others depend on turns out unchanged",
    ]


def test_a_study_that_was_never_run_needs_no_list_of_what_is_missing(folder):
    found = [Audited(f"results/s/{name}", "missing", "no such file", job(name)) for name in ("a", "b")]
    told = list(RunPreview(found, lambda each: "", PurePath("results/s")).reasons())
    assert told == ["Why: this study has not been run here: it has no results in results/s"]


def test_time_follows_from_records_and_what_has_none_is_named(folder):
    jobs = [job("fit", "A", seconds=100), job("fit", "B", seconds=500), job("rank", "A", seconds=600), job("tune", "C")]
    prices = {"fit": 1.0, "rank": 2.0, "tune": 5.0}
    told, parts = describe_time(jobs, jobs[:3], 2, Fixed(prices))
    assert told == "Time: about 10 min on 2 processors, based on similar jobs in earlier runs"
    assert parts == "  in processor time: fits 10 min, rankings 10 min; by data set: all of them 20 min"
    # Recorded jobs take 300 times their prices, and so does tuning.
    told, parts = describe_time(jobs, jobs[3:], 1, Fixed(prices))
    assert told.startswith("Time: about 25 min on 1 processor, by what steps and recommenders state")
    told, parts = describe_time(jobs, jobs, 1, Fixed(prices))
    assert told == "Time: about 45 min on 1 processor, based on similar jobs in earlier runs; of tune, by what is stated"
    assert parts.startswith("  in processor time: searches 25 min, ")
    told, parts = describe_time([], [job("tune", "D")], 1, Fixed(prices))
    assert told.startswith("Time: about 10 s on 1 processor, by what steps and recommenders state, because earlier runs have no")


def test_a_record_counts_in_proportion_to_the_data(folder):
    small = replace(job("fit", "A", seconds=10), wildcards={"dataset": "small", "recommender": "A"})
    large = replace(job("fit", "B"), wildcards={"dataset": "large", "recommender": "A"})
    told, parts = describe_time([small, large], [large], 1, Fixed({"small": 1.0, "large": 6.0}))
    assert told == "Time: about 65 s on 1 processor, based on similar jobs in earlier runs"
    assert parts == "  in processor time: fits 60 s; by data set: large 60 s"


def test_disk_follows_from_results_of_such_jobs_that_are_here(folder):
    there, more, other = job("rank", "A"), job("rank", "B"), job("fit", "A")
    assert describe_disk([there], []) == "Disk: 2.0 kB"
    assert describe_disk([there, more], [more]) == "Disk: 2.0 kB now, about 2.0 kB more, based on existing results of similar jobs"
    assert "how much more is unknown" in describe_disk([there, other], [other])


def test_whoever_writes_the_results_is_named_without_touching_the_lock(folder):
    assert list(other_run_lines()) == []
    with only_writer(Path("results")):
        assert f"(process {os.getpid()} on " in next(other_run_lines())
    assert lock.writer_at_work(Path("results")) is None


def test_a_dry_run_of_a_study_writes_nothing(folder):
    Workspace(folder).write_study("tiny")
    before = sorted(folder.rglob("*"))
    told = list(preview_lines(Plan("tiny"), 2))
    assert told[0].startswith("A run would do ")
    assert "      2 rank: Popularity, kNN" in told or "      2 rank: kNN, Popularity" in told
    assert sorted(folder.rglob("*")) == before


def test_the_outline_holds_every_decision_with_what_varies_and_the_jobs(folder):
    experiments = {"Few": {"dataset": "Tiny", "design": {"split": "leave_out(n=3)"}, "vary": {"nc": ["append(by=random)"]}}}
    Workspace(folder).write_study("tiny", experiments=experiments)
    told = "\n".join(plan_lines(Plan("tiny"), 2))
    for line in (
        "  A2 Train/test split: random(ratio=0.5), in full random(count=binomial,ratio=0.5)\n",
        "Varied, one at a time:\n  C1 Full or condensed rankings: condensed\n",
        "Experiment 'Few', as above except for:\n",
        "  B2 Not computable items: append(by=random), in full append(by=random,users=all)\n",
        "  Tiny: generated, without a file\n",
        "for 1 data set, 1 further experiment, 2 systems, 4 designs, 2 folds",
        "Disk: 0 bytes now",
    ):
        assert line in told


def test_every_conflict_of_a_study_is_told_before_anything_runs(folder):
    Workspace(folder).write_study("tiny", vary={"targets": ["one_r"], "view": ["condensed"]}, combine="grid")
    told = []
    with pytest.raises(DesignError, match=r"tiny\.yaml: 1 conflict\n"):
        told.extend(plan_lines(Plan("tiny"), 2))
    assert "Not allowed:" in told
    assert "'targets: one_r' and 'view: condensed' do not go together" in told[-2]
