"""What a design changes against the base design."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from recsens.study.taxonomy import DECISIONS, Decision

Change = tuple[tuple[str, str], ...]
"""The decisions in which a design differs from the base: key and option, in the order of the taxonomy."""


def base_options(rows: pd.DataFrame) -> dict[str, str]:
    """Return the base design's option of every decision, by column."""
    base = rows[rows["is_base"]]
    return {} if base.empty else {each.column: str(base.iloc[0][each.column]) for each in DECISIONS}


def change_of(options: Mapping[str, str], base: Mapping[str, str]) -> Change:
    """List the decisions in which a design differs from the base; both are options by column."""
    return tuple((each.key, str(options[each.column])) for each in DECISIONS if options[each.column] != base.get(each.column))


def sweep_rows(rows: pd.DataFrame, varied: Decision) -> pd.DataFrame:
    """Keep the designs that differ from the base in one decision at most."""
    base = base_options(rows)
    keep = pd.Series(data=True, index=rows.index)
    for each in DECISIONS:
        if each != varied:
            keep &= rows[each.column] == base.get(each.column)
    return rows[keep]
