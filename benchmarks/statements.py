"""What statements cost: the processor time of each job with and without them.

    RECSENS_DATA=... python benchmarks/statements.py

MovieLens 1M, from the raw file to the table of values. Goal: at most 2 % of the time of any step, where each step is a separate
process. The two kinds of results are made in turns, step by step, and the shortest of several times counts.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, nullcontext
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from unittest import mock

import yaml

from command_line import parser
from recsens.artefacts import statements
from recsens.workflow import job_inputs
from recsens.workflow.job import Job
from recsens.workflow.plan import Plan

if TYPE_CHECKING:
    pass

STUDY: dict[str, Any] = {
    "title": "Every step once",
    "datasets": {"ML-1M": "movielens(release=1m)"},
    "systems": {"kNN": "user_knn(k=100)", "PureSVD": "pure_svd(factors=50)"},
    "design": {"split": "random(ratio=0.5)"},
    "metrics": ["P@10", "nDCG@10"],
}
TINY = {"ML-1M": "simulated(users=60,items=200,ratings=2000)"}
STEPS = ("ingest", "filter", "split", "fit", "rank", "measure", "count_ratings", "summarise")
GOAL = 0.02


def main(command: Sequence[str] | None = None) -> None:
    """Time every step."""
    from recsens.workflow.planned_jobs import planned_jobs

    is_tiny = parser(__doc__).parse_args(command).tiny
    if "RECSENS_DATA" in os.environ:
        os.environ["RECSENS_DATA"] = str(Path(os.environ["RECSENS_DATA"]).absolute())
    with TemporaryDirectory() as scratch, chdir(scratch):
        study = Path(scratch, "statements.yaml")
        study.write_text(yaml.safe_dump({**STUDY, **({"datasets": TINY} if is_tiny else {})}), encoding="utf-8")
        for name in ("with", "without"):
            Path(name).mkdir()
        jobs = [job for job in planned_jobs(Plan(str(study))) if job.step in STEPS]
        print(f"{'step':<12}{'without':>10}{'with':>10}{'more':>9}   (goal: at most {GOAL:.0%} more)")
        for job, name in zip(jobs, named(jobs), strict=True):
            seconds = best_of(job, 1 if is_tiny else 5)
            print(
                f"{name:<12}{seconds['without']:>8.3f} s{seconds['with']:>8.3f} s{seconds['with'] / seconds['without'] - 1:>9.1%}"
            )


def best_of(job: Job, times: int) -> Mapping[str, float]:
    """Return the least processor seconds of a job in each folder, run in turns."""
    found: dict[str, list[float]] = {"with": [], "without": []}
    for turn in range(times):
        for folder in ("with", "without") if turn % 2 else ("without", "with"):
            with chdir(folder):
                found[folder].append(seconds_of(job, states=folder == "with"))
    return {folder: min(seconds) for folder, seconds in found.items()}


def seconds_of(job: Job, *, states: bool) -> float:
    """Return the processor seconds of a job in a separate process, from its start to its end, as a run calls it."""
    before = getrusage(RUSAGE_CHILDREN)
    process = get_context("spawn").Process(target=call, args=(job, states))
    process.start()
    process.join()
    if process.exitcode != 0:
        raise SystemExit(f"{job.step} failed")
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def call(job: Job, states: bool) -> None:
    """Call a job, with or without statements in its files."""
    with nullcontext() if states else bare():
        job.call()


@contextmanager
def bare() -> Iterator[None]:
    """Let jobs neither read nor write statements."""
    with (
        mock.patch.object(job_inputs, "digests_of", return_value={}),
        mock.patch.object(job_inputs, "refuse_changed_inputs", return_value=nullcontext()),
        mock.patch.object(statements, "making", return_value=nullcontext()),
    ):
        yield


def named(jobs: Sequence[Job]) -> list[str]:
    """Name each job after its step, with a number if there are several."""
    steps = [job.step for job in jobs]
    return [f"{step} {steps[: at + 1].count(step)}" if steps.count(step) > 1 else step for at, step in enumerate(steps)]


if __name__ == "__main__":
    main()
