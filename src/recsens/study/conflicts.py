"""Conflicts: combinations of decisions that make no sense, and are refused before any job starts."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from recsens import plugins
from recsens.comparison.aggregation import Aggregate
from recsens.comparison.groups import Grouping
from recsens.comparison.significance import SignificanceTest
from recsens.comparison.users import Population, Users
from recsens.data.datasets import DataSet
from recsens.data.filtering import Filter
from recsens.data.interactions import refuse_missing
from recsens.data.splitting import Splitter
from recsens.errors import ConfigError, DesignError, RecsensError, nearest
from recsens.metrics import LEFT_OUT, MeasuredAt, Metric, by_treatment, unranked_rating
from recsens.plugins.specs import Spec
from recsens.ranking.nc import NotComputable
from recsens.ranking.targets import Targets
from recsens.recommenders import SPLIT_NAMES, Recommender
from recsens.recommenders.tuned import VALIDATION, Tuned
from recsens.study import Experiment, Study, file_name
from recsens.study.carried import check_features, measuring_error, ratings_after_filters
from recsens.study.design import Design
from recsens.study.ignored import refuse_ignored
from recsens.study.searched import metric_of_effort
from recsens.vocabulary import LIST_DEPTH, rate_of

_WORDS = {"dataset": "data set", "filter": "filter", "split": "split"}


def refuse_shared_files(study: Study, designs: Mapping[str, Sequence[Design]]) -> None:
    """Refuse score files that several splits would share.

    Raises
    ------
    DesignError
        If there are such files; the message names two of the splits, and a path that distinguishes them.
    """
    seen: dict[tuple[str, Spec, tuple[str, ...]], dict[str, str]] = {}
    for label, experiment in study.by_label().items():
        for design in designs[label]:
            names = {"dataset": study.dataset_of(label), "filter": design.filter.written, "split": design.split.written}
            in_path = {**names, "dataset": file_name(names["dataset"])}
            for written, spec in (*experiment.systems.items(), *_fallback_specs(design)):
                template = Recommender.build(spec).score_files
                if template is None:
                    continue
                told = tuple(in_path[name] for name in SPLIT_NAMES if f"{{{name}}}" in str(template))
                first = seen.setdefault((written, spec, told), names)
                if first != names:
                    raise _shared_files_error(written, spec, str(template), first, names)


def _fallback_specs(design: Design) -> Iterator[tuple[str, Spec]]:
    """Yield the fallback recommender for items without a score, if there is one."""
    policy = NotComputable.build(design.nc)
    if policy.fallback is None:
        return
    template = Recommender.build(policy.fallback).score_files or ""
    named = next((f"{{{name}}}" for name in SPLIT_NAMES if f"{{{name}}}" in template), None)
    if named is not None:
        raise DesignError(
            f"the path '{template}' contains {named}, which is only replaced in the path of a system",
            where=f"nc: {design.nc.written}",
            allowed="{fold}",
            remedy="give each split its own experiment, with its own 'nc'",
        )
    yield f"nc: {design.nc.written}", policy.fallback


def _shared_files_error(label: str, spec: Spec, template: str, first: Mapping[str, str], second: Mapping[str, str]) -> DesignError:
    """Return the error about two splits that would share files; the message has the names that would distinguish them."""
    differing = [name for name in SPLIT_NAMES if first[name] != second[name]]
    one, other = (", ".join(f"{_WORDS[name]} '{split[name]}'" for name in differing) for split in (first, second))
    missing = [f"{{{name}}}" for name in differing if f"{{{name}}}" not in template]
    path = PurePath(template)
    return DesignError(
        f"the scores of '{label}' are read from files, but '{template}' is the same for {one} and {other}",
        where=f"system '{spec}'",
        allowed=f"this path tells them apart: '{path.parent.joinpath(*missing, path.name)}'" if missing else None,
        remedy="'recsens export' with the study's name writes the train sets, and explains each name"
        if missing
        else "rename one of the data sets: labels that differ only in punctuation or capitals become the same in a path",
    )


_NO_TIMES = "it needs time stamps, but the data set declares no column of time stamps"
_WITH_TIMES = "a data set with time stamps; a file of your own declares their column: timestamp=<column>"

_NONE, _MANY = np.zeros(1, dtype=np.int64), np.full(1, 10**6, dtype=np.int64)
"""Assumed numbers of ratings of two users: one without ratings, and one with enough ratings for any selection."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two decisions that cannot be combined.

    Attributes
    ----------
    first, second
        The two decisions as the study writes them.
    reason
        Why the two decisions cannot be combined.
    allowed
        What can be combined instead.
    metric
        The metric that cannot be measured under the design, which the study can leave out there; None if the conflict cannot be
        solved in this way.
    """

    first: str
    second: str
    reason: str
    allowed: str
    metric: Spec | None = None


def refuse_conflicts(study: Study, designs: Mapping[str, Sequence[Design]]) -> None:
    """Refuse a design with two decisions that cannot be combined, and a varied decision that affects no result.

    Raises
    ------
    ConfigError
        If a system needs an extra of recsens that is not installed; the message says how to install it.
    DesignError
        If two decisions cannot be combined, or if a varied decision affects no result. The message names both decisions and a
        combination that is possible, or it names the decision and the metrics that ignore it.
    """
    for refusal in refusals(study, designs):
        raise refusal


def refusals(study: Study, designs: Mapping[str, Sequence[Design]]) -> Iterator[RecsensError]:
    """Yield an error for each mistake; `refuse_conflicts` raises the first."""
    yield from _error_raised(lambda: refuse_shared_files(study, designs))
    yield from _extra_errors(study)
    found = _conflicts_by_design(study, designs)
    spared = {} if study.strict else left_out(study, designs, found)
    for label, experiment in study.by_label().items():
        yield from _error_raised(partial(_refuse_lacks, label, DataSet.build(experiment.datasets[label]), experiment.systems))
        if experiment.effort and (compared := metric_of_effort(experiment)).metric.spec in spared.get((label, 0), {}):
            problem = f"'effort' compares by {compared.written}, which '{label}' does not carry"
            yield DesignError(problem, remedy="put a metric first that every data set carries")
        for place, conflict in ((place, each) for place, own in found.items() if place[0] == label for each in own):
            if conflict.metric not in spared.get(place, {}):
                message = f"'{conflict.first}' and '{conflict.second}' do not go together: {conflict.reason}"
                yield DesignError(message, where=f"the designs of '{label}'", allowed=conflict.allowed)
    for experiment in study.all_experiments():
        yield from _error_raised(partial(refuse_ignored, experiment))


_Place = tuple[str, int]
"""The label of a data set or experiment, and the number of one of its designs."""


def _conflicts_by_design(study: Study, designs: Mapping[str, Sequence[Design]]) -> dict[_Place, list[Conflict]]:
    return {
        (label, number): [
            *_data_conflicts(design, DataSet.build(experiment.datasets[label]), _all_metrics(experiment)),
            *conflicts(design, experiment.systems, experiment.metrics),
            *(_analysis_conflicts(design, experiment) if number == 0 else ()),
        ]
        for label, experiment in study.by_label().items()
        for number, design in enumerate(designs[label])
    }


def _all_metrics(experiment: Experiment) -> list[MeasuredAt]:
    """List an experiment's metrics, and those that only its analyses of metrics measure."""
    analysed = (measured for entry in experiment.analyses.values() for measured in entry.metrics_of(experiment))
    return list(dict.fromkeys([*experiment.metrics, *analysed]))


