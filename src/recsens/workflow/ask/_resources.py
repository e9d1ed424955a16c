"""Resources that jobs request from a cluster (memory, time, grouping), by size of data and system; the numbers are in the rules."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, cached_property
from math import ceil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from recsens.artefacts.addresses import Address
from recsens.data.datasets import to_interactions
from recsens.data.filtering import Filter
from recsens.data.interactions import Interactions
from recsens.errors import RecsensError
from recsens.pipeline.filtering import apply_filters
from recsens.recommenders import Extent, Recommender, group_by_shared_fit
from recsens.recommenders.tuned import Tuned
from recsens.seeds import Origin, Stream
from recsens.study.baselines import STANDARD
from recsens.workflow.ask._components import recommender_at
from recsens.workflow.job import Job
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
            extent = self._job_extent(wildcards)
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
            taken = self._job_seconds(wildcards, seconds, per_million_ratings, with_fit=with_fit)
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
            is_brief = self._job_seconds(wildcards, 0, per_million_ratings, with_fit=True) <= _BRIEF
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
            return name if self._job_seconds(wildcards, *_SLOWEST[name], with_fit=name == "systems") <= _SHORT else None

        return group

    def _job_seconds(self, wildcards: Any, seconds: float, per_million: float, *, with_fit: bool) -> float:
        extent = self._job_extent(wildcards)
        taken = seconds + per_million * extent.ratings / _MILLION
        if not with_fit:
            return taken
        recommender = recommender_at(self.plan, wildcards)
        return taken * recommender.pace + recommender.seconds_needed(extent)

    def _job_extent(self, wildcards: Any) -> Extent:
        """Return the extent of the data that a job reads: one data set, or the data behind every ranking."""
        dataset = getattr(wildcards, "dataset", None)
        if dataset is None:
            return self._ranking_extent
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
    def _ranking_extent(self) -> Extent:
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


_OF_TRIAL = {each.name: each.seconds for each in STANDARD}

_PER_RATING, _PER_PAIR = 3e-6, 4e-8
"""Seconds per rating of a fit at the usual pace, and seconds per pair of a user and an item to rank."""

_OF_FIT = 0.6
"""The share of the part that others may share in fitting and ranking by neighbours."""

_STEPS: Mapping[str, tuple[float, float]] = {
    "ingest": (0.4, 2.0),
    "filter": (0.3, 0.5),
    "split": (0.2, 0.3),
    "check_targets": (0.2, 0.5),
    "rank": (0.3, 0.0),
    "measure": (0.2, 0.3),
    "figure": (2.0, 0.0),
    "report": (3.0, 0.0),
    # They read only tables and records, however many rankings there are.
    **dict.fromkeys(("decide_winners", "claims", "describe_datasets", "describe_splits", "describe_tuning"), (0.4, 0.0)),
}
"""Seconds of a step besides what its recommender takes, and seconds per million ratings."""

_OF_OTHERS = (0.4, 0.2)


_READ = 3_000_000
"""Files of up to about this many ratings are read, because the time of many recommenders depends on users and items."""


class Prices(Resources):
    """Prices of a study's jobs on one processor."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._read = cache(lambda dataset: _read(plan.source_at(dataset)))
        self._extent_of_raw = cache(self._extent_before_filters)

    def of(self, job: Job) -> float:
        """Return a job's seconds."""
        wildcards: Any = SimpleNamespace(**job.wildcards)
        extent = self._job_extent(wildcards)
        start, per_million = _STEPS.get(job.step, _OF_OTHERS)
        seconds = start + per_million * extent.ratings / 1_000_000
        if "recommender" not in job.wildcards:
            return seconds
        if job.step == "rank":
            return seconds + _PER_PAIR * extent.users * extent.items
        recommender = recommender_at(self.plan, wildcards)
        if isinstance(recommender, Tuned):
            return seconds + _of_trial(recommender.inner, extent) * self._trials(job, recommender)
        return seconds + _of_trial(recommender, extent)

    def _extent_before_filters(self, dataset: str) -> Extent:
        read = self._read(dataset)
        return guessed_extent(self.plan.source_at(dataset)) if read is None else _extent(read)

    def _recorded_extent(self, data: Address) -> Extent:
        """Return a data set's extent after a filter: from its record, or by filtering data that are quick to read."""
        read = None if Path(data.data.dataset).exists() else self._read(data.step("dataset"))
        filters = [Filter.build(link) for link in self.plan.filter_at(data.step("filter"))]
        if read is not None and filters:
            # A run refuses what cannot be filtered, and says why.
            with suppress(RecsensError):
                return _extent(apply_filters(read, filters, Origin(0, "")).interactions)
        return super()._recorded_extent(data)

    def label_of(self, job: Job) -> str:
        """Return the label of the data set that a job is about."""
        labels = {source.address.slug: label for label, source in reversed(self.plan.sources.items())}
        return labels.get(job.wildcards.get("dataset", ""), "all of them")

    def _trials(self, job: Job, tuned: Tuned) -> float:
        """Return how many candidates a job about a tuned system fits."""
        if job.step == "rank_trials":
            return tuned.n_candidates
        if job.step == "tune_shard":
            return tuned.n_fits * _apart(tuned) / int(job.wildcards["shard"].partition("-of-")[2])
        if job.step == "tune":
            return 0 if job.inputs.get("shards") else tuned.n_fits * _apart(tuned)
        return 1


def _read(source: RawDataSet) -> Interactions | None:
    """Return a data set before any filter if its files are quick to read."""
    if source.files and guessed_extent(source).ratings <= _READ:
        # A run refuses what cannot be read, and says why.
        with suppress(RecsensError):
            return to_interactions(source.component.load(source.files, Stream.of(0)))
    return None


def _extent(data: Interactions) -> Extent:
    return Extent(data.n_users, data.n_items, len(data))


@cache
def _apart(tuned: Tuned) -> float:
    """Return what the candidates of a search cost as a share of what they cost one by one, when none shares work."""
    candidates = [Recommender.build(each.spec) for each in tuned.candidates(Stream.of(0))]
    return 1 - _OF_FIT * (1 - len(group_by_shared_fit(candidates)) / len(candidates))


def _of_trial(recommender: Recommender, extent: Extent) -> float:
    """Return the seconds for fitting a recommender and ranking all items for all users."""
    if recommender.plugin_name() in _OF_TRIAL:
        return _OF_TRIAL[recommender.plugin_name()](extent)
    stated = recommender.seconds_needed(extent)
    return _PER_RATING * extent.ratings * recommender.pace + stated + _PER_PAIR * extent.users * extent.items
