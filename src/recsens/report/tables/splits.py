"""What the folds of splits hold, and their target items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from recsens.report.numbers import quantity
from recsens.report.results import in_order, records
from recsens.report.tables.table import Row, RowGroup, Table, TableCell, slug
from recsens.report.words import from_folder, option_in_full
from recsens.study.taxonomy import decision

_NAN = float("nan")


def split_table(splits: pd.DataFrame, dataset: str) -> Table:
    """Show what each fold of each split holds; filters and splits have the names of their folders."""
    rows = splits[(splits["dataset"] == dataset) & (splits["targets"] == "")]
    return _by_fold(rows, ("split",), f"splits-{slug(dataset)}", f"{dataset}: splits")


def target_table(splits: pd.DataFrame, dataset: str) -> Table:
    """Show how many target items each fold has, and how precise a random ranking of them is."""
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
            Row(fold, tuple(TableCell(quantity(values.get((fold, metric), _NAN))) for metric in metrics))
            for fold in in_order(chosen["fold"])
        )
        names = [_named(each, str(step)) for each, step in zip(decisions, steps, strict=True)]
        groups.append(RowGroup(", ".join([*([str(kept)] if has_filters else []), *names]), lines))
    return Table(key, caption, "Fold", tuple(metric.replace("_", " ") for metric in metrics), tuple(groups))


def _named(key: str, option: str) -> str:
    """Write an option in full; splits and targets stand in the table as their folders are named."""
    return option_in_full(decision(key), option) if key == "users" else from_folder(decision(key), option)
