"""Scores with p-values, under the base design and under each design of a set."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from recsens.conclusions.design_space import DesignSpace
from recsens.conclusions.verdicts.best import ranked
from recsens.conclusions.verdicts.components import designs_of, direction, n_folds_of, over_folds, ranks_systems
from recsens.conclusions.verdicts.study_tables import grouped, records
from recsens.metrics import MeasuredAt
from recsens.report.sentences.meaning import hypotheses
from recsens.report.system_remarks import calibrated
from recsens.report.tables.design_sets import MAX_DESIGNS, DesignSet, cut_note
from recsens.study import Experiment
from recsens.tables.cells import p_cell, score_cell
from recsens.tables.numbers import MISSING, SPACE, count, percentage, score
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
    lines = tuple(Row(metric.written, _scores(study, scores, compared, str(metric))) for metric in metrics)
    what = "scores under the base design" if ranking else "descriptive measures under the base design"
    notes = _score_notes(metrics, study, summary, {"": tests}, ranking=ranking)
    notes += [*_tie_note(lines), *_predictions_note(metrics, predictions, dataset)]
    key, groups = f"{'scores' if ranking else 'descriptive'}-{slug(dataset)}", (RowGroup("", lines),) if lines else ()
    return _table(study, Table(key, f"{dataset}: {what}", "Metric", (), groups, tuple(notes)), ranking=ranking)


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
        RowGroup(title, tuple(Row(label, _scores(study, *found, str(metric))) for label, found in of_designs.items()))
        for metric, title in titles.items()
    )
    labelled = {label: tests_of(options) for label, options in shown.items()}
    notes = _score_notes(metrics, study, summary, labelled, ranking=ranking)
    notes += _tie_note(row for group in groups for row in group.rows)
    notes += [*([f"Metrics that ignore {design_set.key} {_IGNORING}"] if unmoved else []), *cut_note(design_set)]
    key = f"{design_set.key}-{'scores' if ranking else 'descriptive'}-{slug(dataset)}"
    caption = f"{dataset}: {'scores' if ranking else 'descriptive measures'} {design_set.title}"
    return _table(study, Table(key, caption, design_set.corner, (), groups, tuple(notes)), ranking=ranking)


def _table(study: Experiment, table: Table, *, ranking: bool) -> Table:
    """Add the headers of a table of scores; with many systems, systems are rows."""
    header = ("p",) if len(study.systems) == 2 else ("p, 1st and 2nd",)
    headed = replace(table, columns=(*study.systems, *(header if _has_p(study, ranking=ranking) else ())))
    return headed.transposed("System") if table.groups and len(study.systems) > _MANY_SYSTEMS else headed


_IGNORING = "have, by definition, the same numbers with every option, so these metrics say nothing about this decision."
_SHOWN = ["system", "metric", "split", "repeats", "fits", "value", "spread"]
"""Columns from which a score is printed."""

_TESTED = ["system_a", "system_b", "winner", "p_adjusted"]
"""Columns from which the score's test is printed."""


_RowsByMetric = Mapping[str, Sequence[Mapping[str, Any]]]


def _by_metric(rows: pd.DataFrame, columns: Sequence[str]) -> _RowsByMetric:
    """Return some columns of the rows of each metric."""
    return grouped(zip(rows["metric_full"].tolist(), records(rows[list(columns)]), strict=True))


def _scores(study: Experiment, rows: _RowsByMetric, tests: _RowsByMetric, metric: str) -> tuple[TableCell, ...]:
    systems = list(study.systems)
    row_of = {row["system"]: row for row in rows.get(metric, [])}
    values = {system: row["value"] for system, row in row_of.items()}
    order = ranked(values, direction(metric)) if ranks_systems(metric) else []
    best = order[0] if sum(map(len, order)) > 1 else []
    beside = _beside_second(order, tests.get(metric, []))
    mark = SIGNIFICANT if beside and all(row["winner"] == order[0][0] for row in beside) else ""
    cells = [
        _score(row_of[system], is_best=system in best, mark=mark if system in best else "")
        if system in row_of
        else TableCell(MISSING)
        for system in systems
    ]
    if _has_p(study, ranking=ranks_systems(metric)):
        cells.append(_p_of_first(order, beside))
    return tuple(cells)


def _score(row: Mapping[str, Any], *, is_best: bool, mark: str) -> TableCell:
    n_folds = n_folds_of(row["split"], row["repeats"], row["fits"])
    return score_cell(row["value"], row["spread"], n_folds, of=row["metric"], is_best=is_best, mark=mark)


def _beside_second(order: Sequence[Sequence[str]], tests: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """List the comparisons of the best system with each second-best system; empty if several systems are best."""
    if len(order) < 2 or len(order[0]) > 1:
        return []
    pairs = [{order[0][0], system} for system in order[1]]
    return [row for row in tests if {row["system_a"], row["system_b"]} in pairs]


def _p_of_first(order: Sequence[Sequence[str]], beside: Sequence[Mapping[str, Any]]) -> TableCell:
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
        notes.append(f"±: sample standard deviation over {over_folds(designs_of(summary))}.")
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
