"""The tables of the data of a study: data sets, what filters leave of them, splits, target items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from recsens.config import Study
from recsens.moments import date_of, unit_of
from recsens.studies.naming import from_folder, in_full, in_order, option_in_full
from recsens.studies.printed import SPACE, count, percentage, plus_minus, quantity
from recsens.studies.results import records
from recsens.studies.table import Cell, Group, Row, Table, slug
from recsens.studies.taxonomy import decision

_NAN = float("nan")

_LATEST = "last_time"

_SIZES = ("users", "items", "ratings")


def dataset_table(study: Study, datasets: pd.DataFrame) -> Table:
    """Show the statistics of the data sets, side by side; an experiment's only where its filter leaves other data."""
    facts = datasets[datasets["chain"] == ""]
    labels = [*study.datasets, *(label for label in study.experiments if _differs(study, facts, label))]
    columns = [(label, spec) for label in labels for spec in in_order(facts[facts["dataset"] == label]["spec"])]
    specs = [label for label, _ in columns]
    titles = tuple(label if specs.count(label) == 1 else f"{label}, {spec}" for label, spec in columns)
    values = {
        (row["dataset"], row["spec"], row["metric"]): (row["value"], row["spread"])
        for row in records(facts)
        if not math.isnan(row["value"])
    }
    units = {column: unit_of(values.get((*column, _LATEST), (0.0, _NAN))[0]) for column in columns}
    lines = tuple(
        Row(
            metric.replace("_", " "),
            tuple(_statistic(metric, *values.get((*column, metric), (_NAN, _NAN)), units[column]) for column in columns),
        )
        for metric in in_order(facts["metric"])
        if any((*column, metric) in values for column in columns)
    )
    notes = [f"{note[0].upper()}{note[1:].rstrip('.')}." for note in in_order(facts["note"]) if note]
    notes += [_in_another_unit(label, units[label, spec]) for label, spec in columns if units[label, spec] != "seconds"]
    return Table("datasets", "The data", "Statistic", titles, (Group("", lines),), tuple(notes))


def filter_table(datasets: pd.DataFrame) -> Table:
    """Show what each filter of each chain leaves of the data as they were read."""
    rows = datasets[datasets["chain"] != ""]
    groups = []
    for (dataset, chain), chosen in rows.groupby(["dataset", "chain"], sort=False):
        values = {(row["step"], row["metric"]): row["value"] for row in records(chosen)}
        names = dict(zip(chosen["step"], chosen["filter"], strict=True))
        lines = []
        for step, link in names.items():
            label = str(in_full("filter", link)) if link else "as read"
            cells = [_kept(values.get((step, size), _NAN), values.get(("0", size), _NAN), is_first=not link) for size in _SIZES]
            lines.append(Row(label, tuple(cells)))
        groups.append(Group(f"{dataset}, {chain}", tuple(lines)))
    note = "In brackets: the share of what was read that is left."
    return Table("filters", "What each filter leaves", "After", _SIZES, tuple(groups), (note,))


def split_table(splits: pd.DataFrame, dataset: str) -> Table:
    """Show what each fold of each split holds; the records name filters and splits as their folders are named."""
    rows = splits[(splits["dataset"] == dataset) & (splits["targets"] == "")]
    return _by_fold(rows, ("split",), f"splits-{slug(dataset)}", f"{dataset}: splits")


def target_table(splits: pd.DataFrame, dataset: str) -> Table:
    """Show what the target items of each fold come to: how many there are, and how precise a random ranking of them is."""
    rows = splits[(splits["dataset"] == dataset) & (splits["targets"] != "")]
    # A record holds one description for each threshold of relevance and selection of users in the study, one after another.
    rows = rows.assign(threshold=rows.groupby(["filter", "split", "fold", "targets", "user_selection", "metric"]).cumcount())
    decisions = ("split", "targets", *(["users"] if len(in_order(rows["user_selection"])) > 1 else []))
    note = "Over the users averaged. Expected random precision: of a random order of each ranking's targets."
    return replace(_by_fold(rows, decisions, f"targets-{slug(dataset)}", f"{dataset}: target items"), notes=(note,))


def _by_fold(rows: pd.DataFrame, decisions: Sequence[str], key: str, caption: str) -> Table:
    metrics = in_order(rows["metric"])
    has_filters = len(in_order(rows["filter"])) > 1
    rows = rows if "threshold" in rows else rows.assign(threshold=0)
    groups = []
    columns = [decision(each).column for each in decisions]
    for (kept, *steps, _), chosen in rows.groupby(["filter", *columns, "threshold"], sort=False):
        values = {(row["fold"], row["metric"]): row["value"] for row in records(chosen)}
        lines = tuple(
            Row(fold, tuple(Cell(quantity(values.get((fold, metric), _NAN))) for metric in metrics))
            for fold in in_order(chosen["fold"])
        )
        names = [_named(each, str(step)) for each, step in zip(decisions, steps, strict=True)]
        groups.append(Group(", ".join([*([str(kept)] if has_filters else []), *names]), lines))
    return Table(key, caption, "Fold", tuple(metric.replace("_", " ") for metric in metrics), tuple(groups))


def _named(key: str, option: str) -> str:
    """Write an option in full; splits and targets stand in the table as their folders are named."""
    return option_in_full(decision(key), option) if key == "users" else from_folder(decision(key), option)


def _differs(study: Study, facts: pd.DataFrame, label: str) -> bool:
    columns = ["spec", "metric", "value"]
    own, base = (facts[facts["dataset"] == name][columns].reset_index(drop=True) for name in (label, study.dataset_of(label)))
    return not own.equals(base)


def _kept(left: float, read: float, *, is_first: bool) -> Cell:
    share = left / read if read > 0 else _NAN
    return Cell(count(left), extra="" if is_first or math.isnan(share) else f"({percentage(share)})")


def _in_another_unit(label: str, unit: str) -> str:
    return (
        f"The time stamps of {label} look like {unit} since 1970, and the dates above take them for that. They are kept as they "
        "stand and put interactions in order; a moment is compared with them as a number."
    )


def _statistic(metric: str, value: float, spread: float, unit: str) -> Cell:
    if metric.endswith("_time") and not math.isnan(value):
        return Cell(date_of(value, unit))
    if metric == "density" and not math.isnan(value):
        # As data papers print it: 4.47 %.
        return Cell(f"{100 * value:.2f}{SPACE}%")
    return Cell(quantity(value), extra=plus_minus(value, spread))
