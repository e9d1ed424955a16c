"""Comparisons within groups of users or items, under the base designs."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from recsens.arrays import Bools, Floats, Ints, grouped
from recsens.artefacts.filesets import InteractionFiles, PositionFiles, SideFiles
from recsens.artefacts.folds import read_interactions, read_roles, sides
from recsens.comparison.aggregation import Aggregate
from recsens.comparison.groups import FEWEST_IN_GROUP, Grouping, Side
from recsens.comparison.significance import adjusted
from recsens.errors import DesignError
from recsens.metrics import Judged, MeasuredAt, Memo, Metric
from recsens.outcomes.measuring.stored_rankings import Cell, RankedUsers
from recsens.outcomes.paired import Paired
from recsens.outcomes.panels import FoldMeasures, Panel, SystemMeasures
from recsens.outcomes.shared_panels import FoldFrame, Shared
from recsens.outcomes.summary import Outcomes, compare_alone, paired_on_folds
from recsens.outcomes.winner import FIRST, SECOND, ahead, better, decide
from recsens.plugins.specs import Spec
from recsens.ranking.targets import Targets
from recsens.study import Decisions, Experiment
from recsens.study.conflicts import left_out
from recsens.study.design import Design
from recsens.vocabulary import rate_of

_READ_AT_ONCE = 16

log = logging.getLogger(__name__)


def sides_with_values(metric: Metric, design: Decisions | Design) -> tuple[Side, ...]:
    """Return whose groups have values of a metric under a design: those of users and of items, only those of users, or none.

    There are none under P1R, where a user's value depends on all users, for metrics of all users together, and for aggregates that
    are not means of users' values. Groups of items need a metric that reads no whole lists, and a view in which unrated items are
    not relevant: otherwise, a group's items have no value of their own.
    """
    is_mean = Aggregate.build(design.aggregate).averages_values and Targets.build(design.targets).n_groups == 1
    if metric.unit == "pooled" or not is_mean:
        return ()
    return ("users",) if metric.reads == "lists" or rate_of(design.view) else ("users", "items")


@dataclass(frozen=True)
class GroupFiles:
    """What groups on a data set are made of: the data, their side tables, and the roles of ratings, fold by fold."""

    data: InteractionFiles
    side: SideFiles
    roles: Sequence[str]


class Group(NamedTuple):
    """A group under a grouping, as the study writes it.

    Attributes
    ----------
    grouping, spec
        The grouping.
    label
        The group.
    members
        The members on each fold, shape (n_users,) or (n_items,).
    counts
        Their numbers of train ratings on each fold, of the same shape.
    """

    grouping: Grouping
    spec: Spec
    label: str
    members: Sequence[Bools]
    counts: Sequence[Ints]

    @property
    def columns(self) -> dict[str, Any]:
        """The columns about the group: its mean number of members over the folds, and the extremes of their train ratings."""
        rated = np.concatenate([counts[own] for counts, own in zip(self.counts, self.members, strict=True)])
        about = {"members": len(rated) / len(self.members), "fewest": int(rated.min()), "most": int(rated.max())}
        return {"grouping": self.spec.written, "of": self.grouping.side, "group": self.label, **about}


class GroupedOutcomes:
    """The outcomes of a study by group, under base designs, of the groups that have values (`sides_with_values`).

    A data set that lacks what a grouping needs has no such groups.

    Parameters
    ----------
    outcomes
        The outcomes of the study.
    files
        What groups are made of, by the label of a data set or experiment.
    rankings
        The positions of every ranking, by their folder, if there are groups of items.

    Raises
    ------
    DesignError
        If no data set has what a grouping needs.
    """

    def __init__(self, outcomes: Outcomes, files: Mapping[str, GroupFiles], rankings: Mapping[str, PositionFiles]) -> None:
        self._outcomes, self._files, self._rankings = outcomes, files, rankings
        self._read = lru_cache(maxsize=_READ_AT_ONCE)(self._read_ranking)
        self._groups: dict[str, list[Group]] = {}
        lacking: dict[Spec, str] = {}
        for label, own in files.items():
            self._groups[label], lacks = _divide_groups(outcomes.study.groups, own)
            lacking |= lacks
            for spec, problem in lacks.items():
                log.warning("%s has no groups '%s': %s", label, spec.written, problem)
        known = {group.spec for groups in self._groups.values() for group in groups}
        for spec, problem in lacking.items():
            if spec not in known:
                raise DesignError(f"no data set has such groups: {problem}", where=f"groups: '{spec.written}'")

    def rows(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the rows of ``groups.csv``, one for each pair and group, and of ``group_values.csv``, one for each system."""
        of_pairs: list[dict[str, Any]] = []
        of_systems: list[dict[str, Any]] = []
        unmeasured = left_out(self._outcomes.study, self._outcomes.designs)
        for shared in self._outcomes.panels(of_base=True):
            design, panel, metric = self._outcomes.designs[shared.label][0], shared.panel, shared.measured.metric
            own = [group for group in self._groups[shared.label] if group.grouping.side in sides_with_values(metric, design)]
            if not isinstance(panel, Panel) or not own or metric.spec in unmeasured[shared.label, 0]:
                continue
            panels = [self._panel_within(shared, panel, group) for group in own]
            for group, (inside, within) in zip(own, panels, strict=True):
                for system in shared.experiment.systems:
                    data = Paired.over_folds(paired_on_folds(inside, (system, system), design), within)
                    value = {"users": int(data.counts[0].sum()), "value": _pair_means(data)[0]}
                    of_systems.append({**shared.head, "system": system, **group.columns, **value})
            whole = {pair: paired_on_folds(panel, pair, design) for pair in shared.experiment.pairs()}
            of_users = {pair: int(Paired.over_folds(on_folds).counts[0].sum()) for pair, on_folds in whole.items()}
            pairs = {
                pair: [
                    Paired.over_folds(on_folds if inside is panel else paired_on_folds(inside, pair, design), within)
                    for inside, within in panels
                ]
                for pair, on_folds in whole.items()
            }
            for pair, row in compare_within(shared.experiment, metric, own, pairs, design):
                about = {**dict(zip(("system_a", "system_b"), pair, strict=True)), "of_users": of_users[pair]}
                of_pairs.append({**shared.head, **about, **row})
        return of_pairs, of_systems

    def _panel_within(self, shared: Shared, panel: Panel, group: Group) -> tuple[Panel, list[Bools] | None]:
        """Return the values of a group: those of all users with its users on each fold, or those restricted to its items."""
        if group.grouping.side == "users":
            frames = next(iter(shared.frames.values()))
            return panel, [frame.users.spread(own) for frame, own in zip(frames, group.members, strict=True)]
        systems = {
            name: SystemMeasures(
                tuple(self._restricted(frame, shared.measured, own) for frame, own in zip(frames, group.members, strict=True))
            )
            for name, frames in shared.frames.items()
        }
        return replace(panel, systems=systems), None

    def _restricted(self, frame: FoldFrame, measured: MeasuredAt, items: Bools) -> FoldMeasures:
        values, n_measured = measure_restricted(*self._read(frame.cell), measured, items)
        return replace(frame, n_measured=frame.users.spread(n_measured)).measures(values)

    def _read_ranking(self, cell: Cell) -> tuple[RankedUsers, Judged]:
        ranked = RankedUsers.read(*self._rankings[cell.ranking])
        return ranked, ranked.judged(cell.view, cell.relevance)


