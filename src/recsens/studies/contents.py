"""The tables of a study: scores with their p-values, comparisons, coverage, data sets, splits."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from recsens.config import Study
from recsens.studies.naming import (
    base_options,
    change_in_words,
    change_of,
    from_folder,
    improvement,
    in_order,
    measured,
    ranks_systems,
    short,
    sweep_rows,
)
from recsens.studies.printed import MISSING, SPACE, count, p_value, percentage, quantity, score
from recsens.studies.published import published_tables
from recsens.studies.results import Results, records
from recsens.studies.sweep import sweep
from recsens.studies.table import Cell, Group, Row, Table
from recsens.studies.taxonomy import COLUMNS, Decision, decision
from recsens.studies.verdicts import interval_name

_MANY_SYSTEMS = 6
"""Beyond this number, systems are rows."""

_NAN = float("nan")


@dataclass(frozen=True)
class DesignSet:
    """Designs that are shown together.

    Attributes
    ----------
    key, title
        A short name, and what follows ‘scores’ in a caption.
    corner
        What the labels are.
    designs
        Label of a design: its option of every decision, by column. The base design's label says so.
    """

    key: str
    title: str
    corner: str
    designs: Mapping[str, tuple[str, ...]]


def design_sets(study: Study, summary: pd.DataFrame) -> list[DesignSet]:
    """List what is shown together: the options of each varied decision, or every combination in a grid."""
    base = base_options(summary)
    if study.combine == "grid" and len(study.vary) > 1:
        found = _options_of(summary)
        labels = {change_in_words(change_of(dict(zip(COLUMNS, options, strict=True)), base)): options for options in found}
        return [DesignSet("grid", "in every combination", "Design", labels)]
    return [_varied(decision(key), summary, base) for key in study.vary if len(_swept(decision(key), summary)) > 1]


def result_table(study: Study, summary: pd.DataFrame, comparisons: pd.DataFrame, dataset: str, *, ranking: bool = True) -> Table:
    """Show every system's scores on a data set under the base design, the best in bold, p-values beside them.

    ``ranking=False`` shows the metrics that only describe, without a best one and without p-values.
    """
    rows = summary[(summary["dataset"] == dataset) & summary["is_base"]]
    tests = comparisons[(comparisons["dataset"] == dataset) & comparisons["is_base"] & (comparisons["fold"] == "all")]
    metrics = [str(metric) for metric in study.metrics if ranks_systems(str(metric)) == ranking]
    systems = list(study.systems)
    lines = tuple(Row(short(metric), _scores(systems, rows, tests, metric)) for metric in metrics)
    what = "scores under the base design" if ranking else "descriptive measures under the base design"
    table = Table(
        f"{'scores' if ranking else 'descriptive'}-{_slug(dataset)}",
        f"{dataset}: {what}",
        "Metric",
        (*systems, *_p_header(systems, ranking=ranking)),
        (Group("", lines),) if lines else (),
        _score_notes(metrics, systems, summary, ranking=ranking),
    )
    return table.transposed("System") if lines and len(systems) > _MANY_SYSTEMS else table


def sweep_table(
    study: Study, shown: DesignSet, summary: pd.DataFrame, comparisons: pd.DataFrame, dataset: str, *, ranking: bool = True
) -> Table:
    """Show every system's scores on a data set under each design of a set, one group a metric."""
    metrics = [str(metric) for metric in study.metrics if ranks_systems(str(metric)) == ranking]
    systems = list(study.systems)
    pooled = comparisons[(comparisons["fold"] == "all") & (comparisons["dataset"] == dataset)]
    scores_of = _by_design(summary[summary["dataset"] == dataset])
    tests_of = _by_design(pooled)
    groups = tuple(
        Group(
            short(metric),
            tuple(
                Row(label, _scores(systems, scores_of(options), tests_of(options), metric))
                for label, options in shown.designs.items()
            ),
        )
        for metric in metrics
    )
    table = Table(
        f"{shown.key}-{'scores' if ranking else 'descriptive'}-{_slug(dataset)}",
        f"{dataset}: {'scores' if ranking else 'descriptive measures'} {shown.title}",
        shown.corner,
        (*systems, *_p_header(systems, ranking=ranking)),
        groups,
        _score_notes(metrics, systems, summary, ranking=ranking),
    )
    return table.transposed("System") if groups and len(systems) > _MANY_SYSTEMS else table


