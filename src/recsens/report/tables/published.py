"""Printed scores beside ours."""

import math
from dataclasses import dataclass

from recsens.conclusions.verdicts.components import n_folds_of
from recsens.conclusions.verdicts.results import Results, records
from recsens.report.remarks import calibrated
from recsens.report.tables.published_order import order_table
from recsens.report.tables.published_p import p_value_table
from recsens.study import Study
from recsens.tables.numbers import MINUS, MISSING, deviation_of, score, spread_of
from recsens.tables.table import Row, RowGroup, Table, TableCell, texts

_NOTE = "Deviation: ours minus the printed value, and as a share of it. Spread: sample standard deviation over folds."

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
    n_folds: float


def published_tables(study: Study, results: Results) -> list[Table]:
    """Show printed values beside ours: scores, their order, p-values; without empty tables."""
    tables = [published_score_table(results), order_table(results.summary), p_value_table(results.comparisons)]
    return [with_provenance(study, table) for table in tables if not table.is_empty]


def published_score_table(results: Results) -> Table:
    """Show printed scores beside ours."""
    entries = [
        PrintedValue(
            f"{row['system']}, {row['metric']}",
            **{key: row[key] for key in _PRINTED},
            n_folds=n_folds_of(row["split"], row["repeats"]),
        )
        for row in records(results.summary[results.summary["published"].notna()])
    ]
    has_spread = any(not math.isnan(entry.spread) for entry in entries)
    has_notes = any(entry.note for entry in entries)
    groups: dict[str, list[Row]] = {}
    for entry in entries:
        cells = (
            TableCell(score(entry.published), numbers=(entry.published,)),
            TableCell(
                score(entry.value, entry.spread, entry.n_folds) if entry.spread > 0 else score(entry.value),
                numbers=(entry.value,),
            ),
            TableCell(_signed(entry), numbers=(entry.value - entry.published,)),
            TableCell(_share(entry.value, entry.published)),
            *([TableCell(spread_of(entry.value, entry.spread, entry.n_folds), numbers=(entry.spread,))] if has_spread else []),
            *texts([entry.source, *([entry.note] if has_notes else [])]),
        )
        groups.setdefault(entry.dataset, []).append(Row(entry.what, cells))
    spread = ["spread"] * has_spread
    columns = ("printed", "ours", "deviation", "in %", *spread, "source", *(["note"] if has_notes else []))
    shown = tuple(RowGroup(title, tuple(rows)) for title, rows in groups.items())
    return Table("published-scores", "Scores, printed and ours", "What", columns, shown, (_NOTE,))


def with_provenance(study: Study, table: Table) -> Table:
    """Name the systems whose parameters were chosen on test data."""
    return table.noted(*filter(None, [calibrated(*study.all_experiments())]))


def _signed(entry: PrintedValue) -> str:
    """Print the deviation, with as many decimals as our value has."""
    deviation = entry.value - entry.published
    text = deviation_of(entry.value, deviation, entry.spread, entry.n_folds) if entry.spread > 0 else score(deviation)
    return f"+{text}" if deviation > 0 else text


def _share(value: float, published: float) -> str:
    if published == 0 or math.isnan(value):
        return MISSING
    return f"{100 * (value / published - 1):+.1f}".replace("-", MINUS)
