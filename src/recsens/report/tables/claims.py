"""The claims of a paper, with their outcomes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from recsens.conclusions.verdicts.study_tables import records
from recsens.plugins.prose import listed
from recsens.tables.table import Row, Table, TableCell, row_groups, texts

SIGNS = {"held": "✓", "not held": "✗", "undecided": "?"}
"""The sign of each outcome, printed before its words."""

_ABOUT_CALIBRATED = (
    "Calibrated: parameters were chosen so that the claim holds. Such a claim can hardly fail, so it is counted separately."
)


def claim_table(claims: pd.DataFrame) -> Table:
    """Make a table of claims with outcomes, numbers and sources, with one group of rows per data set or experiment."""
    lines = []
    for row in records(claims):
        under = f" ({row['under']})" if row["under"] else ""
        verdict = TableCell(f"{SIGNS[row['verdict']]} {verdict_in_words(row)}", is_text=True)
        lines.append((row["dataset"], Row(f"{row['says']}{under}", (verdict, *texts([row["numbers"], row["source"]])))))
    groups = row_groups(lines)
    notes = [
        (
            "A claim is held if the whole interval supports it, not held if no part of the interval supports it, and undecided "
            "otherwise."
        ),
        "Unless stated otherwise, intervals cover other users, and treat the splits and fits of the study as fixed.",
        *([_ABOUT_CALIBRATED] if claims["calibrated"].any() else []),
        *(["The claims at the end follow from printed values and p-values."] if (claims["origin"] == "printed").any() else []),
    ]
    groups = (replace(groups[0], title=""),) if len(groups) == 1 else groups
    caption, columns = "What the paper claims, and what the study finds", ("verdict", "numbers", "source")
    return Table("claims", caption, "Claim", columns, groups, tuple(notes))


def verdict_in_words(row: Mapping[str, Any]) -> str:
    """Write a claim's outcome; if parameters were chosen to make the claim hold, add a remark: ``held (calibrated)``."""
    return f"{row['verdict']} (calibrated)" if row["calibrated"] else str(row["verdict"])


def in_short(claims: pd.DataFrame) -> str:
    """Count the claims by outcome, and calibrated claims separately; empty without claims.

    ``7 of 9 claims held, 1 was not held and 1 is undecided. Counted separately: 2 of 2 calibrated claims held.``
    """
    is_calibrated = claims["calibrated"].astype(bool)
    others = _counted(claims[~is_calibrated], "claim")
    apart = _counted(claims[is_calibrated], "calibrated claim")
    return " ".join(filter(None, [others, f"Counted separately: {apart}" if apart else ""]))


def _counted(claims: pd.DataFrame, noun: str) -> str:
    n = {verdict: int((claims["verdict"] == verdict).sum()) for verdict in SIGNS}
    total = sum(n.values())
    if not total:
        return ""
    told = [f"{n['held']} of {total} {noun}{'s' * (total > 1)} held"]
    if n["not held"]:
        told.append(f"{n['not held']} {'was' if n['not held'] == 1 else 'were'} not held")
    if n["undecided"]:
        told.append(f"{n['undecided']} {'is' if n['undecided'] == 1 else 'are'} undecided")
    return f"{listed(told)}."
