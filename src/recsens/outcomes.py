"""Outcomes: from users' measures to the value of each system under each design, and to the comparison of each pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from recsens import plugins
from recsens.aggregation import Aggregate
from recsens.aggregation._coverage import Cover
from recsens.aggregation._weighing import effective_number
from recsens.config import Published, PublishedComparison, Study
from recsens.design import Design
from recsens.measured import Measured, user_columns
from recsens.measures import Cell
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.paired import Paired, digest_of_pooled
from recsens.plan import expand, folds
from recsens.recommenders import Recommender
from recsens.scoring import FoldScores, Panel, PooledFold, PooledPanel, PooledScores, SystemScores
from recsens.seeds import Stream
from recsens.significance import Comparison, SignificanceTest
from recsens.significance._corrections import adjusted
from recsens.significance._resampled import corrected_resampled_p
from recsens.specs import Spec
from recsens.targets import Targets
from recsens.users import Users
from recsens.vocabulary import COVERAGES

Printed = TypeVar("Printed", Published, PublishedComparison)

COMPARISON_COLUMNS = (
    *("dataset", "system_a", "system_b", "metric", "fold", "difference", "low", "high", "effect", "p_value", "p_adjusted"),
    *("users", "effective_users", "share_significant", "hypothesis", "digest", "median_p", "resampled_p", "published", "source"),
    "deviation",
)
"""Columns of a comparison before those of its design.

