"""Joint inference over all analyses of a pair: p-values adjusted for all analyses, and one joint p-value."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.comparison.significance import SAMPLES, Family, family_of
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


@dataclass(frozen=True, slots=True)
class _Entered:
    """The number of an analysis's column of differences, and of its users; or why the analysis has no such column."""

    number: int | None
    users: int = 0
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class _Entry:
    """An analysis of a pair: its place in the study, its cells in tables, and its column of differences."""

    place: tuple[int, ...]
    cells: Mapping[str, Any]
    column: _Entered


@dataclass(slots=True)
class _Pooled:
    """All analyses of a pair: the distinct columns of differences, the number of each column by its content, and the entries."""

    number_of: dict[tuple[str, int], int] = field(default_factory=dict)
    columns: list[NDArray[np.float64]] = field(default_factory=list)
    entries: list[_Entry] = field(default_factory=list)

    def column(self, compared: _Compared, direction: int) -> _Entered:
        """Add a column of differences, unless there is one with the same digest."""
        if isinstance(compared, str):
            return _Entered(None, left_out=compared)
        paired, pair = compared
        [digest] = paired.digests([pair])
        if (digest, direction) not in self.number_of:
            self.number_of[digest, direction] = len(self.columns)
            self.columns.append(_differences(paired, pair, direction))
        number = self.number_of[digest, direction]
        return _Entered(number, int((~np.isnan(self.columns[number])).sum()))


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
    for pair, pooled in progress(list(_pairs(outcomes).items()), "pairs tested under all designs"):
        deltas = np.stack(pooled.columns, axis=1) if pooled.columns else np.empty((0, 0))
        family = family_of(deltas, stream, alpha=outcomes.study.alpha, samples=samples)
        head = dict(zip(("dataset", "system_a", "system_b"), pair, strict=True))
        analyses += [(entry.place, {**head, **_tested(entry.column, family), **entry.cells}) for entry in pooled.entries]
        joint.append({**head, **_joint(pooled, family, outcomes.study.alpha), "seed": outcomes.study.seed})
    return Multiverse([row for _, row in sorted(analyses, key=lambda numbered: numbered[0])], joint)


def _pairs(outcomes: Outcomes) -> dict[_Pair, _Pooled]:
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
        written = {"metric": shared.measured.written, "metric_full": str(shared.measured)}
        # The differences depend on the aggregate, but not on tests and corrections.
        by_aggregate: dict[Spec, list[_Entered]] = {}
        for number in shared.numbers:
            design = outcomes.designs[label][number]
            if design.aggregate not in by_aggregate:
                data = _compared(shared.panel, pairs, rows, design)
                columns = [pooled.column(own, direction) for pooled, own in zip(of_pairs, data, strict=True)]
                by_aggregate[design.aggregate] = columns
            place = outcomes.place(shared, number)
            cells = {**written, **outcomes.columns[label][number], "is_base": number == 0}
            for nth, (pooled, column) in enumerate(zip(of_pairs, by_aggregate[design.aggregate], strict=True)):
                pooled.entries.append(_Entry((*place, nth), cells, column))
    return pooled_by_pair


def _compared(
    panel: Panel | PooledPanel, pairs: Sequence[tuple[str, str]], rows: Sequence[tuple[int, int]], design: Design
) -> Iterator[_Compared]:
    """Yield the data of each pair's comparison, or the reason for leaving the pair out."""
    if isinstance(panel, PooledPanel):
        yield from [POOLED] * len(pairs)
    elif Targets.build(design.targets).unit == "rating":
        yield from [BY_RATING] * len(pairs)
    else:
        found = paired_over_folds(panel, rows, design)
        yield from (panel.why_uninformative(*pair) or data for pair, data in zip(pairs, found, strict=True))


def _differences(paired: Paired, pair: tuple[int, int], direction: int) -> NDArray[np.float64]:
    """Return each user's difference, multiplied by the user's weight in the aggregate; NaN for users who do not count."""
    a, b = pair
    both = paired.counts[a] & paired.counts[b]
    weights = 1.0 if paired.weights is None else paired.weights
    return np.where(both, direction * (paired.values[a] - paired.values[b]) * weights, np.nan)


def _tested(column: _Entered, family: Family) -> dict[str, Any]:
    if column.number is None:
        return {"t": math.nan, "p_family": math.nan, "users": 0, "distinct": 0, "left_out": column.left_out}
    return {
        "t": float(family.t[column.number]),
        "p_family": float(family.p_family[column.number]),
        "users": column.users,
        "distinct": column.number + 1,
        "left_out": None,
    }


def _joint(pooled: _Pooled, family: Family, alpha: float) -> dict[str, Any]:
    stands = family.p_family <= alpha
    return {
        "analyses": len(pooled.entries),
        "entered": sum(entry.column.number is not None for entry in pooled.entries),
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
