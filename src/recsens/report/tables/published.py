"""Printed values beside ours: scores, and statistics of data sets."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from recsens.report.components import n_folds_of
from recsens.report.numbers import MINUS, MISSING, deviation_of, quantity, score, spread_of
from recsens.report.remarks import calibrated
from recsens.report.results import Results, records
from recsens.report.tables.published_order import order_table
from recsens.report.tables.published_p import p_value_table
from recsens.report.tables.table import Row, RowGroup, Table, TableCell, texts
from recsens.study import Study

_PRINTED = ("dataset", "published", "value", "spread", "source", "note")


@dataclass(frozen=True, slots=True)
class PrintedValue:
    """A printed value and ours.

    Attributes
    ----------
    what
        What it is a value of.
    dataset
        Label of the data set or experiment.
    published, value, spread
        The printed value, ours, and our standard deviation over folds.
    source, note
        Where it is printed, and what a reader should know of the difference.
    n_folds
        How many folds our standard deviation is over.
    """

    what: str
    dataset: str
    published: float
    value: float
    spread: float
    source: str
    note: str
    n_folds: float = math.inf


def published_tables(study: Study, results: Results) -> list[Table]:
    """Show printed values beside ours: scores, p-values, statistics of data sets; without empty tables."""
    summary, comparisons, datasets = results.summary, results.comparisons, results.datasets
    scores = [
        PrintedValue(
            f"{row['system']}, {row['metric']}",
            **{key: row[key] for key in _PRINTED},
            n_folds=n_folds_of(row["split"], row["repeats"]),
        )
        for row in records(summary[summary["published"].notna()])
    ]
    statistics = [
        PrintedValue(row["metric"].replace("_", " "), **{key: row[key] for key in _PRINTED})
        for row in records(datasets[datasets["published"].notna()])
    ]
    note = "Deviation: ours minus the printed value, and as a share of it. Spread: sample standard deviation over folds."
    tables = [
        _published("published-scores", "Scores, printed and ours", scores, score, note),
        order_table(summary),
        p_value_table(comparisons),
        _published("published-data", "Data sets, printed and ours", statistics, quantity, note),
    ]
    chosen = tuple(filter(None, [calibrated(*study.all_experiments())]))
    return [replace(table, notes=(*table.notes, *chosen)) for table in tables if not table.is_empty]


def _published(key: str, caption: str, entries: Sequence[PrintedValue], printed: Callable[[float], str], note: str) -> Table:
    has_spread = any(not math.isnan(entry.spread) for entry in entries)
    has_notes = any(entry.note for entry in entries)
    groups: dict[str, list[Row]] = {}
    for entry in entries:
        cells = (
            TableCell(printed(entry.published)),
            TableCell(score(entry.value, entry.spread, entry.n_folds) if entry.spread > 0 else printed(entry.value)),
            TableCell(_signed(entry, printed)),
            TableCell(_share(entry.value, entry.published)),
            *([TableCell(spread_of(entry.value, entry.spread, entry.n_folds))] if has_spread else []),
            *texts([entry.source, *([entry.note] if has_notes else [])]),
        )
        groups.setdefault(entry.dataset, []).append(Row(entry.what, cells))
    spread = ["spread"] * has_spread
    columns = ("printed", "ours", "deviation", "in %", *spread, "source", *(["note"] if has_notes else []))
    return Table(key, caption, "What", columns, tuple(RowGroup(title, tuple(rows)) for title, rows in groups.items()), (note,))


def _signed(entry: PrintedValue, printed: Callable[[float], str]) -> str:
    """Print the deviation, with as many decimals as our value has."""
    deviation = entry.value - entry.published
    text = deviation_of(entry.value, deviation, entry.spread, entry.n_folds) if entry.spread > 0 else printed(deviation)
    return f"+{text}" if deviation > 0 else text


def _share(value: float, published: float) -> str:
    if published == 0 or math.isnan(value):
        return MISSING
    return f"{100 * (value / published - 1):+.1f}".replace("-", MINUS)
