"""Costs of a job: seconds for each part, and peak memory. No other result differs from run to run."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from recsens.artefacts.schemas import COSTS
from recsens.artefacts.storage import write_json

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
        """Time a part of the job."""
        start = perf_counter()
        yield
        self.seconds[part] = perf_counter() - start

    def write(self, path: str | Path) -> None:
        """Write the seconds of each part and the peak memory so far, in MiB, as a JSON object."""
        write_json(path, {"seconds": self.seconds, "peak_mib": peak_mib()}, COSTS)


def peak_mib() -> float:
    """Return the peak memory of this process in MiB, libraries and data included."""
    if _STATUS.is_file():
        # On Linux, getrusage starts from the size of the parent process.
        lines = dict(line.split(":", 1) for line in _STATUS.read_text(encoding="utf-8").splitlines())
        return int(lines["VmHWM"].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
