"""Say how long a run may take and how much disk it adds, and what the estimate is based on."""

from collections.abc import Iterable, Sequence

from recsens.workflow.estimates import Usual, bytes_on_disk, duration, seconds_on_record, size, size_of
from recsens.workflow.planned_jobs import PlannedJob


def time_told(jobs: Sequence[PlannedJob], to_do: Sequence[PlannedJob], cores: int) -> str:
    """Say how long some of a study's jobs may take on ``cores`` processors.

    They take at least as long as the longest job, and as long as all jobs together divided by the number of processors.
    """
    estimated, unknown = _known(seconds_on_record(jobs), (job for job in to_do if job.record))
    if not estimated:
        return "Time: unknown, as there is no record of such jobs in earlier runs"
    seconds = max(sum(estimated) / cores, *estimated)
    processors = f"{cores:,} processor{'' if cores == 1 else 's'}"
    except_for = f", not counting {_listed(unknown)}, of which there is no record" if unknown else ""
    return f"Time: about {duration(seconds)} on {processors}, based on such jobs in earlier runs{except_for}"


def disk_told(jobs: Sequence[PlannedJob], to_do: Iterable[PlannedJob]) -> str:
    """Say how much disk a study's results take, and how much some jobs would add; replaced files add nothing."""
    there = sum(size_of(path) or 0 for job in jobs for path in job.files_written)
    adding = [job for job in to_do if any(size_of(path) is None for path in job.files_written)]
    if not adding:
        return f"Disk: {size(there)}"
    estimated, unknown = _known(bytes_on_disk(jobs), adding)
    if not estimated:
        return f"Disk: {size(there)} now; how much more is unknown, as there are no results of such jobs yet"
    except_for = f", not counting {_listed(unknown)}, of which there are none" if unknown else ""
    return f"Disk: {size(there)} now, about {size(sum(estimated))} more, based on existing results of such jobs{except_for}"


def _known(usual: Usual, jobs: Iterable[PlannedJob]) -> tuple[list[float], list[str]]:
    """Return some jobs' known costs, and the steps of those jobs whose costs are unknown."""
    values = [(job, usual.of(job)) for job in jobs]
    unknown = dict.fromkeys(job.step for job, value in values if value is None)
    return [value for _, value in values if value is not None], list(unknown)


def _listed(steps: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(steps[:-1]), steps[-1]]))
