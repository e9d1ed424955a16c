"""Combinations of decisions that have no meaning, refused before any job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from recsens import plugins
from recsens.aggregation import Aggregate
from recsens.config import Study
from recsens.datasets import DataSet
from recsens.design import Design
from recsens.errors import DesignError, nearest
from recsens.filtering import Filter
from recsens.ignored import refuse_ignored
from recsens.nc import NotComputable
from recsens.recommenders import Recommender
from recsens.recommenders.tuned import VALIDATION, Tuned
from recsens.score_files import refuse_shared_files
from recsens.splitting import Splitter
from recsens.targets import Targets
from recsens.users import Population, Users


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two decisions that exclude each other.

    Attributes
    ----------
    first, second
        The decisions as the study writes them.
    reason
        Why they do not go together.
    allowed
        What would.
    """

    first: str
    second: str
    reason: str
    allowed: str


def refuse_conflicts(study: Study, designs: Mapping[str, Sequence[Design]]) -> None:
    """Refuse the first design two of whose decisions exclude each other, and a varied decision that nothing depends on.

    Raises
    ------
    DesignError
        The message names both decisions and what would go together, or the decision and the metrics that ignore it.
    """
    refuse_shared_files(study, designs)
    for part in study.parts():
        for label, spec in part.datasets.items():
            dataset: DataSet = plugins.build("dataset", spec)
            for design in designs[label]:
                for found in (*_of_data(design, dataset), *conflicts(design, part)):
                    message = f"'{found.first}' and '{found.second}' do not go together: {found.reason}"
                    raise DesignError(message, where=f"the designs of '{label}'", allowed=found.allowed)
        refuse_ignored(part)


def _of_data(design: Design, dataset: DataSet) -> Iterator[Conflict]:
    """Refuse what a data set cannot give, as far as its declaration tells before a file is read."""
    filters: list[Filter] = [plugins.build("filter", link) for link in design.filter]
    splitter: Splitter = plugins.build("split", design.split)
    if dataset.has_timestamps is False:
        timed = [f"split: {design.split}"] if splitter.needs_timestamps else []
        timed += [f"filter: {link.spec}" for link in filters if link.needs_timestamps]
        for written in timed:
            reason = "it goes by time, and the data set declares no time stamps"
            yield Conflict(written, str(dataset.spec), reason, "a data set with its column of time stamps: timestamp=3")
    scale = dataset.rating_scale if all(link.keeps_ratings for link in filters) else None
    if scale is not None and design.relevance is not None and not scale.lowest <= design.relevance <= scale.highest:
        outside = (
            "above the highest rating, so that nothing" if design.relevance > scale.highest else "below the lowest, so that all"
        )
        reason = f"the threshold is {outside} would be relevant"
        allowed = f"{scale.lowest:g} to {scale.highest:g}, the scale of the data set, or null for its upper quarter"
        yield Conflict(f"relevance: {design.relevance:g}", str(dataset.spec), reason, allowed)


def conflicts(design: Design, study: Study) -> Iterator[Conflict]:
    """Visit the conflicts of a design."""
    yield from _of_targets(design)
    yield from _of_aggregate(design, study)
    yield from _of_metrics(design, study)
    yield from _of_logarithms(design)
    yield from _of_fallback(design)
    yield from _of_users_set_aside(design)
    yield from _of_tuning(design, study)


def _of_targets(design: Design) -> Iterator[Conflict]:
    """1R ranks for each relevant rating, in which nothing else is judged; some selections are made for one split."""
    targets: Targets = plugins.build("targets", design.targets)
    splitter: Splitter = plugins.build("split", design.split)
    written = f"targets: {design.targets}"
    if targets.unit == "rating" and design.view == "condensed":
        reason = "a single rating is judged in each ranking, and condensing would leave a list of one"
        yield Conflict(written, "view: condensed", reason, "view: full, or targets with one ranking a user, such as ar")
    if targets.unit == "rating" and design.coverage == "reduced":
        reason = "what is averaged here are ratings, and one whose item is not ranked is a miss, not a user without a ranking"
        yield Conflict(written, "coverage: reduced", reason, "coverage: full, or targets with one ranking a user, such as ar")
    if targets.unit == "rating" and design.aggregate.name != "mean":
        reason = "what is averaged here are ratings, not users"
        allowed = "aggregate: mean, or targets with one ranking a user, such as ar"
        yield Conflict(written, f"aggregate: {design.aggregate}", reason, allowed)
    if targets.made_for and splitter.test_shape != targets.made_for:
        reason = f"these targets are defined on splits of the kind '{targets.made_for}'"
        allowed = f"split: {targets.made_for}, or the same targets under their general name, one_r or ar"
        yield Conflict(written, f"split: {design.split}", reason, allowed)


def _of_aggregate(design: Design, study: Study) -> Iterator[Conflict]:
    """Refuse an aggregate that names a system which the study does not have."""
    aggregate: Aggregate = plugins.build("aggregate", design.aggregate)
    for name in aggregate.named_systems:
        if name not in study.systems:
            reason = f"'{name}' is none of the systems{nearest(name, study.systems)}"
            yield Conflict(f"aggregate: {design.aggregate}", "systems", reason, ", ".join(study.systems))


