"""Resources that jobs request from a cluster (memory, time, grouping), by size of data and system; the numbers are in the rules."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, cached_property
from math import ceil
from pathlib import Path
from typing import Any

from recsens.artefacts.addresses import Address
from recsens.recommenders import Extent
from recsens.workflow.ask._components import recommender_at
from recsens.workflow.plan import Plan, RawDataSet

_MILLION = 1_000_000

_SHORT = 120
"""Jobs of at most this many seconds are grouped; alone, they would wait in a queue for longer than they run."""

_BRIEF = 10
"""A fit that takes at most this many seconds uses one thread, so that other fits can run at the same time."""

_SLOWEST: Mapping[str, tuple[float, float]] = {"data": (10, 20), "systems": (10, 40), "measures": (30, 10), "results": (40, 2)}
"""Seconds that the slowest rule of each group takes on a slow processor, and additional seconds per million ratings.

Either all jobs of a group are sent together or none are, because a job that is sent alone must not come between two jobs of a
group.
"""


_PACKED = frozenset((".zip", ".gz", ".bz2", ".xz", ".parquet"))
_BYTES_PER_RATING = 16
_PACKED_BYTES_PER_RATING = 4
"""Bytes per rating, fewer than usual, so that guessed numbers of ratings tend to be too large rather than too small."""


class Resources:
    """Requests to a cluster. For a rule about the whole study, the ratings behind all rankings of the study are counted."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._extent_of_raw = cache(lambda dataset: guessed_extent(plan.source_at(dataset)))
        self._extent_of_filtered = cache(self._recorded_extent)

    def mb(self, base: int, *, per_million_ratings: float = 0, with_model: bool = False) -> Callable[..., int]:
        """Return a function for the memory that a job requests in MB, doubled at each new attempt.

        The base includes two Snakemakes of 300 MB each and the worker; many clusters count memory shared by forked processes
        several times.

        Parameters
        ----------
        base, per_million_ratings
            MB, and additional MB per million ratings. Both are above the peaks measured on MovieLens 100K and 1M, with two jobs at
            a time.
        with_model
            Whether to add the memory that the recommender states for its model.
        """

        def request(wildcards: Any, attempt: int) -> int:
            extent = self._extent(wildcards)
            needed = base + per_million_ratings * extent.ratings / _MILLION
            if with_model:
                needed += recommender_at(self.plan, wildcards).bytes_needed(extent) / _MILLION
            return ceil(needed) << (attempt - 1)

        return request

    def runtime(self, *, seconds: float, per_million_ratings: float = 0, with_fit: bool = False) -> Callable[..., int]:
        """Return a function for a job's time limit in minutes: five times its estimated time, plus two; doubled at each attempt.

        Parameters
        ----------
        seconds, per_million_ratings
            Seconds on a slow processor, and additional seconds per million ratings.
        with_fit
            Whether the job fits a recommender. If so, the time is multiplied by the recommender's pace, and the seconds that the
            recommender states for its fit are added.
        """

        def request(wildcards: Any, attempt: int) -> int:
            taken = self._seconds(wildcards, seconds, per_million_ratings, with_fit=with_fit)
            return (2 + ceil(taken / 12)) << (attempt - 1)

        return request

    def threads(self, wildcards: Any) -> int:
        """Return the number of threads that a recommender can use."""
        return recommender_at(self.plan, wildcards).n_threads

    def fit_threads(self, *, per_million_ratings: float) -> Callable[..., int]:
        """Return a function for the number of threads of a fit: 1 if it is brief, otherwise as many as the recommender can use.

        Two threads take almost as long as one if there is little to compute, and on two processors no other job runs meanwhile.
        """

        def request(wildcards: Any) -> int:
            is_brief = self._seconds(wildcards, 0, per_million_ratings, with_fit=True) <= _BRIEF
            return 1 if is_brief else self.threads(wildcards)

        return request

    def group(self, name: str) -> Callable[[Any], str | None]:
        """Return a function for a job's group; it returns None if the group's jobs take so long that they are better sent alone.

        Rankings in shards have no group either. Shards are meant to be sent separately. Besides, a group must keep all files that
        its jobs make, but the job that merges the shards removes them.
        """

        def group(wildcards: Any) -> str | None:
            if hasattr(wildcards, "ties") and self.plan.n_shards(wildcards.dataset) > 1:
                return None
            return name if self._seconds(wildcards, *_SLOWEST[name], with_fit=name == "systems") <= _SHORT else None

        return group

    def _seconds(self, wildcards: Any, seconds: float, per_million: float, *, with_fit: bool) -> float:
        extent = self._extent(wildcards)
        taken = seconds + per_million * extent.ratings / _MILLION
        if not with_fit:
            return taken
        recommender = recommender_at(self.plan, wildcards)
        return taken * recommender.pace + recommender.seconds_needed(extent)

    def _extent(self, wildcards: Any) -> Extent:
        """Return the extent of the data that a job reads: one data set, or the data behind every ranking."""
        dataset = getattr(wildcards, "dataset", None)
        if dataset is None:
            return self._ranked
        if (kept := getattr(wildcards, "filter", None)) is None:
            return self._extent_of_raw(dataset)
        return self._extent_of_filtered(Address.of(int(wildcards.seed), dataset) / kept)

    def _recorded_extent(self, data: Address) -> Extent:
        """Return a data set's extent after a filter, from its record; without a record, its extent before any filter."""
        with suppress(OSError, ValueError, LookupError, TypeError):
            sizes = json.loads(Path(data.data.dataset).read_text(encoding="utf-8"))["filters"][-1]["after"]
            return Extent(*(int(sizes[name]) for name in Extent._fields))
        return self._extent_of_raw(data.step("dataset"))

    @cached_property
    def _ranked(self) -> Extent:
        """The largest numbers of users and of items in the data of any ranking, and the ratings summed over all rankings."""
        extents = [self._extent_of_filtered(ranking.address.up_to("filter")) for ranking in self.plan.rankings.values()]
        users, items = (max(getattr(extent, name) for extent in extents) for name in ("users", "items"))
        return Extent(users, items, sum(extent.ratings for extent in extents))


def guessed_extent(source: RawDataSet) -> Extent:
    """Guess a data set's extent from its parameters or, if it is read from files, from the files' size."""
    declared = [getattr(source.component, name, None) for name in Extent._fields]
    if all(isinstance(number, int) for number in declared):
        return Extent(*(int(number or 0) for number in declared))
    ratings = 0
    for file in source.files:
        with suppress(OSError):
            ratings += file.stat().st_size // (_PACKED_BYTES_PER_RATING if file.suffix in _PACKED else _BYTES_PER_RATING)
    return Extent(users=max(ratings // 50, 1), items=int(3 * ratings**0.5) + 1, ratings=ratings)
