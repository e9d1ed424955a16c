"""Which designs can be believed: the scorecard of a study in words and as a table to quote, in Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from recsens.report.changes import change_of
from recsens.report.numbers import MISSING, fixed
from recsens.report.results import in_order, records

Row = Mapping[str, Any]


def believed(rows: pd.DataFrame, base: Mapping[str, str]) -> str:
    """Say of each condition how near the base design comes to the truth, and which single change comes nearer or strays.

    Parameters
    ----------
    rows
        The table ``truth.csv``.
    base
        The base design's options (`recsens.report.changes.base_options`).

    Notes
    -----
    The table holds every analysis whose design is the base design, or differs from it in one decision and is not the reference.
    Analyses are told apart by intervals of tau: one is nearer the truth than the base design if its interval lies above that of the
    first metric under the base design, farther if it lies below, and else cannot be told from it.
    """
    named = rows.assign(changes=pd.Series([change_of(row, base) for row in records(rows)], index=rows.index, dtype=object))
    parts = [_of_condition(condition, named[named["data"] == condition]) for condition in in_order(named["data"])]
    return "\n\n".join(parts) + "\n"


def _of_condition(condition: str, rows: pd.DataFrame) -> str:
    analyses = _analyses(rows)
    base = next((each for each in analyses if not each["changes"]), None)
    said = [] if base is None else [_sentence(condition, base, [each for each in analyses if each is not base])]
    return "\n\n".join([f"## {condition}", *said, "\n".join(_table(analyses))])


def _analyses(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Collect the quantities of each analysis with at most one change, in the order of the table."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in records(rows):
        if row["is_reference"] or len(row["changes"]) > 1:
            continue
        change = ", ".join(f"{key}: {option}" for key, option in row["changes"])
        known = found.setdefault((row["metric"], change), {"metric": row["metric"], "changes": change})
        known[row["quantity"]] = row["value"], row["low"], row["high"]
    return list(found.values())


def _sentence(condition: str, base: Row, others: list[dict[str, Any]]) -> str:
    low, high = base["tau"][1:]
    nearer = [each for each in others if each["tau"][1] > high]
    farther = [each for each in others if each["tau"][2] < low]
    shares = f"{_percent(base['right'][0])} of the pairs that the truth decides rightly, {_percent(base['wrong'][0])} wrongly"
    name = f"{base['metric']} under the base design"
    parts = [f"On {condition}, {name} orders the systems with tau {_estimate(base['tau'])}; it decides {shares}."]
    told = ("nearer to the truth", nearer), ("farther from it", farther)
    for words, listed in told:
        names = "; ".join(_name(each) for each in listed)
        parts.append(f"Surely {words}: {names}." if listed else f"Surely {words}: none of {len(others)}.")
    return " ".join(parts)


def _table(analyses: list[dict[str, Any]]) -> Iterator[str]:
    yield "| analysis | tau | right | wrong | open |"
    yield "| --- | --- | --- | --- | --- |"
    for each in sorted(analyses, key=lambda one: -one["tau"][0] if not math.isnan(one["tau"][0]) else math.inf):
        shares = " | ".join(_percent(each[name][0]) for name in ("right", "wrong", "open"))
        yield f"| {_name(each)} | {_estimate(each['tau'])} | {shares} |"


def _name(analysis: Row) -> str:
    return ", ".join(part for part in (analysis["metric"], analysis["changes"]) if part)


def _estimate(quantity: tuple[float, float, float]) -> str:
    value, low, high = quantity
    if math.isnan(value):
        return MISSING
    interval = "" if math.isnan(low) else f" ({fixed(low, 2)} to {fixed(high, 2)})"
    return f"{fixed(value, 2)}{interval}"


def _percent(share: float) -> str:
    return MISSING if math.isnan(share) else f"{100 * share:.0f} %"