def _of_metrics(design: Design, study: Study) -> Iterator[Conflict]:
    """Refuse metrics that a design, a system or a formula over users has no place for: after all fits it would be too late."""
    targets: Targets = plugins.build("targets", design.targets)
    aggregate: Aggregate = plugins.build("aggregate", design.aggregate)
    takes_logarithms = getattr(plugins.build("test", design.test), "log", False)
    for measured in study.metrics:
        metric, written = measured.metric, f"metrics: {measured.short}"
        if targets.unit == "rating" and (metric.reads != "positions" or metric.unit == "pooled"):
            reason = "each relevant rating has a ranking of its own, and there is neither a list nor a set of predictions of a user"
            yield Conflict(f"targets: {design.targets}", written, reason, "targets with one ranking a user, such as ar")
        elif targets.unit == "rating" and metric.compares_judged:
            reason = "a single rating is judged in each ranking, and the metric compares judged items with one another"
            yield Conflict(f"targets: {design.targets}", written, reason, "targets with one ranking a user, such as ar")
        for label, spec in study.systems.items() if metric.reads == "predictions" else ():
            recommender: Recommender = plugins.build("recommender", spec)
            if not recommender.predicts_ratings:
                reason = "its scores order items and are not ratings, so that they have no error"
                yield Conflict(written, f"systems: {label}", reason, "recommenders that predict ratings, such as average_rating")
        if metric.unit != "user":  # one value of all users: nothing is aggregated or tested
            continue
        if aggregate.wants_more_is_better and not metric.higher_is_better and not metric.is_descriptive:
            reason = "less of this metric is better, and what would be counted as losses are gains"
            yield Conflict(f"aggregate: {design.aggregate}", written, reason, "aggregate: mean, or metrics of which more is better")
        if metric.values_range.startswith("[-") and (aggregate.wants_zero_and_above or takes_logarithms):
            decision = f"aggregate: {design.aggregate}" if aggregate.wants_zero_and_above else f"test: {design.test}"
            reason = f"the formula has no place for values below zero, and these lie in {metric.values_range}"
            yield Conflict(decision, written, reason, "metrics of zero and above, or aggregate: mean with test: t")


def _of_logarithms(design: Design) -> Iterator[Conflict]:
    """Refuse logarithms of values that were transformed before."""
    if not getattr(plugins.build("test", design.test), "log", False):
        return
    if design.aggregate.name not in {"mean", "median", "weighted"}:
        reason = "the test would take logarithms of what the aggregate has transformed"
        allowed = "test: t with aggregate: geometric, which is averaged in logarithms"
        yield Conflict(f"test: {design.test}", f"aggregate: {design.aggregate}", reason, allowed)


def _of_fallback(design: Design) -> Iterator[Conflict]:
    """Refuse a fallback for users without train ratings where such users are not averaged: it would serve nobody."""
    users: Users = plugins.build("users", design.users)
    if design.nc.get("users") == "without_train" and not _admits_untrained(users):
        reason = "the users that the fallback serves are not averaged"
        yield Conflict(f"nc: {design.nc}", f"users: {design.users}", reason, "users: with_ratings(train=0)")


def _of_users_set_aside(design: Design) -> Iterator[Conflict]:
    """Refuse averages over users whom the split sets aside: each would count as zero.

    Of five folds of users, a fifth of the value would be left. Under 1R nobody is averaged who has no relevant test rating.
    """
    splitter: Splitter = plugins.build("split", design.split)
    targets: Targets = plugins.build("targets", design.targets)
    users: Users = plugins.build("users", design.users)
    if not splitter.tests_everybody and targets.unit == "user" and _admits_untested(users):
        reason = "the split tests some users only, and all others would be averaged as zero"
        yield Conflict(f"split: {design.split}", f"users: {design.users}", reason, "users: with_ratings(test=1)")


def _of_tuning(design: Design, study: Study) -> Iterator[Conflict]:
    """Refuse tuning by a validation set that no fold has, and as a fallback, for which nothing would be tuned."""
    splitter: Splitter = plugins.build("split", design.split)
    for label, spec in study.systems.items():
        recommender: Recommender = plugins.build("recommender", spec)
        if isinstance(recommender, Tuned) and recommender.split == VALIDATION and not splitter.validates:
            reason = "the system is tuned on the validation set of the split, which has none"
            allowed = f"split: validated(of={design.split}), or a split of the train set: tuned(split=random,...)"
            yield Conflict(f"systems: {label}", f"split: {design.split}", reason, allowed)
    policy: NotComputable = plugins.build("nc", design.nc)
    if policy.fallback is not None and isinstance(plugins.build("recommender", policy.fallback), Tuned):
        reason = "a fallback is not tuned"
        yield Conflict(f"nc: {design.nc}", "recommender: tuned", reason, "a fallback with its parameters, such as popularity")


def _admits_untested(users: Users) -> bool:
    none, many = np.zeros(1, dtype=np.int64), np.full(1, 10**6, dtype=np.int64)
    return bool(users.admit(Population(train=many, test=none, relevant=none, listed=many))[0])


def _admits_untrained(users: Users) -> bool:
    none, many = np.zeros(1, dtype=np.int64), np.full(1, 10**6, dtype=np.int64)
    return bool(users.admit(Population(none, many, many, many))[0])
