"""The data of a study: statistics of the data sets, the sizes after each filter, the folds of splits, and their target items."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from recsens.arrays import in_order
from recsens.conclusions.verdicts.study_tables import records
from recsens.files.timestamps import date_of, unit_of
from recsens.study import Study
from recsens.study.taxonomy import decision
from recsens.tables.cells import count_cell
from recsens.tables.numbers import SPACE, percentage, quantity
from recsens.tables.table import Row, RowGroup, Table, TableCell, slug

_LATEST = "last_time"
_CORRELATION = "correlation_with_relevant"


def dataset_table(study: Study, datasets: pd.DataFrame) -> Table:
    """Show the statistics of data sets side by side; an experiment has a column only if its filter leaves different data."""
    facts = datasets[datasets["chain"] == ""]
    labels = [*study.datasets, *(label for label in study.experiments if _has_other_data(study, facts, label))]
    columns = [(label, spec) for label in labels for spec in in_order(facts[facts["dataset"] == label]["spec"])]
    specs = [label for label, _ in columns]
    titles = tuple(label if specs.count(label) == 1 else f"{label}, {spec}" for label, spec in columns)
    values = {(row["dataset"], row["spec"], row["metric"]): row["value"] for row in records(facts) if not math.isnan(row["value"])}
    units = {column: unit_of(values.get((*column, _LATEST), 0.0)) for column in columns}
    lines = []
    for metric in in_order(facts["metric"]):
        if any((*column, metric) in values for column in columns):
            cells = [_statistic_cell(metric, values.get((*column, metric), math.nan), units[column]) for column in columns]
            lines.append(Row(metric.replace("_", " "), tuple(cells)))
    notes = []
    if any(metric.startswith(_CORRELATION) for *_, metric in values):
        notes.append(
            "Correlation with relevant: Pearson's correlation, over users or items, between the number of all ratings and the "
            "number of relevant ratings."
        )
    notes += [_in_another_unit(label, units[label, spec]) for label, spec in columns if units[label, spec] != "seconds"]
    return Table("datasets", "The data", "Statistic", titles, (RowGroup("", tuple(lines)),), tuple(notes))


def _has_other_data(study: Study, facts: pd.DataFrame, label: str) -> bool:
    columns = ["spec", "metric", "value"]
    own, base = (facts[facts["dataset"] == name][columns].reset_index(drop=True) for name in (label, study.dataset_of(label)))
    return not own.equals(base)


def _in_another_unit(label: str, unit: str) -> str:
    return (
        f"The time stamps of {label} look like {unit} since 1970, and the dates above assume this unit. The time stamps are "
        "stored unchanged. They order the interactions; a time in the study file is compared with these unchanged numbers."
    )


def _statistic_cell(metric: str, value: float, unit: str) -> TableCell:
    if metric.endswith("_time") and not math.isnan(value):
        return TableCell(date_of(value, unit))
    if metric == "density" and not math.isnan(value):
        # Papers on data sets print two decimals, as in 4.47 %.
        return TableCell(f"{100 * value:.2f}{SPACE}%", numbers=(value,))
    return TableCell(quantity(value), numbers=(value,))


_SIZES = ("users", "items", "ratings")


def filter_table(datasets: pd.DataFrame) -> Table:
    """Show the sizes of the data after each filter of each chain."""
    rows = datasets[datasets["chain"] != ""]
    groups = []
    for (dataset, _), chosen in rows.groupby(["dataset", "chain_full"], sort=False):
        values = {(row["step"], row["metric"]): row["value"] for row in records(chosen)}
        names = dict(zip(chosen["step"], chosen["filter"], strict=True))
        lines = []
        for step, link in names.items():
            label = link or "as read"
            cells = [
                _kept(values.get((step, size), math.nan), values.get(("0", size), math.nan), is_first=not link) for size in _SIZES
            ]
            lines.append(Row(label, tuple(cells)))
        groups.append(RowGroup(f"{dataset}, {chosen['chain'].iloc[0]}", tuple(lines)))
    note = "The number in brackets is the share of the unfiltered data that remains after the filter."
    return Table("filters", "What each filter leaves", "After", _SIZES, tuple(groups), (note,))


def _kept(left: float, read: float, *, is_first: bool) -> TableCell:
    share = left / read if read > 0 else math.nan
    return replace(count_cell(left), extra="" if is_first or math.isnan(share) else f"({percentage(share)})")


_KEYS = tuple(decision(key).full_column for key in ("filter", "split", "targets", "users"))
"""Columns that identify a group of folds."""


def split_table(splits: pd.DataFrame, dataset: str) -> Table:
    """Show each fold's content in each split."""
    rows = splits[(splits["dataset"] == dataset) & (splits["targets"] == "")]
    return _fold_table(rows, ("split",), f"splits-{slug(dataset)}", f"{dataset}: splits")


def target_table(splits: pd.DataFrame, dataset: str) -> Table:
    """Show how many target items each fold has, and the precision of a random ranking of these items."""
    rows = splits[(splits["dataset"] == dataset) & (splits["targets"] != "")]
    # A record describes the study's combinations of relevance threshold and selection of users, one after another.
    rows = rows.assign(threshold=rows.groupby([*_KEYS, "fold", "metric"]).cumcount())
    decisions = ("split", "targets", *(["users"] if len(in_order(rows["user_selection"])) > 1 else []))
    note = (
        "Values are means over the averaged users. Expected random precision: the expected precision of a random order of the "
        "targets. "
    )
    note += "A sample contains the targets that were drawn; it is short if fewer items were available than the study asks for." * (
        "sample_size" in set(rows["metric"])
    )
    return replace(_fold_table(rows, decisions, f"targets-{slug(dataset)}", f"{dataset}: target items"), notes=(note,))


def _fold_table(rows: pd.DataFrame, decisions: Sequence[str], key: str, caption: str) -> Table:
    metrics = in_order(rows["metric"])
    has_filters = len(in_order(rows["filter_full"])) > 1
    rows = rows if "threshold" in rows else rows.assign(threshold=0)
    groups = []
    for _, chosen in rows.groupby([*_KEYS, "threshold"], sort=False):
        values = {(row["fold"], row["metric"]): row["value"] for row in records(chosen)}
        lines = tuple(
            Row(fold, tuple(TableCell(quantity(values.get((fold, metric), math.nan))) for metric in metrics))
            for fold in in_order(chosen["fold"])
        )
        heading = [*(["filter"] if has_filters else []), *(decision(each).column for each in decisions)]
        groups.append(RowGroup(", ".join(chosen[column].iloc[0] for column in heading), lines))
    return Table(key, caption, "Fold", tuple(metric.replace("_", " ") for metric in metrics), tuple(groups))