def left_out(
    study: Study, designs: Mapping[str, Sequence[Design]], found: Mapping[_Place, Sequence[Conflict]] | None = None
) -> dict[_Place, dict[Spec, str]]:
    """For each design, say why it leaves out metrics: it cannot carry them, although another design of the study can."""
    known = found or _conflicts_by_design(study, designs)
    reasons = {place: {each.metric: each.reason for each in own if each.metric is not None} for place, own in known.items()}
    asked = {label: {each.metric.spec for each in _all_metrics(experiment)} for label, experiment in study.by_label().items()}
    carried = {metric for place, own in reasons.items() for metric in asked[place[0]] - own.keys()}
    return {place: {metric: own[metric] for metric in own if metric in carried} for place, own in reasons.items()}


def remarks_on_metrics(study: Study, designs: Mapping[str, Sequence[Design]]) -> list[str]:
    """Say which metrics are left out, where and why."""
    told = Counter((label, str(metric), why) for (label, _), own in left_out(study, designs).items() for metric, why in own.items())
    return [
        f"{metric} is left out on {label}" + f" under {n} of {len(designs[label])} designs" * (n < len(designs[label])) + f": {why}"
        for (label, metric, why), n in told.items()
    ]


def _refuse_lacks(label: str, dataset: DataSet, systems: Mapping[str, Spec]) -> None:
    """Refuse systems that need side information the data set does not declare; raises the same errors as `refuse_missing`."""
    columns = dataset.side_columns
    if columns is not None:
        for system, spec in systems.items():
            refuse_missing(Recommender.build(spec).side_information or (), columns, dataset=label, system=system)