def measure_restricted(ranked: RankedUsers, judged: Judged, measured: MeasuredAt, items: Bools) -> tuple[Floats, Ints]:
    """Measure users as if only some items were judged; all items keep their places, also in condensed rankings.

    Under 1R, each ranking of an item among them is measured as it is.

    Parameters
    ----------
    ranked, judged
        The rankings, and these under a view and threshold.
    measured
        The metric.
    items
        Whether each item is among them, shape (n_items,).

    Returns
    -------
    tuple
        Each user's value, and number of rankings, shape (1, n_users). A user without a relevant item among them has no ranking;
        for metrics of predicted ratings, a user without a rated one.
    """
    assert ranked.item is not None
    kept, cutoffs = items[ranked.item], (measured.cutoff,)
    if ranked.by_rating is not None:
        values = measured.metric.measure(judged, cutoffs)[kept, 0]
        n_rankings = np.bincount(ranked.user[kept], minlength=ranked.n_users)
        sums = np.bincount(ranked.user[kept], weights=values, minlength=ranked.n_users)
        return (sums / np.maximum(n_rankings, 1))[np.newaxis], n_rankings[np.newaxis]
    rows = ("user", "position", "rating", "score", "item", "unjudged_above", "is_target")
    chosen = {name: column[kept] for name in rows if (column := getattr(judged, name)) is not None}
    own = replace(judged, known=Memo(), **chosen)
    is_counted = (own.n_judged if measured.metric.reads == "predictions" else own.n_relevant) > 0
    return measured.metric.measure(own, cutoffs).T, is_counted.astype(np.int64)[np.newaxis]