``hypothesis`` says what p is of. ``digest`` is that of the users compared, their relative differences and weights: comparisons that
share it rest on the same numbers, up to a constant positive factor.
"""

UNTESTED = "none: one value of all users together"
"""Hypothesis of a comparison of pooled values."""


class Outcomes:
    """All outcomes of a study.

    Parameters
    ----------
    study
        The study.
    addresses
        Spec in the address of each data set, by the label of a data set or experiment.
    measured
        Its measures.
    user_tables
        Table of users of the data sets whose columns some design weighs users by, by the folder it lies in.
    """

    def __init__(
        self, study: Study, addresses: Mapping[str, Spec], measured: Measured, user_tables: Mapping[str, str] | None = None
    ) -> None:
        self.study = study
        self.designs = expand(study, addresses)
        self._measured = measured
        self._user_tables = dict(user_tables or {})

    def panels(self) -> Iterator[tuple[Study, str, int, MeasuredAt, Panel | PooledPanel]]:
        """Visit every design and metric: the experiment, its label, the place of the design, the metric, all systems' scores.

        Designs that differ only in how users' values are aggregated and tested share a panel; they are visited together.
        """
        for part in self.study.parts():
            for label in part.datasets:
                for places in self._alike(part, label):
                    for measured in part.metrics:
                        panel = self._panel(part, self.designs[label][places[0]], measured)
                        for place in places:
                            yield part, label, place, measured, panel

    def _alike(self, part: Study, label: str) -> list[list[int]]:
        found: dict[Any, list[int]] = {}
        for place, design in enumerate(self.designs[label]):
            cells = tuple(cell for system in part.systems.values() for cell in _cells(design, system))
            columns = plugins.build("aggregate", design.aggregate).user_columns
            found.setdefault((cells, design.users, design.coverage, columns), []).append(place)
        return list(found.values())

    def _panel(self, part: Study, design: Design, measured: MeasuredAt) -> Panel | PooledPanel:
        if measured.metric.unit == "pooled":
            return self._pooled_panel(part, design, measured)
        users: Users = plugins.build("users", design.users)
        systems = {}
        for name, system in part.systems.items():
            scores = SystemScores(tuple(self._fold(cell, users, measured) for cell in _cells(design, system)))
            scores.check_identity(f"'{name}' by {measured}")
            systems[name] = scores
        targets: Targets = plugins.build("targets", design.targets)
        return Panel(systems, targets.unit, design.coverage, user_columns(design, self._user_tables))

    def _pooled_panel(self, part: Study, design: Design, measured: MeasuredAt) -> PooledPanel:
        users: Users = plugins.build("users", design.users)
        systems = {}
        for name, system in part.systems.items():
            found = []
            for cell in _cells(design, system):
                values = {each: self._measured.pooled(cell, measured, str(design.users), each) for each in COVERAGES}
                population = self._measured.population(cell)
                found.append(PooledFold(values, users.admit(population), population, self._cover(cell, measured)))
            systems[name] = PooledScores(tuple(found))
        return PooledPanel(systems, design.coverage)

    def _fold(self, cell: Cell, users: Users, measured: MeasuredAt) -> FoldScores:
        population = self._measured.population(cell)
        values, n_measured = self._measured.values(cell, measured), self._measured.n_measured(cell)
        return FoldScores.of(values, n_measured, users.admit(population), population, self._cover(cell, measured))

    def _cover(self, cell: Cell, measured: MeasuredAt) -> Cover:
        # The whole ranking has no depth that a list could fall short of.
        return self._measured.cover(cell, () if measured.is_whole else (measured.cutoff,))

    def summary(self) -> list[dict[str, Any]]:
        """List the value of every system: one row a data set, design, metric and system."""
        return self._in_order(self._summary_of(*found) for found in self.panels())

    def comparisons(self) -> list[dict[str, Any]]:
        """List every comparison: one row a data set, design, metric and pair over all folds, and one a fold."""
        return self._in_order(self._comparisons_of(*found) for found in self.panels())

    def _in_order(self, found: Iterator[tuple[tuple[int, ...], list[dict[str, Any]]]]) -> list[dict[str, Any]]:
        return [row for _, rows in sorted(found, key=lambda entry: entry[0]) for row in rows]

    def _key(self, label: str, place: int, measured: MeasuredAt) -> tuple[int, ...]:
        return list(self.designs).index(label), place, self.study.metrics.index(measured)

    def _summary_of(
        self, part: Study, label: str, place: int, measured: MeasuredAt, panel: Panel | PooledPanel
    ) -> tuple[tuple[int, ...], list[dict[str, Any]]]:
        design, is_base = self.designs[label][place], place == 0
        values, by_fold, n_users, effective = _aggregated(panel, design)
        spreads = np.std(by_fold, axis=0, ddof=1) if len(by_fold) > 1 else np.full(len(values), np.nan)
        printed = {p.system: p for p in _printed_on(part, label, place, measured, part.published)}
        rows = []
        for nth, (name, system) in enumerate(part.systems.items()):
            scores, publication, value = panel.systems[name], printed.get(name), float(values[nth])
            rows.append(
                {
                    "dataset": label,
                    "system": name,
                    "metric": str(measured),
                    "value": value,
                    "spread": float(spreads[nth]),
                    "published": publication.value if publication else None,
                    "deviation": value - publication.value if publication else None,
                    "source": publication.source if publication else None,
                    "note": publication.note if publication else None,
                    "spec": str(system),
                    "calibrated_on_test": _is_calibrated(system),
                    **design.columns(),
                    "n_users": n_users[nth],
                    "effective_users": effective[nth],
                    "full": scores.mean("full"),
                    "reduced": scores.mean("reduced"),
                    **_coverage(scores.folds, design, measured),
                    "is_base": is_base,
                }
            )
        return self._key(label, place, measured), rows

    def _comparisons_of(
        self, part: Study, label: str, place: int, measured: MeasuredAt, panel: Panel | PooledPanel
    ) -> tuple[tuple[int, ...], list[dict[str, Any]]]:
        design, is_base = self.designs[label][place], place == 0
        names, pairs = list(part.systems), part.pairs()
        places = [(names.index(a), names.index(b)) for a, b in pairs]
        main, parts, digests = _compared(panel, places, design)
        corrected = [adjusted(np.array([one.found.p_value for one in row]), design.correction) for row in (main, *parts)]
        tested = hypothesis(panel, design)
        flattered = {name: _is_calibrated(spec) for name, spec in part.systems.items()}
        rows: list[dict[str, Any]] = []
        for nth, (a, b) in enumerate(pairs):
            head = {"dataset": label, "system_a": a, "system_b": b, "metric": str(measured)}
            rest = {**design.columns(), "calibrated_on_test": flattered[a] or flattered[b], "is_base": is_base}
            by_fold = [row[nth].found for row in parts]
            found = [
                entry
                for entry in _printed_on(part, label, place, measured, part.published_comparisons)
                if {entry.system_a, entry.system_b} == {a, b}
            ]
            published, source = (found[0].p_value, found[0].source) if found else (None, None)
            median = float(np.median([found.p_value for found in by_fold]))
            extra = {
                "digest": digests[nth],
                "median_p": median,
                "resampled_p": _resampled_p([found.difference for found in by_fold], panel),
                "published": published,
                "source": source,
                "deviation": median - published if published is not None else None,
            }
            rows.append({**head, "fold": "all", **_columns(main[nth], corrected[0][nth], tested), **extra, **rest})
            rows += [
                {**head, "fold": fold.name, **_columns(row[nth], p_values[nth], tested), **rest}
                for fold, row, p_values in zip(folds(design), parts, corrected[1:], strict=True)
            ]
        return self._key(label, place, measured), rows

    def comparison_header(self) -> list[str]:
        """List the columns of a comparison: all that a study of one system has."""
        design = next(iter(self.designs.values()))[0]
        return [*COMPARISON_COLUMNS, *design.columns(), "calibrated_on_test", "is_base"]


@dataclass(frozen=True, slots=True)
class _Compared:
    """A comparison with Kish's effective number of the users compared, NaN for pooled values."""

    found: Comparison
    effective_users: float


