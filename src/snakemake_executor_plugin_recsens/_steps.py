"""Snakemake jobs that call a recsens step."""

from collections.abc import Iterable, Iterator
from typing import Any

from recsens.workflow.job import Job
from recsens.workflow.rule_names import is_step as is_rule_of_step
from recsens.workflow.rule_names import step_of


def is_step(job: Any) -> bool:
    """Whether a job calls a step, with a name for every output file; other jobs are targets or belong to other people's rules."""
    return is_rule_of_step(job.rule) and len(list(_flat(job.output))) == len(job.output)


def as_ours(job: Any) -> Job:
    """Convert a Snakemake job to one of ours."""
    return Job(
        step_of(job.rule.name),
        log=str(job.log[0]),
        threads=job.threads,
        inputs=_plain(job.input.items()),
        outputs=_plain(job.output.items()),
        params=dict(job.params.items()),
    )


def single_jobs(job: Any) -> list[Any]:
    """List a group's jobs, each after the jobs that it needs; for a single job, only itself."""
    return [each for level in job.toposorted for each in level] if job.is_group() else [job]


def _flat(files: Any) -> Iterator[str]:
    """Yield the files that have a name."""
    for paths in dict(files.items()).values():
        yield from [paths] if isinstance(paths, str) else paths


def _plain(files: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return files by name as text, without Snakemake's attributes."""
    return {name: str(path) if isinstance(path, str) else list(map(str, path)) for name, path in files}