def _divide_groups(specs: Iterable[Spec], files: GroupFiles) -> tuple[list[Group], dict[Spec, str]]:
    """Divide users and items on each fold, and say what the data lack for some groupings."""
    data = read_interactions(files.data, [files.side])
    trains = {path: sides(data, read_roles(path, data))[0] for path in files.roles}
    found, lacking = [], {}
    for spec in specs:
        grouping = Grouping.build(spec)
        if problem := grouping.lacks(data):
            lacking[spec] = problem
            continue
        by_role = {path: grouping.divide(train) for path, train in trains.items()}
        counts = [getattr(trains[path], "user_counts" if grouping.side == "users" else "item_counts") for path in files.roles]
        for label in dict.fromkeys(label for groups in by_role.values() for label in groups):
            nobody = np.zeros(len(counts[0]), dtype=np.bool_)
            members = [by_role[path].get(label, nobody) for path in files.roles]
            if any(own.any() for own in members):
                found.append(Group(grouping, spec, label, members, counts))
    return found, lacking


def compare_within(
    experiment: Experiment,
    metric: Metric,
    groups: Sequence[Group],
    pairs: Mapping[tuple[str, str], Sequence[Paired]],
    design: Design,
) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    """Compare pairs within groups and yield each pair with the row of each group; ``pairs`` holds a pair's data in every group.

    p is adjusted over groups, and p of equality over groupings: by the design's correction over all pairs, or else by Holm for each
    pair. Groups in which both systems have only the value 0, such as items that neither can score, have no p and do not count.
    """
    direction = 1 if metric.higher_is_better else -1
    means, found = np.full((2, len(pairs), len(groups)), np.nan), np.full((4, len(pairs), len(groups)), np.nan)
    for row, data in enumerate(pairs.values()):
        for nth, each in enumerate(data):
            means[:, row, nth] = _pair_means(each)
            if each.counts[0].any():
                one = compare_alone(each, design).comparison
                is_enough = _is_tested(each)
                found[:, row, nth] = one.difference, *((one.low, one.high, one.p_value) if is_enough else [np.nan] * 3)
    difference, low, high, p_value = found
    p_adjusted = _adjust_p_values(p_value, design)
    by_value = better(means[0], means[1], direction)
    margins = experiment.margin.beside(np.where(by_value == SECOND, means[1], means[0]))
    favoured = ahead(difference, direction)
    decided = decide(by_value, favoured, p_adjusted, experiment.alpha, low=low, high=high, margins=margins)
    members = grouped((group.spec, nth) for nth, group in enumerate(groups))
    p_alike = np.array([[p_equal([data[nth] for nth in alike]) for alike in members.values()] for data in pairs.values()])
    alike_p = dict(zip(members, _adjust_p_values(p_alike, design).T, strict=True))
    numbers = {"value_a": means[0], "value_b": means[1], "difference": difference, "low": low, "high": high, "p_value": p_value}
    numbers |= {"p_adjusted": p_adjusted, "p_equal": np.array([alike_p[group.spec] for group in groups]).T}
    for row, (pair, data) in enumerate(pairs.items()):
        labels = {} if metric.is_descriptive else dict(zip((FIRST, SECOND), pair, strict=True))
        for nth, group in enumerate(groups):
            columns = {**group.columns, "users": int(data[nth].counts[0].sum())}
            columns |= {name: float(values[row, nth]) for name, values in numbers.items()}
            is_equivalent = bool(decided.is_equivalent[row, nth] and margins[row, nth] > 0)
            yield pair, {**columns, "winner": labels.get(int(decided.winner[row, nth]), ""), "is_equivalent": is_equivalent}