def compare_all(paired: Paired, pairs: Sequence[tuple[int, int]], design: Design) -> list[_Compared]:
    """Compare pairs of systems by the design's test, each over the users that count for both."""
    test: SignificanceTest = plugins.build("test", design.test)
    stream = Stream.of(design.seed, "test", test.plugin_name())
    found = test.compare_pairs(paired.values, paired.counts, pairs, stream, paired.weights, paired.offsets)
    return list(map(_Compared, found, paired.effective_users(pairs)))


def hypothesis(panel: Panel | PooledPanel, design: Design) -> str:
    """Say in words which null hypothesis the p-values of a design are of, and where it is not that of equal values."""
    if isinstance(panel, PooledPanel):
        return UNTESTED
    aggregate: Aggregate = plugins.build("aggregate", design.aggregate)
    test: SignificanceTest = plugins.build("test", design.test)
    targets: Targets = plugins.build("targets", design.targets)
    by_user = f"{aggregate.mean} of {aggregate.differences}"
    text = test.hypothesis(by_user if targets.unit == "user" else targets.mean_difference, aggregate.differences)
    return text if aggregate.is_tested else f"{text}; whether the {aggregate.spec} differs is not tested"


def _aggregated(
    panel: Panel | PooledPanel, design: Design
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[int], list[float]]:
    """Return the value of each system, that on each fold, and how many users above weight zero each has, and effectively has."""
    if isinstance(panel, PooledPanel):
        n_users = [panel.n_users(nth) for nth in range(len(panel.systems))]
        return panel.over_folds, panel.by_fold, n_users, [float("nan")] * len(n_users)
    aggregate: Aggregate = plugins.build("aggregate", design.aggregate)
    by_fold = np.array([aggregate.aggregate(scores) for scores in panel.by_fold])
    # Of users' means over folds, the value would depend on the number of folds wherever folds count different users.
    has_value = ~np.isnan(by_fold)
    sums, times = np.where(has_value, by_fold, 0.0).sum(axis=0), has_value.sum(axis=0)
    values = np.divide(sums, times, out=np.full(len(sums), np.nan), where=times > 0)
    weights = aggregate.weights(panel.over_folds)
    counts = panel.over_folds.counts & (weights > 0)
    return values, by_fold, [int(row.sum()) for row in counts], [effective_number(weights[row]) for row in counts]


def _compared(
    panel: Panel | PooledPanel, pairs: Sequence[tuple[int, int]], design: Design
) -> tuple[list[_Compared], list[list[_Compared]], list[str]]:
    """Return the comparison of each pair over all folds, and on each fold, and a digest of what the first rests on."""
    if isinstance(panel, PooledPanel):
        n_users = [panel.n_users(*pair) for pair in pairs]
        main, *parts = (_untested(values, pairs, n_users) for values in (panel.over_folds, *panel.by_fold))
        return main, parts, [digest_of_pooled(panel.by_fold[:, a], panel.by_fold[:, b]) for a, b in pairs]
    aggregate: Aggregate = plugins.build("aggregate", design.aggregate)
    if aggregate.pools_systems or panel.counts_alike:
        paired = _over_folds(panel, aggregate)
        main, digests = compare_all(paired, pairs, design), paired.digests(pairs)
    else:
        names, own = list(panel.systems), [(0, 1)]
        both = [_over_folds(panel.of_pair(names[a], names[b]), aggregate) for a, b in pairs]
        main = [compare_all(paired, own, design)[0] for paired in both]
        digests = [paired.digests(own)[0] for paired in both]
    if len(panel.by_fold) == 1:
        # One fold is all there is: its comparison is the main one.
        return main, [main], digests
    by_fold = [Paired.of(scores, aggregate.tested(scores), aggregate) for scores in panel.by_fold]
    return main, [compare_all(paired, pairs, design) for paired in by_fold], digests


