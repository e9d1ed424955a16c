"""Estimates of a run's time and disk space, from the most similar jobs of earlier runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from pathlib import Path

from recsens.plugins.prose import listed
from recsens.workflow.ask import Prices
from recsens.workflow.job import Job

_SUBJECTS = ("recommender", "metric", "figure")
"""The wildcards in which jobs of one step differ most: the subject of a job."""

_UNITS = ("bytes", "kB", "MB", "GB", "TB")


_START, _PER_JOB = 5.0, 0.05
"""Seconds of a run besides its jobs, and besides each job."""

_KINDS = {
    "tune": "searches",
    "tune_shard": "searches",
    "rank_trials": "candidates on test data",
    "fit": "fits",
    "fit_program": "fits",
}
"""Steps that take long; rankings and all other jobs come after them."""


def describe_time(jobs: Sequence[Job], to_do: Sequence[Job], cores: int, prices: Prices) -> Iterator[str]:
    """Say how long some jobs of a study may take on ``cores`` processors, and which kinds of jobs and data sets take that time.

    The estimate is the time of the longest job, or the time of all jobs divided by the number of processors, whichever is longer,
    and the time of the run itself. Prices count for jobs without a record; if there are records, they only say how these depend on
    the size of data, and how fast this machine is.
    """
    recorded = [(job, seconds) for job in jobs if (seconds := _recorded_seconds(job.record)) is not None]
    priced = [job for job in to_do if job.record]
    estimated, unknown = _estimate_costs(recorded, priced, prices.of)
    seconds = _START + _PER_JOB * len(to_do) + max(sum(estimated) / cores, *estimated, 0.0)
    processors = f"{cores:,} processor{'' if cores == 1 else 's'}"
    if len(unknown) == len({job.step for job in priced}):
        basis = "by what steps and recommenders state, because earlier runs have no record of similar jobs"
    else:
        stated = f"; of {listed(unknown)}, by what is stated" if unknown else ""
        basis = f"based on similar jobs in earlier runs{stated}"
    yield f"Time: about {duration_text(seconds)} on {processors}, {basis}"
    by_kind, by_data = defaultdict[str, float](float), defaultdict[str, float](float)
    for job, each in zip(priced, estimated, strict=True):
        by_kind[_KINDS.get(job.step, "rankings" if job.step.startswith("rank") else "all else")] += each
        by_data[prices.label_of(job)] += each
    sums = (sorted(taken.items(), key=lambda each: -each[1]) for taken in (by_kind, by_data))
    parts = [", ".join(f"{name} {duration_text(each)}" for name, each in taken) for taken in sums]
    yield f"  in processor time: {parts[0]}; by data set: {parts[1]}"


def describe_disk(jobs: Sequence[Job], to_do: Iterable[Job]) -> str:
    """Say how much disk space a study's results take, and how much some jobs would add; files that are replaced add nothing."""
    sizes = [(job, [size_of(path) for path in job.files_written]) for job in jobs]
    there = sum(n_bytes or 0 for _, of_job in sizes for n_bytes in of_job)
    adding = [job for job in to_do if any(size_of(path) is None for path in job.files_written)]
    if not adding:
        return f"Disk: {size(there)}"
    recorded = [(job, float(sum(filter(None, of_job)))) for job, of_job in sizes if None not in of_job]
    estimated, unknown = _estimate_costs(recorded, adding, None)
    if not estimated:
        return f"Disk: {size(there)} now; how much more is unknown, because there are no results of similar jobs yet"
    except_for = f", not counting {listed(unknown)}, of which there are none" if unknown else ""
    return f"Disk: {size(there)} now, about {size(sum(estimated))} more, based on existing results of similar jobs{except_for}"


def _estimate_costs(
    recorded: Sequence[tuple[Job, float]], jobs: Iterable[Job], price: Callable[[Job], float] | None
) -> tuple[list[float], list[str]]:
    """Return the usual cost of each job that has one, and the steps of all other jobs.

    The usual cost is the mean over the most similar recorded jobs. The most similar job is the same job in an earlier run. Next are
    jobs of the same step on the same data set with the same recommender, metric or figure; then such jobs on any data set; then all
    jobs of the step. With a price, the mean is in proportion to it; jobs without a similar one cost their price, in proportion to
    what all recorded jobs cost.
    """
    known: dict[Hashable, list[tuple[float, float]]] = {}
    for job, value in recorded:
        weighted = value, price(job) if price else 1.0
        for likeness in (*_likeness_keys(job), "any"):
            known.setdefault(likeness, []).append(weighted)
    estimated: list[float] = []
    unknown: dict[str, None] = {}
    for job in jobs:
        alike = next((known[likeness] for likeness in _likeness_keys(job) if likeness in known), [])
        if not alike:
            unknown[job.step] = None
        if alike or price:
            of = alike or known.get("any", [(1.0, 1.0)])
            estimated.append(sum(value for value, _ in of) / sum(weight for _, weight in of) * (price(job) if price else 1.0))
    return estimated, list(unknown)


def size_of(path: str | Path) -> int | None:
    """Return a file's size in bytes; None if it does not exist."""
    try:
        return Path(path).stat().st_size
    except OSError:
        return None


def duration_text(seconds: float) -> str:
    """Write a duration as precisely as an estimate can be.

    Examples
    --------
    >>> duration(3), duration(100), duration(9000), duration(200000)
    ('5 s', '2 min', '2.5 h', '2.3 days')
    """
    if seconds < 90:
        return f"{max(round(seconds / 5) * 5, 5)} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h" if seconds < 48 * 3600 else f"{seconds / 86400:.1f} days"


def size(n_bytes: float) -> str:
    """Format a number of bytes in a suitable unit.

    Examples
    --------
    >>> size(12), size(1_234_567)
    ('12 bytes', '1.2 MB')
    """
    power = 0
    while n_bytes >= 1000 and power < len(_UNITS) - 1:
        n_bytes, power = n_bytes / 1000, power + 1
    return f"{n_bytes:.0f} {_UNITS[power]}" if power == 0 else f"{n_bytes:.1f} {_UNITS[power]}"


def _likeness_keys(job: Job) -> Iterator[Hashable]:
    """Yield keys that a job has in common with other jobs, those of the most similar jobs first."""
    subject = tuple(job.wildcards.get(name) for name in _SUBJECTS)
    yield job.step, frozenset(job.wildcards.items())
    yield job.step, subject, job.wildcards.get("dataset")
    yield job.step, subject
    yield job.step


def _recorded_seconds(record: str) -> float | None:
    """Read the seconds from a Snakemake record: a line of names, and a line of numbers."""
    try:
        names, *_, last = Path(record).read_text(encoding="utf-8").splitlines()
        return float(dict(zip(names.split("\t"), last.split("\t"), strict=True))["s"])
    except (OSError, ValueError, KeyError):
        return None