def comparison_table(study: Study, comparisons: pd.DataFrame, dataset: str) -> Table:
    """Show every pair of systems under the base design: difference, interval, p-value, and each fold's own p-value."""
    rows = comparisons[(comparisons["dataset"] == dataset) & comparisons["is_base"]]
    folds = [fold for fold in in_order(rows["fold"]) if fold != "all"]
    folds = folds if len(folds) > 1 else []
    groups = []
    for metric in (str(metric) for metric in study.metrics):
        found: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
        for row in records(rows[rows["metric"] == metric]):
            found.setdefault((row["system_a"], row["system_b"]), {})[row["fold"]] = row
        lines = [_comparison(*pair, found[pair], folds) for pair in study.pairs() if pair in found]
        groups.append(Group(short(metric), tuple(lines)))
    per_fold = (*(["median p"] if folds else []), *folds)
    notes = ["Difference: first system minus second. Main p-value: users averaged over folds, then compared."]
    if folds:
        notes.append(
            "Each fold's own p-value and their median stand beside it: the spread is what one split alone would have shown."
        )
    return Table(
        f"comparisons-{_slug(dataset)}",
        f"{dataset}: systems compared under the base design",
        "Systems",
        ("difference", interval_name(study), "p", "users", *per_fold),
        tuple(group for group in groups if group.rows),
        tuple(notes),
    )


def coverage_table(study: Study, summary: pd.DataFrame, dataset: str, shown: DesignSet | None = None) -> Table:
    """Show who is averaged and covered: numbers of users, user coverage, Coverage@d at the cut-offs of the study."""
    rows = summary[summary["dataset"] == dataset]
    cutoffs = {metric.cutoff: str(metric) for metric in reversed(study.metrics)}
    designs = shown.designs if shown else {"": next(iter(_options_of(rows[rows["is_base"]])), ())}
    found = _by_design(rows)
    groups = []
    for label, options in designs.items():
        chosen = found(options)
        groups.append(Group(label, tuple(_coverage(chosen, system, cutoffs) for system in study.systems)))
    return Table(
        f"coverage-{shown.key if shown else 'base'}-{_slug(dataset)}",
        f"{dataset}: coverage{'' if shown else ' under the base design'}{f' by {shown.corner.lower()}' if shown else ''}",
        "System",
        ("users averaged", "user coverage", *(f"Coverage@{cutoff}" for cutoff in sorted(cutoffs))),
        tuple(groups),
    )


def dataset_table(study: Study, datasets: pd.DataFrame) -> Table:
    """Show the statistics of the data sets, side by side."""
    columns = [(label, spec) for label in study.datasets for spec in in_order(datasets[datasets["dataset"] == label]["spec"])]
    specs = [label for label, _ in columns]
    titles = tuple(label if specs.count(label) == 1 else f"{label}, {spec}" for label, spec in columns)
    values = {
        (row["dataset"], row["spec"], row["metric"]): (row["value"], row["spread"])
        for row in records(datasets)
        if not math.isnan(row["value"])
    }
    lines = tuple(
        Row(metric.replace("_", " "), tuple(_statistic(metric, *values.get((*column, metric), (_NAN, _NAN))) for column in columns))
        for metric in in_order(datasets["metric"])
        if any((*column, metric) in values for column in columns)
    )
    notes = tuple(f"{note[0].upper()}{note[1:].rstrip('.')}." for note in in_order(datasets["note"]) if note)
    return Table("datasets", "The data", "Statistic", titles, (Group("", lines),), notes)


def split_table(splits: pd.DataFrame, dataset: str) -> Table:
    """Show what each fold of each split holds; the records name filters and splits as their folders are named."""
    rows = splits[splits["dataset"] == dataset]
    metrics = in_order(rows["metric"])
    has_filters = len(in_order(rows["filter"])) > 1
    groups = []
    for (kept, split), chosen in rows.groupby(["filter", "split"], sort=False):
        values = {(row["fold"], row["metric"]): row["value"] for row in records(chosen)}
        lines = tuple(
            Row(fold, tuple(Cell(quantity(values.get((fold, metric), _NAN))) for metric in metrics))
            for fold in in_order(chosen["fold"])
        )
        title = from_folder(decision("split"), str(split))
        groups.append(Group(f"{kept}, {title}" if has_filters else title, lines))
    return Table(
        f"splits-{_slug(dataset)}",
        f"{dataset}: splits",
        "Fold",
        tuple(metric.replace("_", " ") for metric in metrics),
        tuple(groups),
    )


def paper_tables(study: Study, results: Results) -> list[Table]:
    """List every table that a paper may want, in the order of the report."""
    summary, comparisons = results.summary, results.comparisons
    sets = design_sets(study, summary)
    tables = [dataset_table(study, results.datasets)]
    for dataset in study.datasets:
        for ranking in (True, False):
            tables.append(result_table(study, summary, comparisons, dataset, ranking=ranking))
            tables += [sweep_table(study, shown, summary, comparisons, dataset, ranking=ranking) for shown in sets]
        tables += [comparison_table(study, comparisons, dataset), coverage_table(study, summary, dataset)]
    tables += published_tables(results)
    return [table for table in tables if not table.is_empty]


def _varied(varied: Decision, summary: pd.DataFrame, base: Mapping[str, str]) -> DesignSet:
    options = sweep(varied, _swept(varied, summary), base[varied.column]).options
    designs = {
        f"{option.label} (base)" if option.is_base else option.label: tuple(
            option.text if column == varied.column else base[column] for column in COLUMNS
        )
        for option in options
    }
    return DesignSet(varied.key, f"by {varied.name.lower()}", varied.name, designs)