def refuse_missing_groups(groups: Iterable[Spec], columns: Iterable[Mapping[str, Sequence[str]] | None]) -> None:
    """Refuse groups by a column that no data set has; ``columns`` has those of each data set's tables, or None if unknown.

    Raises
    ------
    DesignError
        The message names the columns of the last data set.
    """
    known = list(columns)
    for spec in groups:
        lacks = [own is not None and Grouping.build(spec).missing(own) for own in known]
        if all(lacks):
            raise DesignError(f"no data set has such groups: {lacks[-1]}", where=f"groups: '{spec.written}'")


def _error_raised(refuse: Callable[[], None]) -> Iterator[RecsensError]:
    try:
        refuse()
    except (ConfigError, DesignError) as error:
        yield error


def _extra_errors(study: Study) -> Iterator[RecsensError]:
    """Yield an error for each system that needs an extra that is not installed, also for systems inside another system."""
    for experiment in study.all_experiments():
        for label, spec in experiment.systems.items():
            system = Recommender.build(spec)
            for each in (type(system), *(plugins.load(kind, inner.name) for kind, inner in system.nested())):
                for error in _error_raised(partial(plugins.refuse_missing_extra, each)):
                    yield error.at(f"systems: {label}")


def _data_conflicts(design: Design, dataset: DataSet, metrics: Iterable[MeasuredAt]) -> Iterator[Conflict]:
    """Yield conflicts of decisions that need more than the data set declares; no file is read."""
    filters = [Filter.build(link) for link in design.filter]
    splitter = Splitter.build(design.split)
    if dataset.has_timestamps is False:
        timed = [f"split: {design.split.written}"] if splitter.needs_timestamps else []
        timed += [f"filter: {link.written}" for link, built in zip(design.filter, filters, strict=True) if built.needs_timestamps]
        for written in timed:
            yield Conflict(written, str(dataset.spec), _NO_TIMES, _WITH_TIMES)
    for measured in metrics:
        if against := _why_not_carried(measured.metric, design, dataset):
            reason, allowed = against.problem, against.allowed or "other metrics"
            yield Conflict(f"metrics: {measured.written}", str(dataset.spec), reason, allowed, measured.metric.spec)
    keeps = all(link.keeps_ratings for link in filters)
    if splitter.tests_truth and not dataset.has_truth:
        reason = "the complete relevance of this data set is not known"
        yield Conflict(f"split: {design.split.written}", str(dataset.spec), reason, "simulated data")
    elif splitter.tests_truth and not keeps:
        reason = "the filter changes ratings, but complete relevance is known only for unchanged ratings"
        yield Conflict(f"split: {design.split.written}", f"filter: {design.filter.written}", reason, "filters that keep ratings")
    scale = dataset.rating_scale if keeps else None
    if scale is not None and design.relevance is not None and not scale.lowest <= design.relevance <= scale.highest:
        outside = (
            "above the highest rating, so nothing" if design.relevance > scale.highest else "below the lowest rating, so everything"
        )
        reason = f"the threshold is {outside} would be relevant"
        allowed = f"{scale.lowest:g} to {scale.highest:g}, the scale of the data set, or null for the data set's own threshold"
        yield Conflict(f"relevance: {design.relevance:g}", str(dataset.spec), reason, allowed)


def _why_not_carried(metric: Metric, design: Design, dataset: DataSet) -> DesignError | None:
    """Return why filtered data cannot carry a metric, as far as declarations show it."""
    if dataset.has_timestamps is False and getattr(metric, "needs_timestamps", False):
        return DesignError(_NO_TIMES, allowed=_WITH_TIMES)
    if dataset.side_columns is not None:
        try:
            check_features(dataset.side_columns.get("item", ()), getattr(metric, "item_columns", ()), str(dataset.spec))
        except DesignError as error:
            return error
    declared = ratings_after_filters(dataset.spec, design.filter)
    return None if declared is None else measuring_error(metric.spec, *declared, design.relevance)


