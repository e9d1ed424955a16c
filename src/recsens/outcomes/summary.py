"""Summaries: the value of each system under each design, and the comparison of each pair."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Floats, Ints, digest_of
from recsens.comparison.aggregation import Aggregate
from recsens.comparison.significance import Comparison, Pairs, SignificanceTest, adjusted, corrected_resampled_p, fixed_by_test
from recsens.comparison.significance.t import T
from recsens.data.splitting import Splitter
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.outcomes.measuring.stored_measures import Measured, user_columns
from recsens.outcomes.paired import Paired
from recsens.outcomes.panels import FoldMeasures, Panel, PooledPanel, PooledValues, SystemMeasures
from recsens.outcomes.rounding import rounded
from recsens.outcomes.shared_panels import FoldFrame, Shared, UserRows, design_cells, panel_of, rows_of_users
from recsens.plugins.specs import Spec
from recsens.ranking.targets import Targets
from recsens.recommenders import Recommender, progress
from recsens.seeds import Stream
from recsens.study import Experiment, Published, PublishedComparison, Study
from recsens.study.design import Design
from recsens.study.designs import expand, fitted

PrintedEntry = TypeVar("PrintedEntry", Published, PublishedComparison)

UNTESTED = "none: one value of all users together"
"""Hypothesis of a comparison of pooled values."""

Block = tuple[tuple[int, ...], list[dict[str, Any]]]
"""Rows of a table, preceded by their place in it."""


class Outcomes:
    """All outcomes of a study.

    Parameters
    ----------
    study
        The study.
    addresses
        The spec that each data set's address contains, by the label of a data set or experiment.
    measured
        The study's measures.
    user_tables
        Tables of users, by folder; each has a column by which some design weights users.
    user_keys
        The users' keys before any filter, by the folder of a filtered data set, for all data sets that designs filter differently.
    """

    def __init__(
        self,
        study: Study,
        addresses: Mapping[str, Spec],
        measured: Measured,
        user_tables: Mapping[str, str] | None = None,
        user_keys: Mapping[str, Ints] | None = None,
    ) -> None:
        self.study = study
        self.designs = expand(study, addresses)
        self.columns = {label: [design.columns() for design in designs] for label, designs in self.designs.items()}
        self.measured = measured
        self.user_tables = dict(user_tables or {})
        self._rows = rows_of_users(user_keys or {})

    def panels(self, labels: Collection[str] | None = None, *, of_base: bool = False) -> Iterator[Shared]:
        """Yield the values of every metric under all designs that share them, or only under the base designs.

        ``labels`` names some data sets; by default, all are read.
        """
        for label, experiment in self.study.by_label().items():
            if labels is not None and label not in labels:
                continue
            depths = sorted({each.cutoff for each in experiment.metrics if not each.is_whole})
            alike = [numbers for numbers in self._designs_sharing_values(experiment, label) if 0 in numbers or not of_base]
            for numbers in progress(alike, f"designs of {label}"):
                design = self.designs[label][numbers[0]]
                frames = {name: self._fold_frames(design, system, depths) for name, system in experiment.systems.items()}
                columns = self.user_columns(design)
                for measured in experiment.metrics:
                    yield Shared(experiment, label, numbers, measured, panel_of(frames, measured, design, columns), frames)

    def place(self, shared: Shared, number: int) -> tuple[int, ...]:
        """Return the place of a design and metric in the study's tables."""
        return list(self.designs).index(shared.label), number, shared.experiment.metrics.index(shared.measured)

    def _designs_sharing_values(self, experiment: Experiment, label: str) -> list[list[int]]:
        """Collect the numbers of the designs that share the values of all metrics."""
        alike: dict[Any, list[int]] = {}
        for number, design in enumerate(self.designs[label]):
            cells = tuple(tuple(design_cells(design, system)) for system in experiment.systems.values())
            columns = Aggregate.build(design.aggregate).user_columns
            alike.setdefault((cells, design.users, design.coverage, columns), []).append(number)
        return list(alike.values())

    def _fold_frames(self, design: Design, system: Spec, depths: Sequence[int]) -> list[FoldFrame]:
        rows = self._rows.get(str(design.filter_folder), UserRows())
        return [FoldFrame.read(self.measured, cell, design.users, depths, rows) for cell in design_cells(design, system)]

    def user_columns(self, design: Design) -> dict[str, NDArray[Any]]:
        """Return the columns by which the design's aggregate weights users, by the rows of the users of all designs."""
        rows = self._rows.get(str(design.filter_folder), UserRows())
        return {name: rows.spread(column) for name, column in user_columns(design, self.user_tables).items()}

    def _aggregate_values(self, systems: Mapping[str, Sequence[FoldMeasures]], design: Design) -> Floats:
        """Aggregate values other than those measured, shape (n_systems,)."""
        measures = {name: SystemMeasures(tuple(own)) for name, own in systems.items()}
        panel = Panel(measures, Targets.build(design.targets).unit, design.coverage, self.user_columns(design))
        return aggregate_panel(panel, design)[0]

    def _at_random(self, shared: Shared, number: int) -> tuple[Floats, Floats]:
        """Return the value expected for targets in random order, over the users averaged for each system, and the t-test's p.

        Both have shape (n_systems,); p is that of the difference between the system's value and the expected one. It is NaN
        except under the base design, because a test for each of a thousand designs takes long and nobody reads it. Both are NaN if
        the metric has no formula for the expected value, or if the aggregate is not linear in users' values, because the expected
        values of users then do not determine the expected aggregate.
        """
        nothing, design = np.full(len(shared.frames), np.nan), self.designs[shared.label][number]
        if not isinstance(shared.panel, Panel) or not Aggregate.build(design.aggregate).averages_values:
            return nothing, nothing
        systems: dict[str, list[FoldMeasures]] = {name: [] for name in shared.frames}
        for name, own in shared.frames.items():
            for frame in own:
                expected = self.measured.at_random(frame.cell, shared.measured)
                if expected is None:
                    return nothing, nothing
                systems[name].append(frame.measures(expected))
        tested = systems if number == 0 else {}
        p_values = [_p_against(shared.panel, name, tuple(own), design) for name, own in tested.items()]
        return self._aggregate_values(systems, design), np.array(p_values or nothing)

    def base_value(self, label: str, system: str, measured: MeasuredAt, values: Sequence[Floats]) -> float:
        """Return a system's value under a base design, computed from ``values``: one array (n_groups, n_users) for each fold."""
        design, spec = self.designs[label][0], self.study.by_label()[label].systems[system]
        frames = self._fold_frames(design, spec, () if measured.is_whole else (measured.cutoff,))
        scores = [frame.measures(own) for frame, own in zip(frames, values, strict=True)]
        return float(self._aggregate_values({system: scores}, design)[0])

    def summary(self) -> list[dict[str, Any]]:
        """List the values of all systems, one row per data set, design, metric and system."""
        return self._sorted_rows(self._summary_blocks)

    def comparisons(self) -> list[dict[str, Any]]:
        """List all comparisons: for each data set, design, metric and pair, one row over all folds and one row per fold."""
        return self._sorted_rows(self._comparison_blocks)

    def _sorted_rows(self, blocks_of: Callable[[Shared], Iterator[Block]]) -> list[dict[str, Any]]:
        blocks = [block for shared in self.panels() for block in blocks_of(shared)]
        return [row for _, rows in sorted(blocks, key=lambda block: block[0]) for row in rows]

    @cached_property
    def _system_columns(self) -> dict[tuple[str, Spec], dict[str, dict[str, Any]]]:
        """The columns about each system under a split, by the label of the experiment with the split and by the system."""
        return {
            (label, split): {name: system_columns(Recommender.build(spec), split) for name, spec in experiment.systems.items()}
            for label, experiment in self.study.by_label().items()
            for split in dict.fromkeys(design.split for design in self.designs[label])
        }

    def _summary_blocks(self, shared: Shared) -> Iterator[Block]:
        """Yield the rows of the summary for each design that shares some values."""
        label, measured = shared.label, shared.measured
        by_aggregate: dict[Spec, tuple[list[dict[str, Any]], Floats, Floats]] = {}
        for number in shared.numbers:
            design = self.designs[label][number]
            if design.aggregate not in by_aggregate:
                by_aggregate[design.aggregate] = value_columns(shared.panel, design, measured), *self._at_random(shared, number)
            values, expected, random_p = by_aggregate[design.aggregate]
            printed = {p.system: p for p in _printed_entries(shared, number, self.study.published)}
            rows = []
            for nth, (name, described) in enumerate(self._system_columns[label, design.split].items()):
                entry, value = printed.get(name), values[nth]["value"]
                beside = (entry.value, value - entry.value, entry.source, entry.note) if entry else [None] * 4
                prints = dict(zip(("published", "deviation", "source", "note"), beside, strict=True))
                at_random = {"expected_random": float(expected[nth]), "random_p": float(random_p[nth]) if number == 0 else np.nan}
                own = {**values[nth], **at_random, **prints, **described}
                rows.append({**shared.head, "system": name, **own, **self.columns[label][number], "is_base": number == 0})
            yield self.place(shared, number), rows

    def _comparison_blocks(self, shared: Shared) -> Iterator[Block]:
        """Yield the rows of the comparisons for each design that shares some values."""
        panel, names, pairs = shared.panel, list(shared.experiment.systems), shared.experiment.pairs()
        rows_of_pairs = [(names.index(a), names.index(b)) for a, b in pairs]
        # Designs that differ only in the correction have the same comparisons.
        by_test: dict[tuple[Spec, Spec], tuple[_Compared, _Aggregated]] = {}
        for number in shared.numbers:
            design = self.designs[shared.label][number]
            key = design.aggregate, design.test
            if key not in by_test:
                by_test[key] = compare_panel(panel, rows_of_pairs, design), aggregate_panel(panel, design)
            yield self.place(shared, number), self._comparison_rows(shared, number, *by_test[key])

    def _comparison_rows(self, shared: Shared, number: int, found: _Compared, of_systems: _Aggregated) -> list[dict[str, Any]]:
        experiment, label, panel = shared.experiment, shared.label, shared.panel
        design, is_base = self.designs[label][number], number == 0
        names, pairs = list(experiment.systems), experiment.pairs()
        rows_of_pairs = [(names.index(a), names.index(b)) for a, b in pairs]
        (main, parts, digests), (values, by_fold_values, *_) = found, of_systems
        over_folds = comparison_columns(main, design, hypothesis(panel, design))
        on_folds = [comparison_columns(row, design, hypothesis(panel, design, n_folds=1)) for row in parts]
        resampled = _resampled_p(parts, panel, design)
        flattered = {name: described["calibrated_on_test"] for name, described in self._system_columns[label, design.split].items()}
        printed = _printed_entries(shared, number, self.study.published_comparisons)
        rows: list[dict[str, Any]] = []
        for nth, (a, b) in enumerate(pairs):
            head = {**shared.head, "system_a": a, "system_b": b}
            rest = {**self.columns[label][number], "calibrated_on_test": flattered[a] or flattered[b], "is_base": is_base}
            prints = [entry for entry in printed if {entry.system_a, entry.system_b} == {a, b}]
            published, source = (prints[0].p_value, prints[0].source) if prints else (None, None)
            median = float(np.median([row[nth].comparison.p_value for row in parts]))
            extra = {"uninformative": panel.why_uninformative(a, b), "digest": digests[nth], "median_p": median}
            extra |= {"resampled_p": resampled[nth], "published": published, "source": source}
            extra["deviation"] = median - published if published is not None else None
            first, second = rows_of_pairs[nth]
            of_values = {"value_difference": float(values[first] - values[second])}
            rows.append({**head, "fold": "all", **over_folds[nth], **of_values, **extra, **rest})
            for fold, columns, own in zip(fitted(design), on_folds, by_fold_values, strict=True):
                of_fold = {"value_difference": float(own[first] - own[second])}
                rows.append({**head, "fold": fold.label, **columns[nth], **of_fold, **rest})
        return rows


