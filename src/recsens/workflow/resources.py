"""Memory, time limit, threads and group of each rule: what its jobs ask of a cluster, from the size of the data and the system."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any

from recsens.artefacts.addresses import Address
from recsens.recommenders import Extent, Recommender
from recsens.workflow.extents import Extents
from recsens.workflow.plan import Plan

_MILLION = 1_000_000

_SHORT = 120
"""Seconds up to which a job is grouped with others: it would wait in a queue for longer than it runs."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a job of a rule takes: a base, which is mostly Python and its libraries, and more for each million of ratings.

    A rule of a study counts the ratings behind every ranking that the study reads.

    Attributes
    ----------
    mb, mb_per_million
        Memory in MB: more than the peaks measured on MovieLens 100K and 1M, of two jobs of a group side by side. The base includes
        two Snakemakes of 300 MB and the worker; many clusters count what forked processes share once for each.
    seconds, seconds_per_million
        Seconds on a slow processor.
    threads
        Threads. A fit or tuning takes as many as its recommender can use instead.
    group
        Name of the group whose short jobs are sent to a cluster together.
    """

    mb: int
    mb_per_million: float
    seconds: int
    seconds_per_million: float
    threads: int = 1
    group: str = "results"


DEMANDS = {
    "ingest": Demand(1400, 300, 10, 20, group="data"),
    # At most 0.5 GB of truth, twice.
    "truth": Demand(2400, 0, 60, 0, group="data"),
    "filter": Demand(1400, 250, 10, 5, group="data"),
    "side_tables": Demand(1400, 20, 10, 1, group="data"),
    "split": Demand(1400, 250, 10, 5, group="data"),
    "check": Demand(1400, 300, 10, 10, group="data"),
    # Many fits and rankings, one after another.
    "tune": Demand(1700, 600, 60, 900, group="systems"),
    "fit": Demand(1700, 500, 10, 40, group="systems"),
    # A shard of the users, and all of the data.
    "rank_shard": Demand(1700, 500, 10, 40, group="systems"),
    "rank": Demand(1700, 500, 10, 40, group="systems"),
    "population": Demand(1700, 6, 10, 1, group="measures"),
    "measure": Demand(1700, 6, 10, 1, group="measures"),
    # One analysis of all systems, on both of two cores.
    "analyse": Demand(2400, 20, 30, 10, threads=2, group="measures"),
    "findings": Demand(1700, 1, 10, 0),
    "summarise": Demand(1700, 10, 10, 1),
    "count": Demand(1700, 10, 10, 1),
    # Only the randomisation test uses the second thread.
    "compare": Demand(1700, 10, 10, 2, threads=2),
    # All differences of a pair at once, and sums of thousands of patterns, on both of two cores.
    "multiverse": Demand(2400, 15, 20, 2, threads=2),
    "judge": Demand(1700, 2, 10, 0.1),
    "claims": Demand(1700, 2, 10, 0.1),
    "score": Demand(1700, 10, 20, 0.5),
    "costs": Demand(1700, 0, 10, 0),
    "overlap": Demand(1700, 6, 10, 1),
    "describe": Demand(1700, 20, 10, 1),
    "describe_splits": Demand(1700, 0, 10, 0),
    "describe_tuning": Demand(1700, 0, 10, 0),
    "describe_predictions": Demand(1700, 6, 10, 0.5),
    "describe_matches": Demand(1700, 6, 10, 0.5),
    "describe_ties": Demand(1700, 12, 10, 2),
    "figure": Demand(1700, 10, 20, 0.5),
    "report": Demand(1700, 10, 40, 0.5),
}
"""The demand of each rule."""

GROUPS = tuple(dict.fromkeys(demand.group for demand in DEMANDS.values()))
"""Every group."""


class Requests:
    """What the jobs of a study ask for.

    Parameters
    ----------
    plan
        The plan of the study.
    recommender
        Builds the recommender that the wildcards of a job name.
    """

    def __init__(self, plan: Plan, recommender: Callable[[Any], Recommender]) -> None:
        self._plan, self._recommender, self._extents = plan, recommender, Extents(plan)

    def memory_mb(self, rule: str) -> Callable[..., int]:
        """Return the memory request of a rule in MB, doubled at each new attempt."""

        def request(wildcards: Any, attempt: int) -> int:
            return self._mb(rule, wildcards) << (attempt - 1)

        return request

    def minutes(self, rule: str) -> Callable[..., int]:
        """Return the time limit of a rule in minutes: many times what it takes, and doubled at each new attempt."""

        def request(wildcards: Any, attempt: int) -> int:
            return (2 + ceil(self._seconds(rule, wildcards) / 12)) << (attempt - 1)

        return request

    def group(self, rule: str) -> Callable[..., str | None]:
        """Return the group of a rule's jobs: none if they take long, and are better sent on their own."""

        def group(wildcards: Any) -> str | None:
            return DEMANDS[rule].group if self._seconds(rule, wildcards) <= _SHORT else None

        return group

    def _mb(self, rule: str, wildcards: Any) -> int:
        demand, extent = DEMANDS[rule], self._extent(wildcards)
        mb = demand.mb + demand.mb_per_million * extent.ratings / _MILLION
        if demand.group == "systems":
            mb += self._recommender(wildcards).bytes_needed(extent) / _MILLION
        return ceil(mb)

    def _seconds(self, rule: str, wildcards: Any) -> float:
        demand, extent = DEMANDS[rule], self._extent(wildcards)
        if demand.group == "results":
            # Together or one by one: a job that is sent alone must not stand between two of a group.
            return max(self._total(each) for each in DEMANDS.values() if each.group == "results")
        seconds = demand.seconds + demand.seconds_per_million * extent.ratings / _MILLION
        if rule in {"fit", "tune"}:
            recommender = self._recommender(wildcards)
            seconds = seconds * recommender.pace + recommender.seconds_needed(extent)
        return seconds

    def _total(self, demand: Demand) -> float:
        return demand.seconds + demand.seconds_per_million * self._ranked.ratings / _MILLION

    def _extent(self, wildcards: Any) -> Extent:
        """Return the extent of the data that a job reads: those of one data set, or those behind every ranking."""
        dataset = getattr(wildcards, "dataset", None)
        if dataset is None:
            return self._ranked
        if (kept := getattr(wildcards, "filter", None)) is None:
            return self._extents.raw(dataset)
        return self._extents.filtered(Address.of(int(wildcards.seed), dataset) / kept)

    @cached_property
    def _ranked(self) -> Extent:
        """The ratings behind all rankings, each counted as often as it is ranked."""
        extents = [self._extents.filtered(ranking.address.up_to("filter")) for ranking in self._plan.rankings.values()]
        users, items = (max(getattr(extent, name) for extent in extents) for name in ("users", "items"))
        return Extent(users, items, sum(extent.ratings for extent in extents))


def threads_of(rule: str) -> int:
    """Return the threads of a rule."""
    return DEMANDS[rule].threads