def _swept(varied: Decision, summary: pd.DataFrame) -> list[str]:
    return in_order(sweep_rows(summary, varied)[varied.column])


def _options_of(rows: pd.DataFrame) -> list[tuple[str, ...]]:
    return list(dict.fromkeys(rows[list(COLUMNS)].itertuples(index=False, name=None)))


def _by_design(rows: pd.DataFrame) -> Callable[[tuple[str, ...]], pd.DataFrame]:
    groups = dict(iter(rows.groupby(list(COLUMNS), sort=False)))
    return lambda options: groups.get(options, rows.iloc[:0])


def _scores(systems: Sequence[str], rows: pd.DataFrame, tests: pd.DataFrame, metric: str) -> tuple[Cell, ...]:
    chosen = rows[rows["metric"] == metric]
    values = dict(zip(chosen["system"], chosen["value"], strict=True))
    spreads = dict(zip(chosen["system"], chosen["spread"], strict=True))
    sign = improvement(metric)
    known = [sign * value for value in values.values() if not math.isnan(value)]
    best = max(known) if len(known) > 1 and ranks_systems(metric) else _NAN
    cells = [_score(values.get(system, _NAN), spreads.get(system, _NAN), best=sign * best) for system in systems]
    if len(systems) > 1 and ranks_systems(metric):
        cells.append(Cell(p_value(_p_of_first(values, tests[tests["metric"] == metric], sign))))
    return tuple(cells)


def _score(value: float, spread: float, *, best: float = _NAN) -> Cell:
    return Cell(score(value), is_best=value == best, extra="" if math.isnan(spread) else f"±{SPACE}{score(spread)}")


def _statistic(metric: str, value: float, spread: float) -> Cell:
    if metric.endswith("_time") and not math.isnan(value):
        return Cell(datetime.fromtimestamp(value, tz=UTC).date().isoformat())
    if metric == "density" and not math.isnan(value):
        # As data papers print it: 4.47 %.
        return Cell(f"{100 * value:.2f}{SPACE}%")
    return Cell(quantity(value), extra="" if math.isnan(spread) else f"±{SPACE}{score(spread)}")


def _p_of_first(values: Mapping[str, float], tests: pd.DataFrame, sign: int) -> float:
    ranked = sorted(
        (system for system, value in values.items() if not math.isnan(value)), key=lambda system: -sign * values[system]
    )
    for row in records(tests):
        if {row["system_a"], row["system_b"]} == set(ranked[:2]):
            return float(row["p_value"])
    return _NAN


def _p_header(systems: Sequence[str], *, ranking: bool) -> tuple[str, ...]:
    if len(systems) < 2 or not ranking:
        return ()
    return ("p",) if len(systems) == 2 else ("p, 1st and 2nd",)


def _score_notes(metrics: Sequence[str], systems: Sequence[str], summary: pd.DataFrame, *, ranking: bool) -> tuple[str, ...]:
    notes = []
    if len(systems) > 1 and ranking:
        notes.append("Bold: the best system.")
    if len(systems) > 2 and ranking:
        notes.append("p: of the best and the second best.")
    if summary["spread"].notna().any():
        notes.append("±: sample standard deviation over folds.")
    longer = [f"{short(metric)} is {metric}." for metric in metrics if short(metric) != metric]
    lower = [short(metric) for metric in metrics if ranking and not measured(metric).metric.higher_is_better]
    return (*notes, *longer, *([f"Lower is better: {', '.join(lower)}."] if lower else []))


def _comparison(a: str, b: str, by_fold: Mapping[str, Mapping[str, Any]], folds: Sequence[str]) -> Row:
    main = by_fold["all"]
    interval = MISSING if math.isnan(main["low"]) else f"{score(main['low'])} to {score(main['high'])}"
    own = [Cell(p_value(by_fold[fold]["p_value"] if fold in by_fold else _NAN)) for fold in folds]
    per_fold = [Cell(p_value(main["median_p"])), *own] if folds else []
    cells = (Cell(score(main["difference"])), Cell(interval), Cell(p_value(main["p_value"])), Cell(count(main["users"])), *per_fold)
    return Row(f"{a} and {b}", cells)


def _coverage(rows: pd.DataFrame, system: str, cutoffs: Mapping[int, str]) -> Row:
    chosen = rows[rows["system"] == system].set_index("metric")
    any_row = chosen.iloc[0] if len(chosen) else None
    depths = [Cell(percentage(chosen["coverage_at_cutoff"].get(cutoffs[cutoff], _NAN))) for cutoff in sorted(cutoffs)]
    users, covered = (any_row["n_users"], any_row["user_coverage"]) if any_row is not None else (_NAN, _NAN)
    return Row(system, (Cell(count(users)), Cell(percentage(covered)), *depths))


def _slug(label: str) -> str:
    return "".join(character if character.isalnum() else "-" for character in label.lower()).strip("-")
