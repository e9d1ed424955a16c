"""Costs of jobs: the seconds that each part takes, and the peak memory. Only these results differ from run to run."""

import resource
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from recsens.artefacts.schemas import COSTS
from recsens.artefacts.storage import read_json, write_json

_STATUS = Path("/proc/self/status")


class Costs:
    """Collects the costs of one job.

    Examples
    --------
    >>> costs = Costs()
    >>> with costs.of("fit"):
    ...     model = sum(range(10))
    >>> list(costs.seconds)
    ['fit']
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Time a part of the job. Times for parts with the same name are added up."""
        start = perf_counter()
        yield
        self.seconds[part] = self.seconds.get(part, 0.0) + perf_counter() - start

    def write(self, path: str | Path, shards: Sequence[str] = ()) -> None:
        """Write the seconds of each part and the peak memory so far (in MiB) as a JSON object.

        ``shards`` are the records of jobs that each did a shard of the work. Their seconds are added, and the peak is the highest
        of all jobs.
        """
        seconds, peak = Counter(self.seconds), peak_mib()
        for shard in shards:
            record = read_json(shard, COSTS)
            seconds.update(record["seconds"])
            peak = max(peak, record["peak_mib"])
        write_json(path, {"seconds": seconds, "peak_mib": peak}, COSTS)


def peak_mib() -> float:
    """Return this process's peak memory in MiB, including libraries and data."""
    if _STATUS.is_file():
        # On Linux, the peak that getrusage returns can be that of the parent process.
        lines = dict(line.split(":", 1) for line in _STATUS.read_text(encoding="utf-8").splitlines())
        return int(lines["VmHWM"].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