class PairComparison(NamedTuple):
    """A comparison, with Kish's effective number of the users that it compares; the number is NaN for pooled values."""

    comparison: Comparison
    effective_users: float


_Aggregated = tuple[Floats, Floats, list[int], list[float]]
_Compared = tuple[list[PairComparison], list[list[PairComparison]], list[str]]


def _compare_paired(paired: Paired, pairs: Pairs, design: Design) -> list[PairComparison]:
    """Compare pairs of systems with the design's test, over the users who count for both systems."""
    test = SignificanceTest.build(design.test)
    stream = Stream.of(design.seed, "test", test.plugin_name())
    comparisons = test.compare_pairs(paired.values, paired.counts, pairs, stream, paired.weights, paired.offsets)
    return list(map(PairComparison, comparisons, paired.effective_users(pairs)))


def hypothesis(panel: Panel | PooledPanel, design: Design, *, n_folds: int | None = None) -> str:
    """State the null hypothesis behind a design's p-values, and what the hypothesis treats as fixed.

    The hypothesis is about users in general, given the splits that were drawn and the systems that were fitted on them, on all
    folds or on ``n_folds``. If the hypothesis is not that the systems' values are equal, the text says so. Over several folds,
    it is about the mean of the folds' differences (`paired_over_folds`).
    """
    if isinstance(panel, PooledPanel):
        return UNTESTED
    aggregate = Aggregate.build(design.aggregate)
    test = SignificanceTest.build(design.test)
    targets = Targets.build(design.targets)
    by_user = f"{aggregate.mean} of {aggregate.differences}"
    text = test.hypothesis(by_user if targets.unit == "user" else targets.mean_difference, aggregate.differences)
    covered = " over the users whom both systems cover" if design.coverage == "reduced" else ""
    text = f"for {fixed_by_test(n_folds or len(panel.by_fold))}{covered}, {text}"
    return text if aggregate.is_tested else f"{text}; whether the {aggregate.spec} differs is not tested"


