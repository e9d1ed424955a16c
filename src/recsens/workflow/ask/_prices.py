"""The seconds of a job, by what its step and its recommender state, for jobs of which no earlier run has a record."""

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from recsens.artefacts.addresses import Address
from recsens.data.datasets import to_interactions
from recsens.data.filtering import Filter
from recsens.data.interactions import Interactions
from recsens.errors import RecsensError
from recsens.pipeline.filtering import apply_filters
from recsens.recommenders import Extent, Recommender, alike
from recsens.recommenders.tuned import Tuned
from recsens.seeds import Origin, Stream
from recsens.study.baselines import STANDARD
from recsens.workflow.ask._components import recommender_at
from recsens.workflow.ask._resources import Resources, guessed_extent
from recsens.workflow.job import Job
from recsens.workflow.plan import Plan, RawDataSet

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
        extent = self._extent(wildcards)
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
    return 1 - _OF_FIT * (1 - len(alike(candidates)) / len(candidates))


def _of_trial(recommender: Recommender, extent: Extent) -> float:
    """Return the seconds for fitting a recommender and ranking all items for all users."""
    if recommender.plugin_name() in _OF_TRIAL:
        return _OF_TRIAL[recommender.plugin_name()](extent)
    stated = recommender.seconds_needed(extent)
    return _PER_RATING * extent.ratings * recommender.pace + stated + _PER_PAIR * extent.users * extent.items
