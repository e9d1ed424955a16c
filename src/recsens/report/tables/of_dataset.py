"""The tables about one data set; each is made once, and the page and papers share it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import pandas as pd

from recsens.arrays import grouped, in_order
from recsens.conclusions.design_space import DesignSpace
from recsens.conclusions.verdicts.best import order_systems
from recsens.conclusions.verdicts.components import (
    designs_of,
    direction,
    folds_in_words,
    n_splits_of,
    ranks_systems,
    splits_in_words,
)
from recsens.conclusions.verdicts.pairs import PAIR
from recsens.conclusions.verdicts.study_tables import Results, records
from recsens.metrics import MeasuredAt
from recsens.report.sentences.counts import EFFECTIVE_USERS, weigh_apart
from recsens.report.sentences.evidence import interval_name, value_difference
from recsens.report.sentences.meaning import hypotheses
from recsens.report.system_remarks import calibrated
from recsens.report.tables.coverage import MAX_DESIGNS, DesignSet, counted_table, coverage_table, cut_note, design_sets
from recsens.study import Experiment, Study
from recsens.tables.cells import count_cell, p_cell, score_cell, share_cell
from recsens.tables.numbers import MISSING, SPACE, count, estimate, percentage, score
from recsens.tables.table import Row, RowGroup, Table, TableCell, slug

_MANY_SYSTEMS = 6
"""With more systems than this, systems are rows."""

TIE = "tie"
"""Printed instead of the p-value of the best system against the second best if several systems are best."""

SIGNIFICANT = "*"
"""The sign that follows the best value if its system beats the second best."""


def result_table(
    study: Experiment,
    summary: pd.DataFrame,
    verdicts: pd.DataFrame,
    dataset: str,
    *,
    ranking: bool = True,
    predictions: pd.DataFrame | None = None,
) -> Table:
    """Show every system's scores on a data set under the base design, with p-values; the best score is bold.

    With ``ranking=False``, the table has the metrics that describe rankings without a better direction, and no best system or
    p-values. A note reports ``predictions`` outside the scale.
    """
    rows = summary[(summary["dataset"] == dataset) & summary["is_base"]]
    tests = verdicts[(verdicts["dataset"] == dataset) & verdicts["is_base"]]
    metrics = [metric for metric in study.metrics if ranks_systems(str(metric)) == ranking]
    scores, compared = _by_metric(rows, _SHOWN), _by_metric(tests, _TESTED)
    lines = tuple(Row(metric.written, _score_cells(study, scores, compared, str(metric))) for metric in metrics)
    what = "scores under the base design" if ranking else "descriptive measures under the base design"
    notes = _score_notes(metrics, study, summary, {"": tests}, ranking=ranking)
    notes += [*_tie_note(lines), *_predictions_note(metrics, predictions, dataset)]
    key, groups = f"{'scores' if ranking else 'descriptive'}-{slug(dataset)}", (RowGroup("", lines),) if lines else ()
    return _with_headers(study, Table(key, f"{dataset}: {what}", "Metric", (), groups, tuple(notes)), ranking=ranking)


def sweep_table(
    study: Experiment, design_set: DesignSet, summary: pd.DataFrame, verdicts: pd.DataFrame, dataset: str, *, ranking: bool = True
) -> Table:
    """Show every system's scores on a data set under each design of a set, one group of rows per metric."""
    metrics = [metric for metric in study.metrics if ranks_systems(str(metric)) == ranking]
    unmoved = set(design_set.ignored_by) & set(metrics)
    scores_of = DesignSpace(summary[summary["dataset"] == dataset]).rows_of
    tests_of = DesignSpace(verdicts[verdicts["dataset"] == dataset]).rows_of
    shown = dict(list(design_set.designs.items())[:MAX_DESIGNS])
    of_designs = {
        label: (_by_metric(scores_of(options), _SHOWN), _by_metric(tests_of(options), _TESTED)) for label, options in shown.items()
    }
    titles = {each: f"{each.written}, which ignores {design_set.key}" if each in unmoved else each.written for each in metrics}
    groups = tuple(
        RowGroup(title, tuple(Row(label, _score_cells(study, *found, str(metric))) for label, found in of_designs.items()))
        for metric, title in titles.items()
    )
    labelled = {label: tests_of(options) for label, options in shown.items()}
    notes = _score_notes(metrics, study, summary, labelled, ranking=ranking)
    notes += _tie_note(row for group in groups for row in group.rows)
    notes += [*([f"Metrics that ignore {design_set.key} {_IGNORING}"] if unmoved else []), *cut_note(design_set)]
    key = f"{design_set.key}-{'scores' if ranking else 'descriptive'}-{slug(dataset)}"
    caption = f"{dataset}: {'scores' if ranking else 'descriptive measures'} {design_set.title}"
    return _with_headers(study, Table(key, caption, design_set.corner, (), groups, tuple(notes)), ranking=ranking)