def aggregate_panel(panel: Panel | PooledPanel, design: Design) -> _Aggregated:
    """Return, for each system, its value, its values on folds, its number of users with positive weight, and its effective users.

    Values have shape (n_systems,), and values on folds have shape (n_folds, n_systems).
    """
    if isinstance(panel, PooledPanel):
        n_users = [panel.n_users(nth) for nth in range(len(panel.systems))]
        return panel.over_folds, panel.by_fold, n_users, [float("nan")] * len(n_users)
    values, by_fold = values_of(panel, design)
    on_folds = _paired_by_fold(panel, Aggregate.build(design.aggregate))
    joined = [Paired.over_folds([own.among([row]) for own in on_folds]) for row in range(len(values))]
    return values, by_fold, [int(own.counts.sum()) for own in joined], [own.effective_users([(0, 0)])[0] for own in joined]


def values_of(panel: Panel, design: Design) -> tuple[Floats, Floats]:
    """Return each system's value, shape (n_systems,), and its values on folds, shape (n_folds, n_systems)."""
    aggregate = Aggregate.build(design.aggregate)
    by_fold = np.array([aggregate.aggregate(scores) for scores in panel.by_fold])
    # A mean of users' means over folds would depend on the number of folds if folds count different users.
    has_value = ~np.isnan(by_fold)
    sums, times = np.where(has_value, by_fold, 0.0).sum(axis=0), has_value.sum(axis=0)
    return np.divide(sums, times, out=np.full(len(sums), np.nan), where=times > 0), by_fold


