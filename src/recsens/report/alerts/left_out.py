"""Data sets in which many rows were left out as invalid."""

import pandas as pd

from recsens.conclusions.verdicts.study_tables import in_order

MANY = 0.1
"""Warn if at least this share of the rows is left out."""


def left_out(datasets: pd.DataFrame) -> list[str]:
    """Name the data sets in which ``invalid=skip`` leaves out at least a tenth of the rows."""
    told = []
    for label in in_order(datasets["dataset"]):
        # Later rows are about the data after each filter.
        rows = datasets[datasets["dataset"] == label].drop_duplicates("metric").set_index("metric")["value"]
        invalid, kept = (float(rows.get(name, 0)) for name in ("invalid_rows", "ratings"))
        if invalid and invalid / (invalid + kept) >= MANY:
            told.append(
                f"In {label}, {invalid:,.0f} invalid rows are left out, and {kept:,.0f} ratings remain. Check the columns that the "
                "study declares for this file; the option invalid=error reports the first invalid row."
            )
    return told