def conflicts(design: Design, systems: Mapping[str, Spec], metrics: Iterable[MeasuredAt]) -> Iterator[Conflict]:
    """Yield the conflicts within a design, and the conflicts of the design with systems (by label) or metrics."""
    yield from _target_conflicts(design)
    yield from _place_conflicts(design, systems, metrics)
    yield from _aggregate_conflicts(design, systems)
    yield from _metric_conflicts(design, systems, metrics)
    yield from _earlier_list_conflicts(design, metrics)
    yield from _unrated_conflicts(design, metrics)
    yield from _logarithm_conflicts(design)
    yield from _fallback_conflicts(design)
    yield from _set_aside_conflicts(design)
    yield from _tuning_conflicts(design, systems)


def _target_conflicts(design: Design) -> Iterator[Conflict]:
    """Yield conflicts of decisions that make no sense under 1R, where a ranking judges one rating, and of targets and split."""
    targets = Targets.build(design.targets)
    splitter = Splitter.build(design.split)
    written = f"targets: {design.targets.written}"
    if targets.unit == "rating" and design.view == "condensed":
        reason = "each ranking judges a single rating, so a condensed list would have one item"
        yield Conflict(written, "view: condensed", reason, "view: full, or targets with one ranking per user, such as ar")
    if targets.unit == "rating" and design.coverage == "reduced":
        reason = "the average is over ratings, so an item that is not ranked is a miss and not a user without a ranking"
        yield Conflict(written, "coverage: reduced", reason, "coverage: full, or targets with one ranking per user, such as ar")
    if targets.unit == "rating" and design.aggregate.name != "mean":
        reason = "the average is over ratings, not users"
        allowed = "aggregate: mean, or targets with one ranking per user, such as ar"
        yield Conflict(written, f"aggregate: {design.aggregate.written}", reason, allowed)
    if targets.made_for and splitter.test_shape != targets.made_for:
        reason = f"these targets are defined only for '{targets.made_for}' splits"
        allowed = f"split: {targets.made_for}, or the same targets under their general name, one_r or ar"
        yield Conflict(written, f"split: {design.split.written}", reason, allowed)


def _place_conflicts(design: Design, systems: Mapping[str, Spec], metrics: Iterable[MeasuredAt]) -> Iterator[Conflict]:
    """Yield conflicts of decisions with systems that have only the positions of judged items among all targets."""
    for label, spec in systems.items():
        if not Recommender.build(design.bound(spec)).has_places_only:
            continue
        held = f"systems: {label}"
        if design.targets != Targets.build("ar").spec:
            reason = "its file holds judged ranks, which are places among all targets"
            yield Conflict(held, f"targets: {design.targets.written}", reason, "targets: ar, or scores")
        if NotComputable.build(design.nc).fallback is not None:
            reason = "its file holds judged ranks, which do not say which items have no score"
            yield Conflict(held, f"nc: {design.nc.written}", reason, "nc: drop, or scores")
        if design.ties != "random":
            reason = "its file holds judged ranks, which do not name all items with the same score"
            yield Conflict(held, f"ties: {design.ties}", reason, "ties: random, or scores")
        for measured in metrics:
            if measured.metric.reads == "lists" or measured.metric.compares_users:
                reason = "its file holds judged ranks, but neither lists nor scores"
                yield Conflict(held, f"metrics: {measured.written}", reason, "metrics of judged items, or lists or scores")


def _aggregate_conflicts(design: Design, systems: Mapping[str, Spec]) -> Iterator[Conflict]:
    """Yield a conflict if the aggregate names a system that the study does not have."""
    aggregate = Aggregate.build(design.aggregate)
    for name in aggregate.named_systems:
        if name not in systems:
            reason = f"the study has no system '{name}'{nearest(name, systems)}"
            yield Conflict(f"aggregate: {design.aggregate.written}", "systems", reason, ", ".join(systems))


