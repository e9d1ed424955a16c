"""The systems under the base design, best first, each with its gap to the best system."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from recsens.conclusions.verdicts.best import Standings, base_standings, ranked
from recsens.conclusions.verdicts.components import designs_of, direction, from_splits, n_folds_of, over_folds
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.study_tables import empty, grouped, records
from recsens.report.alerts import moved_by_ties
from recsens.report.sentences.counts import counted_as_zero
from recsens.report.sentences.evidence import disagree, interval_name, value_difference
from recsens.tables.numbers import MISSING, estimate, p_value, plus_minus, score
from recsens.tables.table import Row, RowGroup, Table, TableCell, slug

MAX_SYSTEMS = 10
"""Largest number of systems in the table at the top of a page; the tables of results have all systems."""

MAX_METRICS = 6


def leader_tables(
    verdicts: PairVerdicts, summary: pd.DataFrame, ties: pd.DataFrame | None = None, counted: pd.DataFrame | None = None
) -> list[Table]:
    """Show the best systems on each of an experiment's data sets, by the first metric that ranks systems."""
    by_dataset = grouped((standings.dataset, standings) for standings in base_standings(verdicts, summary))
    base = summary[summary["is_base"]]
    ties, counted = empty("ties") if ties is None else ties, empty("counted") if counted is None else counted
    return [
        _table(verdicts, by_metric, base[base["dataset"] == dataset], moved_by_ties(dataset, base, ties), counted)
        for dataset, by_metric in by_dataset.items()
    ]


def _table(
    verdicts: PairVerdicts, standings: Sequence[Standings], summary: pd.DataFrame, moved: str, counted: pd.DataFrame
) -> Table:
    first, columns = standings[0], standings[:MAX_METRICS]
    order = [system for alike in ranked(first.scores, direction(first.metric)) for system in alike]
    order += [system for system in first.scores if system not in order]
    rows = {(row["system"], row["metric_full"]): row for row in records(summary)}
    best = {standing.metric: ranked(standing.scores, direction(standing.metric))[0] for standing in columns}
    lines = []
    for system in order[:MAX_SYSTEMS]:
        values = [_value(rows.get((system, each.metric)), is_best=system in best[each.metric]) for each in columns]
        lines.append(Row(system, (*values, *(_behind(first, system, verdicts.part.alpha) if first.duels else ()))))
    over = counted_as_zero(verdicts.part, first, counted)
    behind = (f"gap to {first.leader} ({first.written})", interval_name(verdicts.part), "p") if first.duels else ()
    notes = [*_notes(summary, len(order), len(standings), moved), *([f"{first.written}: averages{over}."] if over else [])]
    caption = f"{first.dataset}: scores under the base design, best on {first.written} first"
    headers, groups = (*(standing.written for standing in columns), *behind), (RowGroup("", tuple(lines)),)
    return Table(f"leaders-{slug(first.dataset)}", caption, "System", headers, groups, tuple(notes))


def _value(row: Mapping[str, Any] | None, *, is_best: bool) -> TableCell:
    if row is None:
        return TableCell(MISSING)
    numbers = row["value"], row["spread"], n_folds_of(row["split"], row["repeats"], row["fits"])
    return TableCell(score(*numbers), is_best=is_best, extra=plus_minus(*numbers))


def _behind(first: Standings, system: str, alpha: float) -> tuple[TableCell, ...]:
    """Print the difference over users in favour of the best system, with its interval and p-value."""
    if system == first.leader:
        return (TableCell(MISSING), TableCell(MISSING), TableCell(MISSING))
    duel = first.duels.get((first.leader, system))
    if duel is None:
        return (TableCell("not compared"), TableCell(MISSING), TableCell(MISSING))
    difference, low, high = estimate(duel.difference, duel.low, duel.high)
    interval = MISSING if math.isnan(duel.low) else f"{low} to {high}"
    of_values = value_difference(duel.difference, duel.value_difference, duel.low, duel.high)
    uncorrected = "" if duel.correction == "none" else ", uncorrected"
    tested = f"({p_value(duel.resampled_p)} over splits, {from_splits(duel.n_splits)}{uncorrected})"
    over = tested if disagree(duel.p_value, duel.resampled_p, alpha) else ""
    behind = TableCell(difference, extra=f"({of_values} by values)" if of_values else "")
    return (behind, TableCell(interval), TableCell(p_value(duel.p_value), extra=over))


def _notes(summary: pd.DataFrame, n_systems: int, n_metrics: int, moved: str) -> list[str]:
    notes = ["Bold: the best system on each metric."]
    if summary["spread"].notna().any():
        notes.append(f"±: sample standard deviation over {over_folds(designs_of(summary))}.")
    if n_systems > MAX_SYSTEMS:
        notes.append(f"Only the first {MAX_SYSTEMS} of {n_systems} systems are shown; summary.csv lists all systems.")
    if n_metrics > MAX_METRICS:
        notes.append(f"Only the first {MAX_METRICS} of {n_metrics} metrics are shown; summary.csv lists all metrics.")
    if moved:
        notes.append(f"Values depend on how items with equal scores are ordered: {moved}.")
    return notes
