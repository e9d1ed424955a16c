"""Predicted ratings outside the scale."""

import pandas as pd

from recsens.conclusions.verdicts.study_tables import in_order
from recsens.tables.numbers import SPACE, count, percentage, score


def outside_the_scale(predictions: pd.DataFrame, dataset: str) -> str:
    """Name the systems with predictions outside the scale of a data set or experiment, over all folds; empty if there are none."""
    rows = predictions[predictions["dataset"] == dataset]
    sentences = [
        _share_outside(system, own)
        for system in in_order(rows["system"])
        if (own := rows[rows["system"] == system])["outside"].any()
    ]
    if not sentences:
        return ""
    scale = f"{rows['scale_lowest'].iloc[0]:g} to {rows['scale_highest'].iloc[0]:g}"
    return (
        f"Some predictions are outside the scale of {scale}: {'; '.join(sentences)}. Metrics of error use these predictions "
        "unchanged."
    )


def _share_outside(system: str, rows: pd.DataFrame) -> str:
    n, outside = rows["predictions"].sum(), rows["outside"].sum()
    share = percentage(outside / n) if outside / n >= 0.001 else f"under 0.1{SPACE}%"
    ends = f"lowest {score(rows['lowest'].min())}, highest {score(rows['highest'].max())}"
    return f"{share} of the {count(n)} predictions of {system} ({ends})"
