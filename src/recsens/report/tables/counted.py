"""The users who are averaged under each design, those who can score above zero, and the ratings that are lost."""

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from recsens.conclusions.design_space import DesignSpace
from recsens.conclusions.verdicts.study_tables import in_order, records
from recsens.report.effective_users import EFFECTIVE_USERS, weigh_apart
from recsens.report.sentences.counts import percentiles
from recsens.report.tables.design_sets import MAX_DESIGNS, DesignSet
from recsens.tables.numbers import percentage, span
from recsens.tables.table import Row, RowGroup, Table, TableCell, slug

MAX_FOLDS = 10
"""Largest number of folds that a table shows one by one; the CSV file has all folds."""

_NOTE = (
    "Only users with a relevant test rating can score above zero on most metrics; the definition of each metric says what value "
    "other users get. Lost: the test ratings of users who are not averaged."
)

_NUMBERS = ("averaged", "with_test", "with_relevant", "effective_users", "rankings", "test_ratings", "lost_ratings")


def counted_table(counted: pd.DataFrame, dataset: str, shown: DesignSet | None = None) -> Table:
    """Show which users are averaged on a data set: fold by fold under the base design, or under each design in a set.

    If a number differs between folds, the table has its range. The table of a set is empty if all designs of the set count the same
    users.
    """
    rows = counted[counted["dataset"] == dataset]
    if shown is None:
        rows_by_label, key, title = _by_fold(rows[rows["is_base"]]), "base", "under the base design"
    else:
        space = DesignSpace(rows)
        rows_by_label = {label: space.rows_of(options) for label, options in shown.designs.items() if options in space.designs}
        key, title = shown.key, shown.title
    cut = len(rows_by_label) > MAX_DESIGNS
    rows_by_label = dict(list(rows_by_label.items())[:MAX_DESIGNS])
    every = pd.concat([rows.iloc[:0], *rows_by_label.values()])
    columns = _columns(every)
    lines = tuple(Row(label, tuple(_cell(chosen, column) for column in columns)) for label, chosen in rows_by_label.items())
    alike = shown is not None and len({line.cells for line in lines}) == 1
    notes = [_NOTE]
    if "effective_users" in columns:
        notes.append(EFFECTIVE_USERS)
    notes += [
        f"{label}: {sentence}" if shown else sentence for label, chosen in rows_by_label.items() for sentence in percentiles(chosen)
    ]
    if cut:
        notes.append(f"Only the first {MAX_DESIGNS} rows are shown; counted.csv lists all rows.")
    return Table(
        f"counted-{key}-{slug(dataset)}",
        f"{dataset}: who is averaged {title}",
        "Fold" if shown is None else shown.corner,
        tuple(columns.values()),
        () if alike or not lines else (RowGroup("", lines),),
        tuple(in_order(notes)),
    )


def _by_fold(rows: pd.DataFrame) -> Mapping[str, pd.DataFrame]:
    folds = in_order(rows["fold"])
    if len(folds) > MAX_FOLDS:
        return {f"all {len(folds)} folds": rows}
    named = [row["fold"] if row["systems"] == "all" else f"{row['fold']}, {row['systems']}" for row in records(rows)]
    return {label: rows.iloc[[index]] for index, label in enumerate(named)}


def _columns(rows: pd.DataFrame) -> dict[str, str]:
    """Name the columns; effective users are included only if weights differ, and rankings only if each rating has its own."""
    headers = (
        "users averaged",
        "with test ratings",
        "with relevant test ratings",
        "effective users",
        "rankings",
        "test ratings",
        "lost",
    )
    hidden = {
        name
        for name, said in (("effective_users", weigh_apart(rows, "averaged")), ("rankings", rows["rankings"].notna().any()))
        if not said
    }
    return {name: header for name, header in zip(_NUMBERS, headers, strict=True) if name not in hidden}


def _cell(rows: pd.DataFrame, column: str) -> TableCell:
    ends = (float(rows[column].min()), float(rows[column].max()))
    cell = TableCell(span(rows[column]), numbers=tuple(dict.fromkeys(ends)))
    if column == "lost_ratings" and (test := rows["test_ratings"].sum()):
        return replace(cell, extra=f"({percentage(rows[column].sum() / test)})")
    return cell