def _metric_conflicts(design: Design, systems: Mapping[str, Spec], metrics: Iterable[MeasuredAt]) -> Iterator[Conflict]:
    """Yield conflicts of metrics with the targets, a system, the aggregate or the test."""
    targets = Targets.build(design.targets)
    aggregate = Aggregate.build(design.aggregate)
    takes_logarithms = getattr(SignificanceTest.build(design.test), "log", False)
    for measured in metrics:
        metric, written = measured.metric, f"metrics: {measured.written}"
        if metric.pools_ratings and not targets.shares_others:
            reason = "the rankings of one user have different non-relevant items, so they cannot be joined into a single ranking"
            allowed = "draw=per_user, or targets with one ranking per user"
            yield Conflict(f"targets: {design.targets.written}", written, reason, allowed, metric.spec)
        elif targets.unit == "rating" and (reason := _against_single_ratings(measured)):
            allowed = "targets with one ranking per user, such as ar"
            yield Conflict(f"targets: {design.targets.written}", written, reason, allowed, metric.spec)
        for label, spec in systems.items() if metric.reads == "predictions" else ():
            recommender = Recommender.build(spec)
            if not recommender.predicts_ratings:
                reason = "its scores only order the items; they are not predicted ratings, so they have no error"
                yield Conflict(written, f"systems: {label}", reason, "recommenders that predict ratings, such as average_rating")
        if metric.unit != "user":  # The metric has one value for all users, so nothing is aggregated or tested.
            continue
        if aggregate.wants_more_is_better and not metric.higher_is_better and not metric.is_descriptive:
            reason = "lower values of this metric are better, so the aggregate would count gains as losses"
            yield Conflict(
                f"aggregate: {design.aggregate.written}",
                written,
                reason,
                "aggregate: mean, or metrics whose higher values are better",
            )
        if metric.values_range.startswith("[-") and (aggregate.wants_zero_and_above or takes_logarithms):
            decision = (
                f"aggregate: {design.aggregate.written}" if aggregate.wants_zero_and_above else f"test: {design.test.written}"
            )
            reason = f"the formula needs values of at least zero, but the metric's range is {metric.values_range}"
            yield Conflict(decision, written, reason, "metrics that are never negative, or aggregate: mean with test: t")


def _earlier_list_conflicts(design: Design, metrics: Iterable[MeasuredAt]) -> Iterator[Conflict]:
    """Yield conflicts of metrics that read lists of earlier folds with splits that have none, and with condensed lists."""
    for measured in metrics:
        if not measured.metric.reads_earlier:
            continue
        written, reason = f"metrics: {measured.written}", "the metric compares what a user was shown at successive times"
        if not Splitter.build(design.split).is_successive:
            yield Conflict(written, f"split: {design.split.written}", reason, "split: rolling", measured.metric.spec)
        elif design.view == "condensed":
            yield Conflict(written, "view: condensed", reason, "view: full", measured.metric.spec)


def _against_single_ratings(measured: MeasuredAt) -> str:
    """Say why a metric cannot be measured under one ranking per rating; empty if it can."""
    metric = measured.metric
    if metric.reads != "positions" or (metric.unit == "pooled" and not metric.pools_ratings):
        return "each relevant rating has its own ranking, so a user has neither a single list nor a single set of predictions"
    if metric.compares_judged:
        return "each ranking judges a single rating, but the metric compares judged items with each other"
    if LEFT_OUT in by_treatment(unranked_rating, {measured.written: measured}):
        return "a ranking without its relevant item has no value, so a user with one such ranking would lose the others too"
    return ""


def _unrated_conflicts(design: Design, metrics: Iterable[MeasuredAt]) -> Iterator[Conflict]:
    """Yield conflicts of unrated items that may be relevant with targets, and with metrics that have no formula for them."""
    if not rate_of(design.view):
        return
    if Targets.build(design.targets).unit == "rating":
        reason = "each ranking judges a single rating, so items that the user dislikes cannot be told from unrated items"
        allowed = "view: full, or targets with one ranking per user, such as ar"
        yield Conflict(f"targets: {design.targets.written}", f"view: {design.view}", reason, allowed)
    closed = {measured.metric.spec: measured.written for measured in metrics if not measured.is_open}
    is_all = len(closed) == len({measured.metric.spec for measured in metrics})
    for spec, written in closed.items():
        reason = f"there is no formula for {written} if unrated items may be relevant"
        allowed = f"P, R, F1, DCG, nDCG, RBP, ARHR, Success, RR, ERR and AP, with a cut-off of at most {LIST_DEPTH}"
        yield Conflict(f"metrics: {written}", f"view: {design.view}", reason, allowed, None if is_all else spec)


