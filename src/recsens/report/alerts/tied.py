"""Values that depend on the order of equal scores."""

from typing import Any

import pandas as pd

from recsens.conclusions.verdicts.study_tables import in_order, records
from recsens.study import Experiment
from recsens.tables.numbers import score

_NAMED = 4
"""Largest number of systems that are named for one data set or experiment."""


def reordered_by_ties(part: Experiment, summary: pd.DataFrame, ties: pd.DataFrame) -> list[str]:
    """Name, by data set, the systems that could pass another system if equal scores were in another order, with their ranges."""
    return [
        f"On {label}, the order of equal scores may decide which system is ahead: {named}. See ties.csv."
        for label in part.datasets
        if (named := _named([row for row in _moved(label, summary, ties) if row["passes"]]))
    ]


def moved_by_ties(label: str, summary: pd.DataFrame, ties: pd.DataFrame) -> str:
    """Name the systems of a data set whose printed values depend on the order of equal scores; empty if there are none."""
    return _named(_moved(label, summary, ties))


def _moved(label: str, summary: pd.DataFrame, ties: pd.DataFrame) -> list[dict[str, Any]]:
    """List the printed values that ties can change; ``passes`` is whether a value's range overlaps another system's range."""
    keys = ["dataset", "system", "metric_full"]
    base = summary[summary["is_base"] & (summary["dataset"] == label)][[*keys, "value"]]
    ends = ties[[*keys, "metric", "pessimistic", "optimistic"]]
    rows = base.merge(ends, on=keys, how="left")
    rows["least"] = rows[["value", "pessimistic", "optimistic"]].min(axis=1)
    rows["most"] = rows[["value", "pessimistic", "optimistic"]].max(axis=1)
    return [
        {**row, "passes": any(_overlap(row, other) for other in records(rows) if other["system"] != row["system"])}
        for row in records(rows)
        if score(row["pessimistic"]) != score(row["optimistic"])
    ]


def _overlap(row: dict[str, Any], other: dict[str, Any]) -> bool:
    return bool(row["metric_full"] == other["metric_full"] and row["least"] <= other["most"] and other["least"] <= row["most"])


def _named(moved: list[dict[str, Any]]) -> str:
    """Write each system's range for the metric that depends most on the order of equal scores."""
    widest = [
        max((row for row in moved if row["system"] == system), key=lambda row: float(row["most"] - row["least"]))
        for system in in_order(row["system"] for row in moved)
    ]
    more = f"; and {len(widest) - _NAMED} more systems" if len(widest) > _NAMED else ""
    return "; ".join(map(_range, widest[:_NAMED])) + more


def _range(row: dict[str, Any]) -> str:
    return (
        f"{row['metric']} of {row['system']} ranges from {score(row['least'])} to {score(row['most'])} ({score(row['value'])} as "
        "computed)"
    )
