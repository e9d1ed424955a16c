"""Confidence intervals of effect sizes."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from recsens.report.components import confidence_of


def effect_intervals(rows: pd.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Divide the interval of each difference by the standard deviation that its effect size is divided by.

    That is difference / effect; where both are zero, the interval is that of a mean of n standard normal values.
    """
    difference, effect, users = (rows[name].to_numpy(dtype=np.float64) for name in ("difference", "effect", "users"))
    low, high = rows["low"].to_numpy(dtype=np.float64), rows["high"].to_numpy(dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.abs(difference / effect)
        is_known = np.isfinite(deviation) & (deviation > 0)
        levels = {test: NormalDist().inv_cdf((1 + confidence_of(test)) / 2) for test in rows["test"].unique()}
        half = rows["test"].map(levels).to_numpy(dtype=np.float64) / np.sqrt(users)
        open_ends = (effect == 0) & (low < high)
        ends = [
            np.where(is_known, end / deviation, np.where(open_ends, side * half, np.where(effect == 0, effect, np.nan)))
            for end, side in ((low, -1), (high, 1))
        ]
    return ends[0], ends[1]
