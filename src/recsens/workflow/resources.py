"""Memory, time limit and threads of each rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Request:
    """Resources that a job of a rule requests from a cluster.

    Attributes
    ----------
    mb, mb_per_mb
        Memory in MB: a base, plus an amount for each MB of input files.
    minutes, minutes_per_mb
        Time limit in minutes, likewise.
    threads
        Threads. A fit or tuning requests as many as its recommender can use instead.
    """

    mb: int
    mb_per_mb: float
    minutes: int = 5
    minutes_per_mb: float = 0.1
    threads: int = 1


REQUESTS = {
    "ingest": Request(700, 25),
    "truth": Request(1500, 0, minutes_per_mb=0),
    "filter": Request(500, 40),
    "split": Request(500, 40),
    "check": Request(500, 60),
    # One fit for each candidate.
    "tune": Request(700, 60, minutes=120, minutes_per_mb=10),
    "fit": Request(700, 60, minutes=10, minutes_per_mb=2),
    "rank": Request(700, 60, minutes=10, minutes_per_mb=2),
    "population": Request(700, 6, minutes_per_mb=0.02),
    "measure": Request(700, 6, minutes_per_mb=0.02),
    # One analysis of all systems, on both of two cores.
    "analyse": Request(1500, 20, minutes=30, minutes_per_mb=1, threads=2),
    "findings": Request(500, 6, minutes_per_mb=0.02),
    "summarise": Request(700, 20),
    "count": Request(700, 20),
    # Only the randomisation test uses the second thread.
    "compare": Request(700, 20, threads=2),
    # All differences of a pair at once, and sums of thousands of patterns, on both of two cores.
    "multiverse": Request(1500, 20, minutes=15, threads=2),
    "judge": Request(700, 20),
    "claims": Request(700, 20),
    "costs": Request(500, 0, minutes_per_mb=0),
    "overlap": Request(700, 6),
    "describe": Request(500, 40),
    "describe_splits": Request(500, 0, minutes_per_mb=0),
    "describe_tuning": Request(500, 0, minutes_per_mb=0),
    "describe_predictions": Request(500, 6, minutes_per_mb=0.02),
    "figure": Request(700, 20),
    "report": Request(700, 40),
}
"""The request of each rule."""


def memory_mb(rule: str) -> Callable[..., int]:
    """Return the memory request of a rule, doubled at each new attempt."""
    request = REQUESTS[rule]
    return _grown(request.mb, request.mb_per_mb)


def minutes(rule: str) -> Callable[..., int]:
    """Return the time limit of a rule in minutes, doubled at each new attempt."""
    request = REQUESTS[rule]
    return _grown(request.minutes, request.minutes_per_mb)


def _grown(base: int, per_mb: float) -> Callable[..., int]:
    def request(wildcards: Any, input: Any, attempt: int) -> int:  # noqa: A002, ARG001 - Snakemake binds by name
        return int((base + per_mb * input.size_mb) * 2 ** (attempt - 1))

    return request
