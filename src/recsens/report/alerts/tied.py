"""Values that the order of equal scores moves."""

from typing import Any

import pandas as pd

from recsens.conclusions.verdicts.results import in_order, records
from recsens.study import Experiment
from recsens.tables.numbers import score

_NAMED = 4
"""Systems that are named on one data set or experiment."""


def moved_by_ties(part: Experiment, summary: pd.DataFrame, ties: pd.DataFrame) -> list[str]:
    """Say of each data set which systems' printed values depend on the order of equal scores, and by how much at most."""
    base = summary[summary["is_base"]]
    keys = ["dataset", "system", "metric_full"]
    joined = ties.merge(base[[*keys, "value"]], on=keys)
    return [sentence for label in part.datasets if (sentence := _on(label, joined[joined["dataset"] == label]))]


def _on(label: str, rows: pd.DataFrame) -> str:
    moved = [row for row in records(rows) if score(row["pessimistic"]) != score(row["optimistic"])]
    widest = [
        max((row for row in moved if row["system"] == system), key=lambda row: abs(row["optimistic"] - row["pessimistic"]))
        for system in in_order(row["system"] for row in moved)
    ]
    if not widest:
        return ""
    named = "; ".join(_range(row) for row in widest[:_NAMED])
    more = f"; and {len(widest) - _NAMED} more systems" if len(widest) > _NAMED else ""
    return (
        f"On {label}, values depend on the order of equal scores, which is chance. From worse to better items first, by the metric "
        f"that moves most: {named}{more}. See ties.csv."
    )


def _range(row: dict[str, Any]) -> str:
    ends = f"{score(row['pessimistic'])} to {score(row['optimistic'])}"
    return f"{row['system']} {ends} by {row['metric']} ({score(row['value'])} as computed)"
