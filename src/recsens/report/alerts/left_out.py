"""Data sets with many rows left out as invalid."""

import pandas as pd

from recsens.conclusions.verdicts.study_tables import in_order

MANY = 0.1
"""The share of rows left out at which a warning begins."""


def left_out(datasets: pd.DataFrame) -> list[str]:
    """Name the data sets in which ``invalid=skip`` leaves out a tenth of the rows or more."""
    told = []
    for label in in_order(datasets["dataset"]):
        # Later rows count what filters leave.
        rows = datasets[datasets["dataset"] == label].drop_duplicates("metric").set_index("metric")["value"]
        invalid, kept = (float(rows.get(name, 0)) for name in ("invalid_rows", "ratings"))
        if invalid and invalid / (invalid + kept) >= MANY:
            told.append(
                f"Of {label}, {invalid:,.0f} rows are left out as invalid, and {kept:,.0f} ratings remain. Check how its file is "
                "declared: with invalid=error, the first such row is named."
            )
    return told
