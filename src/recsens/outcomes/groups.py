"""Comparisons within groups of users or items, under the base designs."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from recsens.arrays import Bools, Floats, Ints
from recsens.artefacts.filesets import InteractionFiles, PositionFiles, SideFiles
from recsens.artefacts.folds import read_interactions, read_roles, sides
from recsens.comparison.aggregation import Aggregate
from recsens.comparison.groups import FEWEST_IN_GROUP, Grouping
from recsens.comparison.significance import adjusted
from recsens.errors import DesignError
from recsens.metrics import Judged, MeasuredAt, Memo
from recsens.outcomes.measuring.stored_rankings import Cell, RankedUsers
from recsens.outcomes.paired import Paired
from recsens.outcomes.panels import FoldMeasures, Panel, SystemMeasures
from recsens.outcomes.rounding import rounded
from recsens.outcomes.shared_panels import FoldFrame, Shared
from recsens.outcomes.summary import Outcomes, compare_alone, paired_on_folds
from recsens.outcomes.winner import FIRST, SECOND, ahead, decide
from recsens.plugins.specs import Spec
from recsens.ranking.targets import Targets
from recsens.study.conflicts import left_out
from recsens.study.design import Design
from recsens.vocabulary import rate_of

_READ_AT_ONCE = 16

log = logging.getLogger(__name__)


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
    """The outcomes of a study by group: of metrics with values of users, under base designs whose aggregate averages them.

    There are none under P1R, where a user's value depends on all users. Groups of items need a metric that reads no whole lists,
    and a view in which unrated items are not relevant. A data set that lacks what a grouping needs has no such groups.

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
            self._groups[label], lacks = _groups_of(outcomes.study.groups, own)
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
            design, panel = self._outcomes.designs[shared.label][0], shared.panel
            is_mean = Aggregate.build(design.aggregate).averages_values and Targets.build(design.targets).n_groups == 1
            if not isinstance(panel, Panel) or not is_mean or shared.measured.metric.spec in unmeasured[shared.label, 0]:
                continue
            head = {"dataset": shared.label, "metric": shared.measured.written, "metric_full": str(shared.measured)}
            # Of whole lists, and where unrated items may be relevant, a group's items have no value of their own.
            is_by_item = shared.measured.metric.reads != "lists" and not rate_of(design.view)
            own = [group for group in self._groups[shared.label] if is_by_item or group.grouping.side == "users"]
            panels = [self._within(shared, panel, group) for group in own]
            for group, (inside, within) in zip(own, panels, strict=True):
                for system in shared.experiment.systems:
                    data = Paired.over_folds(paired_on_folds(inside, (system, system), design), within)
                    value = {"users": int(data.counts[0].sum()), "value": _means(data)[0]}
                    of_systems.append({**head, "system": system, **group.columns, **value})
            for pair in shared.experiment.pairs():
                whole = Paired.over_folds(paired_on_folds(panel, pair, design))
                about = {**head, **dict(zip(("system_a", "system_b"), pair, strict=True)), "of_users": int(whole.counts[0].sum())}
                compared = [Paired.over_folds(paired_on_folds(inside, pair, design), within) for inside, within in panels]
                of_pairs += [{**about, **row} for row in _compared(shared, pair, own, compared, design)]
        return of_pairs, of_systems

    def _within(self, shared: Shared, panel: Panel, group: Group) -> tuple[Panel, list[Bools] | None]:
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
        values, n_measured = restricted(*self._read(frame.cell), measured, items)
        return replace(frame, n_measured=frame.users.spread(n_measured)).measures(values)

    def _read_ranking(self, cell: Cell) -> tuple[RankedUsers, Judged]:
        ranked = RankedUsers.read(*self._rankings[cell.ranking])
        return ranked, ranked.judged(cell.view, cell.relevance)


def restricted(ranked: RankedUsers, judged: Judged, measured: MeasuredAt, items: Bools) -> tuple[Floats, Ints]:
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


def _groups_of(specs: Iterable[Spec], files: GroupFiles) -> tuple[list[Group], dict[Spec, str]]:
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


def _compared(
    shared: Shared, pair: tuple[str, str], groups: Sequence[Group], data: Sequence[Paired], design: Design
) -> Iterator[dict[str, Any]]:
    """Compare a pair within each group; p is adjusted by Holm over all its groups, and p of equality over all its groupings."""
    experiment, metric = shared.experiment, shared.measured.metric
    means, intervals = np.array([_means(each) for each in data]).reshape(-1, 2), np.full((3, len(data)), np.nan)
    for nth, each in enumerate(data):
        if each.counts[0].sum() >= FEWEST_IN_GROUP:
            compared = compare_alone(each, design).comparison
            intervals[:, nth] = compared.low, compared.high, compared.p_value
    difference, (low, high, p_value) = rounded(means[:, 0] - means[:, 1]), intervals
    p_adjusted = adjusted(p_value, "holm")
    favoured = ahead(difference, 1 if metric.higher_is_better else -1)
    margins = experiment.margin.beside(np.where(favoured == SECOND, means[:, 1], means[:, 0]))
    decided = decide(favoured, favoured, p_adjusted, experiment.alpha, low=low, high=high, margins=margins)
    by_grouping: dict[Spec, list[Paired]] = {}
    for group, own in zip(groups, data, strict=True):
        by_grouping.setdefault(group.spec, []).append(own)
    p_of_groupings = adjusted(np.array([p_equal(alike) for alike in by_grouping.values()]), "holm")
    alike_p = dict(zip(by_grouping, p_of_groupings, strict=True))
    labels = {} if metric.is_descriptive else dict(zip((FIRST, SECOND), pair, strict=True))
    for nth, group in enumerate(groups):
        numbers = {"difference": difference[nth], "low": low[nth], "high": high[nth], "p_value": p_value[nth]}
        numbers |= {"p_adjusted": p_adjusted[nth], "p_equal": alike_p[group.spec]}
        yield {
            **group.columns,
            "users": int(data[nth].counts[0].sum()),
            **dict(zip(("value_a", "value_b"), means[nth].tolist(), strict=True)),
            **{name: float(value) for name, value in numbers.items()},
            "winner": labels.get(int(decided.winner[nth]), ""),
            "is_equivalent": bool(decided.is_equivalent[nth] and margins[nth] > 0),
        }


def _means(data: Paired) -> list[float]:
    """Return the weighted mean of each of two systems over the users who count; NaN without users."""
    counts, weights = data.counts[0], data.weights
    own = np.ones(counts.sum()) if weights is None else weights[counts]
    return [float(values[counts] @ own / own.sum()) if len(own) else np.nan for values in data.values]


def p_equal(groups: Sequence[Paired]) -> float:
    """Test whether a pair's difference is the same in all groups with enough users; NaN with fewer than two such groups.

    With the differences d of k + 1 groups, and Σ, the covariance of their errors over users, who may be in several groups, Q =
    (C d)' (C Σ C')^-1 (C d) for the contrasts C with the first group. The p is that of Hotelling's T²: Q (m - k) / ((m - 1) k) has
    an F distribution with k and m - k degrees of freedom, where m is the number of users of the smallest group. It is exact for
    normal differences of the same users, and cautious for different ones.
    """
    enough = [each for each in groups if each.counts[0].sum() >= FEWEST_IN_GROUP]
    k, m = len(enough) - 1, min((int(each.counts[0].sum()) for each in enough), default=0)
    if k < 1 or m <= k:
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
    return float(special.fdtrc(k, m - k, q * (m - k) / ((m - 1) * k)))