def compare_panel(panel: Panel | PooledPanel, pairs: Pairs, design: Design) -> _Compared:
    """Return, for each pair, its comparison over all folds, its comparisons on folds, and a digest of the data over all folds."""
    if isinstance(panel, PooledPanel):
        n_users = [panel.n_users(*pair) for pair in pairs]
        main, *parts = (_compare_untested(values, pairs, n_users) for values in (panel.over_folds, *panel.by_fold))
        return main, parts, [digest_of(rounded(panel.by_fold[:, a]), rounded(panel.by_fold[:, b])) for a, b in pairs]
    aggregate = Aggregate.build(design.aggregate)
    on_folds = _paired_by_fold(panel, aggregate)
    by_pair = [] if _share_users(on_folds) else [_restrict_to_pair(panel, aggregate, on_folds, pair) for pair in pairs]
    if by_pair:
        joined = [Paired.over_folds(own) for own in by_pair]
        main = [compare_alone(own, design) for own in joined]
        digests = [own.digests([(0, 1)])[0] for own in joined]
    else:
        shared = Paired.over_folds(on_folds)
        main, digests = _compare_paired(shared, pairs, design), shared.digests(pairs)
    if len(on_folds) == 1:
        # If there is a single fold, its comparison is the one over all folds.
        return main, [main], digests
    if by_pair and on_folds[0].offsets is not None:
        return main, [[compare_alone(own, design) for own in fold] for fold in zip(*by_pair, strict=True)], digests
    return main, [_compare_paired(own, pairs, design) for own in on_folds], digests