def _over_folds(panel: Panel, aggregate: Aggregate) -> Paired:
    return Paired.of(panel.over_folds, _tested_over_folds(panel, aggregate), aggregate)


def _coverage(scored: Sequence[FoldScores] | Sequence[PooledFold], design: Design, measured: MeasuredAt) -> dict[str, float]:
    """Return means over the folds: the share of users, or under 1R of relevant ratings, that are covered, and Coverage@d."""
    targets: Targets = plugins.build("targets", design.targets)
    share = float(np.mean([fold.cover.share(fold.admitted) for fold in scored]))
    at = float("nan") if measured.is_whole else float(np.mean([fold.cover.at(fold.admitted, measured.cutoff) for fold in scored]))
    return {
        "user_coverage": share if targets.unit == "user" else float("nan"),
        "rating_coverage": share if targets.unit == "rating" else float("nan"),
        "coverage_at_cutoff": at,
    }


def _tested_over_folds(panel: Panel, aggregate: Aggregate) -> NDArray[np.float64]:
    """Average what a test compares over the folds that count the user, shape (n_systems, n_users)."""
    if aggregate.averages_values or len(panel.by_fold) == 1:
        return aggregate.tested(panel.over_folds)
    tested = np.stack([aggregate.tested(scores) for scores in panel.by_fold])
    counts = np.stack([scores.counts for scores in panel.by_fold]) & ~np.isnan(tested)
    times = counts.sum(axis=0)
    sums = np.where(counts, tested, 0.0).sum(axis=0)
    return np.asarray(np.divide(sums, times, out=np.full(times.shape, np.nan), where=times > 0))


def _untested(values: NDArray[np.float64], pairs: Sequence[tuple[int, int]], n_users: Sequence[int]) -> list[_Compared]:
    """Subtract pooled values; no test over users applies to them."""
    nan = float("nan")
    differences = [float(np.round(values[a] - values[b], 12) + 0.0) for a, b in pairs]
    return [_Compared(Comparison(found, nan, nan, nan, nan, n), nan) for found, n in zip(differences, n_users, strict=True)]


def _cells(design: Design, system: Spec) -> list[Cell]:
    return [Cell(str(design.ranking_folder(fold, system)), design.view, design.relevance) for fold in folds(design)]


def _resampled_p(differences: Sequence[float], panel: Panel | PooledPanel) -> float:
    first = panel.first_population
    return float(corrected_resampled_p(np.asarray(differences), n_train=int(first.train.sum()), n_test=int(first.test.sum())))


def _printed_on(part: Study, label: str, place: int, measured: MeasuredAt, entries: Sequence[Printed]) -> list[Printed]:
    """Find what was printed of one design on one data set by one metric."""
    on_it = [entry for entry in entries if entry.dataset == label and _canonical(entry.metric) == str(measured)]
    return [entry for entry in on_it if part.changed(entry.under) == part.designs()[place]]


def _is_calibrated(system: Spec) -> bool:
    recommender: Recommender = plugins.build("recommender", system)
    return recommender.calibrated_on_test


def _columns(compared: _Compared, p_adjusted: float, tested: str) -> dict[str, Any]:
    comparison = compared.found
    return {
        "difference": comparison.difference,
        "low": comparison.low,
        "high": comparison.high,
        "effect": comparison.effect,
        "p_value": comparison.p_value,
        "p_adjusted": float(p_adjusted),
        "users": comparison.n_users,
        "effective_users": compared.effective_users,
        "share_significant": comparison.share_significant,
        "hypothesis": tested,
    }


def _canonical(metric: str) -> str:
    return str(parse_measured_at(metric)[0])
