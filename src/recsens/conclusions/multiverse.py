"""Joint inference over all analyses of a pair: p-values adjusted for all analyses, and one joint p-value."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recsens.arrays import Floats
from recsens.comparison.significance import SAMPLES, Family, Pairs, max_t_family
from recsens.outcomes.paired import Paired
from recsens.outcomes.panels import Panel, PooledPanel
from recsens.outcomes.summary import Outcomes, paired_over_folds
from recsens.plugins.specs import Spec
from recsens.ranking.targets import Targets
from recsens.recommenders import progress
from recsens.seeds import Stream
from recsens.study.design import Design

POOLED = "one value of all users together"
BY_RATING = "a ranking for each rating"
"""A reason for leaving an analysis out: its differences do not change their sign when a user's two systems are swapped."""

_Pair = tuple[str, str, str]
_Compared = tuple[Paired, tuple[int, int]] | str
"""The data of a pair's comparison and the rows of its systems, or the reason for leaving the pair out."""


_Column = int | str
"""The number of an analysis's column of differences, or the reason for leaving the analysis out."""


@dataclass(slots=True)
class _Pooled:
    """All analyses of a pair: the distinct columns of differences, and the number of each column by its content.

    An entry is the place of an analysis in the study, its cells in tables, and its column.
    """

    number_of: dict[tuple[str, int], int] = field(default_factory=dict)
    columns: list[Floats] = field(default_factory=list)
    entries: list[tuple[tuple[int, ...], Mapping[str, Any], _Column]] = field(default_factory=list)

    def column(self, compared: _Compared, direction: int) -> _Column:
        """Add a column of differences, unless there is one with the same digest."""
        if isinstance(compared, str):
            return compared
        paired, pair = compared
        [digest] = paired.digests([pair])
        if (digest, direction) not in self.number_of:
            self.number_of[digest, direction] = len(self.columns)
            a, b = pair
            both = paired.counts[a] & paired.counts[b]
            weights = 1.0 if paired.weights is None else paired.weights
            self.columns.append(np.where(both, direction * (paired.values[a] - paired.values[b]) * weights, np.nan))
        return self.number_of[digest, direction]


@dataclass(frozen=True)
class Multiverse:
    """The joint results of all analyses in a study.

    Attributes
    ----------
    analyses
        A row for each pair of systems and analysis by a metric that ranks systems, in the order of the comparisons.
    joint
        A row for each pair of systems.
    """

    analyses: list[dict[str, Any]]
    joint: list[dict[str, Any]]


def multiverse(outcomes: Outcomes, samples: int = SAMPLES) -> Multiverse:
    """Test all analyses of each pair with random signs: in each pattern, a user has one sign for all analyses.

    The signs are those of `recsens.comparison.significance`. A user's difference is the mean over the folds that count the user,
    weighted if the aggregate weights users. It is above zero if the first system is better. Analyses with the same numbers, up to a
    positive factor, count once. Pooled metrics, rankings of ratings (1R), and analyses in which the systems cannot differ are left
    out. The tests and corrections of the designs are not used; each analysis is tested by its t statistic.

    Parameters
    ----------
    outcomes
        The outcomes of the study.
    samples
        Number of patterns of signs drawn for each pair; all pairs use the same patterns.
    """
    stream = Stream.of(outcomes.study.seed, "multiverse")
    analyses: list[tuple[tuple[int, ...], dict[str, Any]]] = []
    joint = []
    for pair, pooled in progress(list(_analyses_by_pair(outcomes).items()), "pairs tested under all designs"):
        deltas = np.stack(pooled.columns, axis=1) if pooled.columns else np.empty((0, 0))
        family = max_t_family(deltas, stream, alpha=outcomes.study.alpha, samples=samples)
        head = dict(zip(("dataset", "system_a", "system_b"), pair, strict=True))
        analyses += [(place, {**head, **_test_columns(column, pooled, family), **cells}) for place, cells, column in pooled.entries]
        joint.append({**head, **_joint_row(pooled, family, outcomes.study.alpha), "seed": outcomes.study.seed})
    return Multiverse([row for _, row in sorted(analyses, key=lambda numbered: numbered[0])], joint)


def _analyses_by_pair(outcomes: Outcomes) -> dict[_Pair, _Pooled]:
    """Collect each pair's analyses, in the study's order."""
    pooled_by_pair = {
        (label, a, b): _Pooled() for label, experiment in outcomes.study.by_label().items() for a, b in experiment.pairs()
    }
    for shared in outcomes.panels():
        if shared.measured.metric.is_descriptive:
            continue
        label, names, pairs = shared.label, list(shared.experiment.systems), shared.experiment.pairs()
        of_pairs = [pooled_by_pair[label, a, b] for a, b in pairs]
        rows = [(names.index(a), names.index(b)) for a, b in pairs]
        direction = 1 if shared.measured.metric.higher_is_better else -1
        # The differences depend on the aggregate, but not on tests and corrections.
        by_aggregate: dict[Spec, list[_Column]] = {}
        for number in shared.numbers:
            design = outcomes.designs[label][number]
            if design.aggregate not in by_aggregate:
                data = _compared(shared.panel, pairs, rows, design)
                columns = [pooled.column(own, direction) for pooled, own in zip(of_pairs, data, strict=True)]
                by_aggregate[design.aggregate] = columns
            place = outcomes.place(shared, number)
            cells = {**shared.head, **outcomes.columns[label][number], "is_base": number == 0}
            for nth, (pooled, column) in enumerate(zip(of_pairs, by_aggregate[design.aggregate], strict=True)):
                pooled.entries.append(((*place, nth), cells, column))
    return pooled_by_pair


def _compared(panel: Panel | PooledPanel, pairs: Sequence[tuple[str, str]], rows: Pairs, design: Design) -> Iterator[_Compared]:
    """Yield the data of each pair's comparison, or the reason for leaving the pair out."""
    if isinstance(panel, PooledPanel):
        yield from [POOLED] * len(pairs)
    elif Targets.build(design.targets).unit == "rating":
        yield from [BY_RATING] * len(pairs)
    else:
        found = paired_over_folds(panel, rows, design)
        yield from (panel.why_uninformative(*pair) or data for pair, data in zip(pairs, found, strict=True))


def _test_columns(column: _Column, pooled: _Pooled, family: Family) -> dict[str, Any]:
    if isinstance(column, str):
        return {"t": math.nan, "p_family": math.nan, "users": 0, "distinct": 0, "left_out": column}
    n_users = int((~np.isnan(pooled.columns[column])).sum())
    t, p_family = float(family.t[column]), float(family.p_family[column])
    return {"t": t, "p_family": p_family, "users": n_users, "distinct": column + 1, "left_out": None}


def _joint_row(pooled: _Pooled, family: Family, alpha: float) -> dict[str, Any]:
    stands = family.p_family <= alpha
    return {
        "analyses": len(pooled.entries),
        "entered": sum(isinstance(column, int) for *_, column in pooled.entries),
        "distinct": len(pooled.columns),
        "median_t": family.median_t,
        "p_median": family.p_median,
        "wins_a": family.first_wins,
        "wins_b": family.second_wins,
        "p_wins": family.p_wins,
        "stand_a": int((stands & (family.t > 0)).sum()),
        "stand_b": int((stands & (family.t < 0)).sum()),
        "patterns": family.n_patterns,
        "all_patterns": family.is_complete,
    }