def compare_alone(paired: Paired, design: Design) -> PairComparison:
    """Compare the two systems of some data with the design's test."""
    return _compare_paired(paired, [(0, 1)], design)[0]


def compare_over_folds(panel: Panel, pairs: Pairs, design: Design) -> list[Comparison]:
    """Return each pair's comparison over all folds (`paired_over_folds`)."""
    data = paired_over_folds(panel, pairs, design)
    alike = [data] if all(paired is data[0][0] for paired, _ in data) else [[each] for each in data]
    compared = [_compare_paired(same[0][0], [rows for _, rows in same], design) for same in alike if same]
    return [each.comparison for some in compared for each in some]


def paired_over_folds(panel: Panel, pairs: Pairs, design: Design) -> list[tuple[Paired, tuple[int, int]]]:
    """Return, for each pair, the data of its comparison over all folds, and the rows of its two systems in these data.

    On each fold, a pair is compared over the users who count for both systems. Whatever the aggregate, the tested difference is the
    mean over the folds of the difference that is tested on each of them (`Paired.over_folds`). If the aggregate is a mean of the
    tested values, and the same users count for all systems, it is the difference of the systems' values.
    """
    aggregate = Aggregate.build(design.aggregate)
    on_folds = _paired_by_fold(panel, aggregate)
    if _share_users(on_folds):
        shared = Paired.over_folds(on_folds)
        return [(shared, pair) for pair in pairs]
    return [(Paired.over_folds(_restrict_to_pair(panel, aggregate, on_folds, pair)), (0, 1)) for pair in pairs]


def _p_against(panel: Panel, system: str, others: tuple[FoldMeasures, ...], design: Design) -> float:
    """Return the t-test's p of the difference between a system's values and other values of the same users."""
    both = replace(panel, systems={system: panel.systems[system], f"not {system}": SystemMeasures(others)})
    [(data, rows)] = paired_over_folds(both, [(0, 1)], design)
    stream = Stream.of(design.seed)
    [found] = T().compare_pairs(data.values, data.counts, [rows], stream, data.weights, data.offsets)
    return found.p_value


def paired_on_folds(panel: Panel, pair: tuple[str, str], design: Design) -> list[Paired]:
    """Return the data of a comparison on each fold, over the users who count for both systems."""
    aggregate, names = Aggregate.build(design.aggregate), list(panel.systems)
    return _restrict_to_pair(panel, aggregate, _paired_by_fold(panel, aggregate), (names.index(pair[0]), names.index(pair[1])))


def _share_users(on_folds: Sequence[Paired]) -> bool:
    """Whether all pairs of systems are compared over the same users on each fold."""
    return all((own.counts == own.counts[0]).all() for own in on_folds)


def _restrict_to_pair(panel: Panel, aggregate: Aggregate, on_folds: Sequence[Paired], pair: tuple[int, int]) -> list[Paired]:
    """Restrict a pair's data on each fold to the users who count for both systems."""
    if on_folds[0].offsets is None:
        return [own.among(pair) for own in on_folds]
    # Offsets depend on the users who are compared.
    names = list(panel.systems)
    return _paired_by_fold(panel.of_pair(*(names[row] for row in pair)), aggregate)


def _paired_by_fold(panel: Panel, aggregate: Aggregate) -> list[Paired]:
    return [Paired.of(scores, aggregate.tested(scores), aggregate) for scores in panel.by_fold]


