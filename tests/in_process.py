"""A study computed in this process, job by job, for tests of what is computed rather than how a run does it."""

from collections import Counter
from collections.abc import Collection
from contextlib import chdir
from pathlib import Path

import pandas as pd
from click.testing import CliRunner, Result

from recsens.cli import main
from recsens.workflow import code_digests
from recsens.workflow.job import Job
from recsens.workflow.job_inputs import results_read
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs
from recsens.workflow.staleness import Audited, compare_results, jobs_to_do

MEASURED_BY_SNAKEMAKE = {"costs"}
"""Steps that read Snakemake's measurements of jobs."""

PRESENTED = {"figure", "report", "overlap", "describe_ties"}
"""Steps on which no table of numbers depends."""


def table(root: Path, study: str, name: str) -> pd.DataFrame:
    """Read a table of a study's results, with empty fields as empty text."""
    return pd.read_csv(root / f"results/studies/{study}/{name}.csv", keep_default_na=False)


def call(folder: Path, *arguments: str) -> Result:
    """Call the command line in a folder, for commands that start no job or refuse to."""
    with chdir(folder):
        return CliRunner().invoke(main, arguments)


def to_do(folder: Path, study: str) -> Counter[str]:
    """Count by step the jobs that a run would do, after reading edited code again."""
    code_digests.forget_code()
    with chdir(folder):
        return _counted(jobs_to_do(compare_results(planned_jobs(Plan(study)))))


def compute(folder: Path, study: str, *, without: Collection[str] = ()) -> Counter[str]:
    """Bring a study's results up to date, and count the jobs that ran for each step; steps ``without`` are left out."""
    done: list[Job] = []
    with chdir(folder):
        jobs = planned_jobs(Plan(study))
        while ready := [job for job in _ready(compare_results(jobs)) if job.step not in {*MEASURED_BY_SNAKEMAKE, *without}]:
            assert not any(job in done for job in ready), "a job was done, and its results are not what was asked for"
            for job in ready:
                job.call()
            done += ready
    return _counted(done)


def _ready(found: list[Audited]) -> list[Job]:
    """List the pending jobs that read only sound results."""
    unsound = {finding.path for finding in found if finding.state != "sound"}
    return [job for job in jobs_to_do(found) if unsound.isdisjoint(results_read(job.inputs))]


def _counted(jobs: list[Job]) -> Counter[str]:
    return Counter(job.step for job in jobs if job.step not in MEASURED_BY_SNAKEMAKE)