def _adjust_p_values(p_values: Floats, design: Design) -> Floats:
    """Adjust p of shape (n_pairs, n): by the design's correction over all pairs, or by Holm over each pair's own if it has none."""
    if design.correction == "none":
        return np.array([adjusted(own, "holm") for own in p_values]).reshape(p_values.shape)
    return adjusted(p_values.ravel(), design.correction).reshape(p_values.shape)


def _is_tested(data: Paired) -> bool:
    """Whether a group has enough users, and a system a value other than 0 there; otherwise, its difference says nothing."""
    counts = data.counts[0]
    return bool(counts.sum() >= FEWEST_IN_GROUP and data.values[:, counts].any())


def _pair_means(data: Paired) -> list[float]:
    """Return the weighted mean of each of two systems over the users who count; NaN without users."""
    counts, weights = data.counts[0], data.weights
    own = np.ones(counts.sum()) if weights is None else weights[counts]
    return [float(values[counts] @ own / own.sum()) if len(own) else np.nan for values in data.values]


def p_equal(groups: Sequence[Paired]) -> float:
    """Test whether a pair's difference is the same in all groups with enough users; NaN with fewer than two such groups.

    With the differences d of k + 1 groups, and Σ, the covariance of their errors over users, who may be in several groups, Q =
    (C d)' (C Σ C')^-1 (C d) for the contrasts C with the first group. Q (η - k + 1) / (η k) is compared with an F distribution with
    k and η - k + 1 degrees of freedom. η = k (k + 1) / V is what a Wishart matrix with as much error as the estimate of Σ would
    have. For normal differences, V = Σ_P [(tr T_P)² + tr T_P²] / n_P, where T_P = (C Σ C')^-1/2 C Σ_P C' (C Σ C')^-1/2 is the part
    of the users who are in the same groups P, and n_P is their number times the mean of 1 - 1 / n over the n users of each group
    in P. If all groups have the same n users, η = n - 1, and the test is Hotelling's; two groups of different users have Welch's
    t-test, and several Zhang's test. A small group does not limit what the larger ones show.

    References
    ----------
    Hotelling (1931); Welch (1947); Zhang (2012); Pustejovsky & Tipton (2018), section 3.2.
    """
    enough = [each for each in groups if _is_tested(each)]
    k = len(enough) - 1
    if k < 1:
        return np.nan
    means, errors = [], []
    for each in enough:
        counts = each.counts[0]
        shares = np.where(counts, 1.0 if each.weights is None else each.weights, 0.0)
        shares = shares / shares.sum()
        delta, n = each.values[0] - each.values[1], counts.sum()
        means.append(shares @ delta)
        errors.append(shares * (delta - means[-1]) * np.sqrt(n / (n - 1)))
    contrast = np.array(errors[1:]) - errors[0]
    gaps, covariance = np.array(means[1:]) - means[0], contrast @ contrast.T
    if np.linalg.matrix_rank(covariance, hermitian=True) < k:
        return np.nan
    q = float(gaps @ np.linalg.solve(covariance, gaps))
    root = np.linalg.cholesky(covariance)
    eta = k * (k + 1) / _contrast_variation(np.linalg.solve(root, contrast), np.array([each.counts[0] for each in enough]))
    freedom = eta - k + 1
    return float(special.fdtrc(k, freedom, q * freedom / (eta * k))) if freedom > 0 else np.nan


def _contrast_variation(errors: Floats, counts: Bools) -> float:
    """Return V of `p_equal` from the standardised errors of k contrasts, shape (k, n_users), and who is in which group."""
    used = counts.any(axis=0)
    errors, counts = errors[:, used], counts[:, used]
    patterns, pattern, n_alike = np.unique(counts, axis=1, return_inverse=True, return_counts=True)
    freedom = n_alike * (1 - (patterns / counts.sum(axis=1)[:, np.newaxis]).sum(axis=0) / patterns.sum(axis=0))
    order, ends = np.argsort(pattern.ravel(), kind="stable"), np.cumsum(n_alike)[:-1]
    parts = (own @ own.T for own in np.split(errors[:, order], ends, axis=1))
    return float(sum((np.trace(part) ** 2 + (part**2).sum()) / n for part, n in zip(parts, freedom, strict=True)))