def value_columns(panel: Panel | PooledPanel, design: Design, measured: MeasuredAt) -> list[dict[str, Any]]:
    """Return the columns about each system's value: the value, the users averaged, and the means over folds of coverage.

    Coverage is Coverage@d, and the covered share of users or, under 1R, of relevant ratings.
    """
    values, by_fold, n_users, effective = aggregate_panel(panel, design)
    spreads = [_spread_over_folds(own.reshape(-1, design.fits)) for own in by_fold.T]
    unit, nan, rows = Targets.build(design.targets).unit, float("nan"), []
    systems: list[SystemMeasures | PooledValues] = list(panel.systems.values())
    for nth, scores in enumerate(systems):
        covers = [(fold.cover, fold.admitted) for fold in scores.folds]
        share = float(np.mean([cover.share(admitted) for cover, admitted in covers]))
        at = nan if measured.is_whole else float(np.mean([cover.at(admitted, measured.cutoff) for cover, admitted in covers]))
        own = {
            "value": float(values[nth]),
            "spread": spreads[nth][0],
            "n_folds": spreads[nth][1],
            "n_users": n_users[nth],
            "effective_users": effective[nth],
        }
        own["scored"] = float(np.mean([cover.of_items(admitted) for cover, admitted in covers]))
        own |= {"full": scores.mean("full"), "reduced": scores.mean("reduced")}
        own |= {"user_coverage": share if unit == "user" else nan, "rating_coverage": share if unit == "rating" else nan}
        rows.append({**own, "coverage_at_cutoff": at})
    return rows


def _spread_over_folds(values: Floats) -> tuple[float, int]:
    """Return the standard deviation of a system's values by fold and fit, and their number; without draws, a fold has one fit.

    Folds without a value, such as the first for a metric of earlier lists, do not count.
    """
    values = values[~np.isnan(values).any(axis=1)]
    distinct = values[:, :1] if (values == values[:, :1]).all() else values
    return float(np.std(distinct, ddof=1)) if distinct.size > 1 else float("nan"), distinct.size


def _compare_untested(values: Floats, pairs: Pairs, n_users: Sequence[int]) -> list[PairComparison]:
    """Subtract pooled values, to which no test over users applies."""
    nan, compared = float("nan"), zip(pairs, n_users, strict=True)
    return [PairComparison(Comparison(float(rounded(values[a] - values[b])), nan, nan, nan, nan, n), nan) for (a, b), n in compared]


def _resampled_p(parts: Sequence[Sequence[PairComparison]], panel: Panel | PooledPanel, design: Design) -> list[float]:
    """Return each pair's p-value over resampled splits, from its comparisons on folds."""
    first, folds_per_split = panel.first_population, Splitter.build(design.split).folds_per_split * design.fits
    n_train, n_test = int(first.train.sum()), int(first.test.sum())
    differences = np.array([[one.comparison.difference for one in row] for row in parts])
    # Several trainings on one split say nothing about other splits, so they count once, with their mean.
    of_splits = [np.reshape(own, (-1, folds_per_split)).mean(axis=1) for own in differences.T]
    return [float(corrected_resampled_p(own[~np.isnan(own)], n_train=n_train, n_test=n_test)) for own in of_splits]


def _printed_entries(shared: Shared, number: int, entries: Sequence[PrintedEntry]) -> list[PrintedEntry]:
    """Find the printed entries for a design, data set and metric."""
    experiment, measured = shared.experiment, str(shared.measured)
    on_it = [entry for entry in entries if entry.dataset == shared.label and str(parse_measured_at(entry.metric)[0]) == measured]
    return [entry for entry in on_it if experiment.design.changed(entry.under) == experiment.designs()[number]]


def system_columns(recommender: Recommender, split: Spec) -> dict[str, Any]:
    """Return the columns about a system under a split: its full spec, and whether it is calibrated on the test set."""
    return {"spec": str(recommender.within(split).full_spec), "calibrated_on_test": recommender.calibrated_on_test}


def comparison_columns(compared: Sequence[PairComparison], design: Design, tested: str) -> list[dict[str, Any]]:
    """Return the columns about the comparisons of all pairs, with corrected p; ``tested`` states the null hypothesis."""
    p_adjusted = adjusted(np.array([one.comparison.p_value for one in compared]), design.correction)
    rows = []
    for (comparison, effective_users), p in zip(compared, p_adjusted, strict=True):
        results = {name: getattr(comparison, name) for name in ("difference", "low", "high", "effect", "standard_error", "p_value")}
        users = {"users": comparison.n_users, "effective_users": effective_users}
        share = {"share_significant": comparison.share_significant, "hypothesis": tested}
        rows.append({**results, "p_adjusted": float(p), **users, **share})
    return rows