def _analysis_conflicts(design: Design, experiment: Experiment) -> Iterator[Conflict]:
    """Yield conflicts of analyses of metrics with unrated items as relevant, of which they know nothing, and of metrics with 1R."""
    if rate_of(design.view) and experiment.analyses:
        reason = "analyses of metrics measure ratings alone"
        yield Conflict(f"meta: {next(iter(experiment.analyses))}", f"view: {design.view}", reason, "'view' as a varied decision")
    by_rating = Targets.build(design.targets).unit == "rating"
    for measured in [each for each in _all_metrics(experiment) if by_rating and each not in experiment.metrics]:
        if reason := _against_single_ratings(measured):
            allowed = "metrics that can be measured under 1R, or targets with one ranking per user, such as ar"
            yield Conflict(f"targets: {design.targets.written}", f"meta: {measured.written}", reason, allowed)


def _logarithm_conflicts(design: Design) -> Iterator[Conflict]:
    """Yield a conflict if the test takes logarithms of values that the aggregate has already transformed."""
    if not getattr(SignificanceTest.build(design.test), "log", False):
        return
    if design.aggregate.name not in {"mean", "median", "weighted"}:
        reason = "the test would take logarithms of values that the aggregate has already transformed"
        allowed = "test: t with aggregate: geometric, which averages logarithms"
        yield Conflict(f"test: {design.test.written}", f"aggregate: {design.aggregate.written}", reason, allowed)


def _fallback_conflicts(design: Design) -> Iterator[Conflict]:
    """Yield a conflict if a fallback for users without train ratings has no effect, because such users are not averaged."""
    users = Users.build(design.users)
    if design.nc.get("users") == "without_train" and not _admits(users, train=_NONE, test=_MANY):
        reason = "the fallback serves users without train ratings, but such users are not averaged"
        yield Conflict(f"nc: {design.nc.written}", f"users: {design.users.written}", reason, "users: with_ratings(train=0)")


def _set_aside_conflicts(design: Design) -> Iterator[Conflict]:
    """Yield a conflict if averages include users whom the split does not test, because these users would count as zero.

    With five folds of users, values would shrink to a fifth. There is no conflict under 1R, which averages only users with a
    relevant test rating.
    """
    splitter = Splitter.build(design.split)
    targets = Targets.build(design.targets)
    users = Users.build(design.users)
    if not splitter.tests_everybody and targets.unit == "user" and _admits(users, train=_MANY, test=_NONE):
        reason = "the split tests only some of the users, and the others would count as zero"
        yield Conflict(f"split: {design.split.written}", f"users: {design.users.written}", reason, "users: with_ratings(test=1)")


def _tuning_conflicts(design: Design, systems: Mapping[str, Spec]) -> Iterator[Conflict]:
    """Yield conflicts for tuning on a validation set that the split does not have, and for a tuned recommender as a fallback."""
    splitter = Splitter.build(design.split)
    for label, spec in systems.items():
        recommender = Recommender.build(spec)
        if isinstance(recommender, Tuned) and recommender.split == VALIDATION and not splitter.validates:
            reason = "the system is tuned on the split's validation set, but this split has none"
            allowed = f"split: validated(of={design.split.written}), or a split of the train set: tuned(split=random,...)"
            yield Conflict(f"systems: {label}", f"split: {design.split.written}", reason, allowed)
    policy = NotComputable.build(design.nc)
    if policy.fallback is not None and isinstance(Recommender.build(policy.fallback), Tuned):
        reason = "a fallback cannot be tuned"
        yield Conflict(
            f"nc: {design.nc.written}", "recommender: tuned", reason, "a fallback with fixed parameters, such as popularity"
        )


def _admits(users: Users, *, train: NDArray[np.int64], test: NDArray[np.int64]) -> bool:
    """Whether a selection of users admits a user with so many ratings, of which those of the test set are relevant."""
    return bool(users.admit(Population(train=train, test=test, relevant=test, listed=_MANY))[0])