def _with_headers(study: Experiment, table: Table, *, ranking: bool) -> Table:
    """Add the headers of a table of scores; with many systems, systems are rows."""
    header = ("p",) if len(study.systems) == 2 else ("p, 1st and 2nd",)
    headed = replace(table, columns=(*study.systems, *(header if _has_p(study, ranking=ranking) else ())))
    return headed.transposed("System") if table.groups and len(study.systems) > _MANY_SYSTEMS else headed


_IGNORING = "have, by definition, the same numbers with every option, so these metrics say nothing about this decision."
_SHOWN = ["system", "metric", "value", "spread", "n_folds"]
"""Columns from which a score is printed."""

_TESTED = ["system_a", "system_b", "winner", "p_adjusted"]
"""Columns from which the score's test is printed."""


_RowsByMetric = Mapping[str, Sequence[Mapping[str, Any]]]


def _by_metric(rows: pd.DataFrame, columns: Sequence[str]) -> _RowsByMetric:
    """Return some columns of the rows of each metric."""
    return grouped(zip(rows["metric_full"].tolist(), records(rows[list(columns)]), strict=True))


def _score_cells(study: Experiment, rows: _RowsByMetric, tests: _RowsByMetric, metric: str) -> tuple[TableCell, ...]:
    systems = list(study.systems)
    row_of = {row["system"]: row for row in rows.get(metric, [])}
    values = {system: row["value"] for system, row in row_of.items()}
    order = order_systems(values, direction(metric)) if ranks_systems(metric) else []
    best = order[0] if sum(map(len, order)) > 1 else []
    beside = _against_second(order, tests.get(metric, []))
    mark = SIGNIFICANT if beside and all(row["winner"] == order[0][0] for row in beside) else ""
    cells = [
        _score(row_of[system], is_best=system in best, mark=mark if system in best else "")
        if system in row_of
        else TableCell(MISSING)
        for system in systems
    ]
    if _has_p(study, ranking=ranks_systems(metric)):
        cells.append(_p_of_best(order, beside))
    return tuple(cells)


def _score(row: Mapping[str, Any], *, is_best: bool, mark: str) -> TableCell:
    return score_cell(row["value"], row["spread"], row["n_folds"], of=row["metric"], is_best=is_best, mark=mark)


