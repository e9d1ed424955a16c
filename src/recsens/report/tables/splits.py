"""The content of each fold of each split, and its target items."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from recsens.conclusions.verdicts.study_tables import in_order, records
from recsens.study.taxonomy import decision
from recsens.tables.numbers import quantity
from recsens.tables.table import Row, RowGroup, Table, TableCell, slug

_NAN = float("nan")

_KEYS = tuple(decision(key).full_column for key in ("filter", "split", "targets", "users"))
"""Columns that identify a group of folds."""


def split_table(splits: pd.DataFrame, dataset: str) -> Table:
    """Show each fold's content in each split."""
    rows = splits[(splits["dataset"] == dataset) & (splits["targets"] == "")]
    return _by_fold(rows, ("split",), f"splits-{slug(dataset)}", f"{dataset}: splits")


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
    return replace(_by_fold(rows, decisions, f"targets-{slug(dataset)}", f"{dataset}: target items"), notes=(note,))


def _by_fold(rows: pd.DataFrame, decisions: Sequence[str], key: str, caption: str) -> Table:
    metrics = in_order(rows["metric"])
    has_filters = len(in_order(rows["filter_full"])) > 1
    rows = rows if "threshold" in rows else rows.assign(threshold=0)
    groups = []
    for _, chosen in rows.groupby([*_KEYS, "threshold"], sort=False):
        values = {(row["fold"], row["metric"]): row["value"] for row in records(chosen)}
        lines = tuple(
            Row(fold, tuple(TableCell(quantity(values.get((fold, metric), _NAN))) for metric in metrics))
            for fold in in_order(chosen["fold"])
        )
        heading = [*(["filter"] if has_filters else []), *(decision(each).column for each in decisions)]
        groups.append(RowGroup(", ".join(chosen[column].iloc[0] for column in heading), lines))
    return Table(key, caption, "Fold", tuple(metric.replace("_", " ") for metric in metrics), tuple(groups))
