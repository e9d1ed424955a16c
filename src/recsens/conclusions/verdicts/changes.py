"""The decisions in which a design differs from the base design."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from recsens.study.taxonomy import DECISIONS, Decision, with_full

Change = tuple[tuple[str, str], ...]
"""The decisions in which a design differs from the base, in the order of the taxonomy: key and option as written."""


def base_options(rows: pd.DataFrame) -> dict[str, str]:
    """Return the base design's option for every decision, by column: both as written in the study and in full."""
    base = rows.loc[rows["is_base"], with_full(DECISIONS)]
    return {} if base.empty else {str(column): str(option) for column, option in base.iloc[0].items()}


def change_of(row: Mapping[str, Any], base: Mapping[str, str]) -> Change:
    """List the decisions, with the row's options, in which a row's design differs from the ``base`` options."""
    return tuple((each.key, str(row[each.column])) for each in DECISIONS if row[each.full_column] != base.get(each.full_column))


def sweep_rows(rows: pd.DataFrame, varied: Decision) -> pd.DataFrame:
    """Select the rows of designs that differ from the base design at most in the decision ``varied``."""
    base = base_options(rows)
    keep = pd.Series(data=True, index=rows.index)
    for each in DECISIONS:
        if each != varied:
            keep &= rows[each.full_column] == base.get(each.full_column)
    return rows[keep]