def _against_second(order: Sequence[Sequence[str]], tests: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """List the comparisons of the best system with each second-best system; empty if several systems are best."""
    if len(order) < 2 or len(order[0]) > 1:
        return []
    pairs = [{order[0][0], system} for system in order[1]]
    return [row for row in tests if {row["system_a"], row["system_b"]} in pairs]


def _p_of_best(order: Sequence[Sequence[str]], beside: Sequence[Mapping[str, Any]]) -> TableCell:
    """Print the best system's p-value against the second best; if several are second best, the largest p. A tie has no p-value."""
    if order and len(order[0]) > 1:
        return TableCell(TIE)
    p_values = [p for row in beside if not math.isnan(p := float(row["p_adjusted"]))]
    return p_cell(max(p_values, default=math.nan))


def _has_p(study: Experiment, *, ranking: bool) -> bool:
    return ranking and bool(study.pairs())


def _score_notes(
    metrics: Sequence[MeasuredAt], study: Experiment, summary: pd.DataFrame, tests: Mapping[str, pd.DataFrame], *, ranking: bool
) -> list[str]:
    systems, notes = study.systems, []
    if len(systems) > 1 and ranking:
        notes.append("Bold: the best system.")
    if len(systems) > 2 and _has_p(study, ranking=ranking):
        notes.append(
            "p: the p-value of the best system against the second best; if several systems are second best, the largest of their "
            "p-values."
        )
    if _has_p(study, ranking=ranking):
        notes += hypotheses({label: rows[rows["metric_full"].isin(list(map(str, metrics)))] for label, rows in tests.items()})
    if summary["spread"].notna().any():
        notes.append(f"±: sample standard deviation over {folds_in_words(designs_of(summary))}.")
    longer = [f"{metric.written} is {metric}." for metric in metrics if metric.written != str(metric)]
    lower = [metric.written for metric in metrics if ranking and not metric.metric.higher_is_better]
    return list(filter(None, [*notes, *longer, f"Lower is better: {', '.join(lower)}." if lower else "", calibrated(study)]))


def _predictions_note(metrics: Sequence[MeasuredAt], predictions: pd.DataFrame | None, dataset: str) -> list[str]:
    reads_them = any(metric.metric.reads == "predictions" for metric in metrics)
    note = outside_the_scale(predictions, dataset) if reads_them and predictions is not None else ""
    return [note] if note else []


def _tie_note(rows: Iterable[Row]) -> list[str]:
    is_tied = any(cell.text == TIE for row in rows for cell in row.cells)
    return [f"{TIE.capitalize()}: several systems share the best value, so no p-value is given."] * is_tied


def outside_the_scale(predictions: pd.DataFrame, dataset: str) -> str:
    """Name the systems with predictions outside the scale of a data set or experiment, over all folds; empty if there are none."""
    rows = predictions[predictions["dataset"] == dataset]
    by_system = rows.groupby("system", sort=False)
    sentences = [_share_outside(str(system), own) for system, own in by_system if own["outside"].any()]
    if not sentences:
        return ""
    scale = f"{rows['scale_lowest'].iloc[0]:g} to {rows['scale_highest'].iloc[0]:g}"
    return (
        f"Some predictions are outside the scale of {scale}: {'; '.join(sentences)}. Metrics of error use these predictions "
        "unchanged."
    )


def _share_outside(system: str, rows: pd.DataFrame) -> str:
    n, outside = rows["predictions"].sum(), rows["outside"].sum()
    share = percentage(outside / n) if outside / n >= 0.001 else f"under 0.1{SPACE}%"
    ends = f"lowest {score(rows['lowest'].min())}, highest {score(rows['highest'].max())}"
    return f"{share} of the {count(n)} predictions of {system} ({ends})"


MAX_FOLDS = 10
"""Largest number of folds for which a table shows separate p-values."""

_RESAMPLED = (
    "Resampled p: the p-value of a t-test over the folds, corrected for overlapping train sets, {}; this p-value also "
    "generalises to other splits."
)
_UNCORRECTED = " It is not corrected for the number of pairs."

_Maker = Callable[[float], TableCell]


def comparison_table(study: Experiment, comparisons: pd.DataFrame, verdicts: pd.DataFrame, dataset: str) -> Table:
    """Show every pair of systems under the base design: difference, interval, effect size and p-values, also fold by fold."""
    rows = comparisons[(comparisons["dataset"] == dataset) & comparisons["is_base"]]
    # Metrics without a better direction have no verdict, so no detectable difference.
    keys = [*PAIR, "metric_full"]
    rows = rows.merge(verdicts.loc[verdicts["is_base"], [*keys, "detectable"]], on=keys, how="left")
    folds = [fold for fold in in_order(rows["fold"]) if fold != "all"]
    folds = folds if len(folds) > 1 else []
    shown = folds if len(folds) <= MAX_FOLDS else []
    pooled = rows[rows["fold"] == "all"]
    columns: dict[str, tuple[str, _Maker]] = {
        **({"value_difference": ("of values", _difference_cell)} if _values_differ(pooled) else {}),
        "effect": ("d_z", partial(_difference_cell, of="d_z")),
        "detectable": ("detectable", _difference_cell),
        # If p is corrected, the corrected p comes first.
        **({"p_adjusted": ("adjusted p", p_cell)} if study.design.correction != "none" else {}),
        "p_value": ("p", p_cell),
        "users": ("users", count_cell),
        **({"effective_users": ("effective users", count_cell)} if weigh_apart(pooled, "users") else {}),
        **({"share_significant": ("share of samples", share_cell)} if pooled["share_significant"].notna().any() else {}),
        **({"resampled_p": ("resampled p", p_cell)} if pooled["resampled_p"].notna().any() else {}),
        **({"median_p": ("median p", p_cell)} if folds else {}),
    }
    groups = []
    for metric in study.metrics:
        by_pair: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
        for row in records(rows[rows["metric_full"] == str(metric)]):
            by_pair.setdefault((row["system_a"], row["system_b"]), {})[row["fold"]] = row
        lines = [_comparison_row(*pair, by_pair[pair], columns, shown) for pair in study.pairs() if pair in by_pair]
        groups.append(RowGroup(metric.written, tuple(lines)))
    return Table(
        f"comparisons-{slug(dataset)}",
        f"{dataset}: systems compared under the base design",
        "Systems",
        ("difference", interval_name(study), *(header for header, _ in columns.values()), *shown),
        tuple(group for group in groups if group.rows),
        (*_comparison_notes(study, columns, n_hidden=len(folds) - len(shown)), *hypotheses({"": pooled})),
    )


def _comparison_row(
    a: str, b: str, by_fold: Mapping[str, Mapping[str, Any]], columns: Mapping[str, tuple[str, _Maker]], folds: Sequence[str]
) -> Row:
    main = by_fold["all"]
    difference, low, high = estimate(main["difference"], main["low"], main["high"])
    half, of = (main["high"] - main["low"]) / 2, main["metric"]
    interval = (
        TableCell(MISSING, numbers=(math.nan, math.nan))
        if math.isnan(main["low"])
        else TableCell(f"{low} to {high}", numbers=(main["low"], main["high"]), spread=half, of=of)
    )
    own = [p_cell(by_fold[fold]["p_value"] if fold in by_fold else math.nan) for fold in folds]
    rest = [cell(main[column]) for column, (_, cell) in columns.items()]
    return Row(f"{a} and {b}", (TableCell(difference, numbers=(main["difference"],), spread=half, of=of), interval, *rest, *own))


def _values_differ(rows: pd.DataFrame) -> bool:
    """Whether the difference between the values prints differently from the tested difference."""
    return any(value_difference(row["difference"], row["value_difference"], row["low"], row["high"]) for row in records(rows))


def _difference_cell(value: float, of: str = "") -> TableCell:
    return TableCell(score(value), numbers=(value,), of=of)


def _detectable_note(study: Experiment) -> str:
    """Explain the column of detectable differences, and say what a win requires."""
    correction, needs = study.design.correction, []
    if correction != "none":
        needs.append(f"a p-value below α divided by the number of pairs (the first and strictest step of {correction})")
    if not study.margin.is_zero:
        needs.append("an interval that lies wholly beyond the margin")
    rule = f" A win needs {', and '.join(needs)}." if needs else ""
    if not all(ranks_systems(str(metric)) for metric in study.metrics):
        rule += " For metrics that only describe rankings, neither direction is better, so there is no winner."
    detectable = (
        "the smallest true difference that would be a win with a probability of 80 %, given the number of users and the spread of "
        "their differences"
    )
    return f"Detectable: {detectable}.{rule}"


def _comparison_notes(study: Experiment, columns: Mapping[str, object], *, n_hidden: int) -> Iterator[str]:
    yield (
        "Difference: the first system minus the second, with each user's values averaged over folds. d_z: the mean of the users' "
        "differences divided by their standard deviation."
    )
    if "value_difference" in columns:
        yield "Of values: the difference between the two systems' scores; the test does not compare these scores."
    yield _detectable_note(study)
    if not study.margin.is_zero:
        margin = f"{study.margin}{' of the better value' if study.margin.is_share else ''}"
        yield (
            f"A difference counts if its whole interval lies beyond the margin of {margin}; two systems are equivalent if the "
            "whole interval lies within this margin."
        )
    if "p_adjusted" in columns:
        yield f"Verdicts use the adjusted p ({study.design.correction}, over the pairs of systems on one metric)."
    if "effective_users" in columns:
        yield EFFECTIVE_USERS
    if "share_significant" in columns:
        yield "Share of samples: of the subsamples of users that the test draws, the share with a p-value below the test's α."
    if "resampled_p" in columns:
        over = splits_in_words(n_splits_of(str(study.design.split), str(study.design.repeats)))
        yield _RESAMPLED.format(over) + (_UNCORRECTED if "p_adjusted" in columns else "")
    if n_hidden:
        yield f"Median p: the median over the {n_hidden} folds; comparisons.csv has the p-value of each fold."
    elif "median_p" in columns:
        yield "The last columns give the median p-value over folds, and the p-value of each fold."
    if flattered := calibrated(study):
        yield flattered


MAX_ROWS = 400
"""Largest number of rows of a table on the page; the CSV files are complete."""


def shorten_tables(tables: Iterable[Table]) -> list[Table]:
    """Leave out empty tables, and shorten the others to the rows that the page shows."""
    note = f"Only the first {MAX_ROWS} rows are shown; the CSV file is complete."
    return [table.first(MAX_ROWS, note) for table in tables if not table.is_empty]


class TablesOfDataset:
    """The tables about one data set.

    Parameters
    ----------
    part
        The experiment that the data set belongs to.
    label
        The data set's label.
    results
        The outcomes on this data set only.
    sets
        The designs shown together in the experiment.
    """

    def __init__(self, part: Experiment, label: str, results: Results, sets: list[DesignSet]) -> None:
        self.part = part
        self.label = label
        self.results = results
        self._sets = {each.key: each for each in sets}
        self._made: dict[tuple[str, str], Table] = {}

    @property
    def keys(self) -> list[str]:
        """The keys of the sets of designs."""
        return list(self._sets)

    def designs(self, key: str) -> DesignSet | None:
        """Return a set of designs by its key; None if the results have only one design of the set."""
        return self._sets.get(key)

    def scores(self, key: str = "", *, ranking: bool = True) -> Table:
        """Show every system's scores under the base design, or under each design of a set."""
        return self._once("scores" if ranking else "descriptive", key, lambda: self._scores(self.designs(key), ranking=ranking))

    def counted(self, key: str = "") -> Table:
        """Show which users are averaged under the base design, or under each design of a set."""
        return self._once("counted", key, lambda: counted_table(self.results.counted, self.label, self.designs(key)))

    def coverage(self, key: str = "") -> Table:
        """Show coverage under the base design, or under each design of a set."""
        return self._once("coverage", key, lambda: coverage_table(self.part, self.results.summary, self.label, self.designs(key)))

    @cached_property
    def comparisons(self) -> Table:
        """Show every pair of systems under the base design."""
        return comparison_table(self.part, self.results.comparisons, self.results.verdicts, self.label)

    def _once(self, kind: str, key: str, make: Callable[[], Table]) -> Table:
        if (kind, key) not in self._made:
            self._made[kind, key] = make()
        return self._made[kind, key]

    def _scores(self, designs: DesignSet | None, *, ranking: bool) -> Table:
        part, own, label = self.part, self.results, self.label
        if designs:
            return sweep_table(part, designs, own.summary, own.verdicts, label, ranking=ranking)
        return result_table(part, own.summary, own.verdicts, label, ranking=ranking, predictions=own.predictions)


def tables_by_dataset(study: Study, results: Results) -> dict[str, TablesOfDataset]:
    """Prepare the tables of every data set of a study, by the data set's label."""
    own = results.by_dataset([label for part in study.all_experiments() for label in part.datasets])
    return {
        label: TablesOfDataset(part, label, own[label], sets)
        for part in study.all_experiments()
        for sets in [design_sets(part, results.of(part).summary)]
        for label in part.datasets
    }
