"""Confidence intervals of effect sizes."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from recsens.report.components import confidence_of

POWER = 0.8
"""How often a detectable difference is found."""


def detectable(standard_errors: ArrayLike, alpha: float) -> NDArray[np.float64]:
    """Return the smallest difference found with probability .8: (z_{1-α/2} + z_.8) s(δ) / √n, by the normal distribution."""
    z = NormalDist().inv_cdf
    return (z(1 - alpha / 2) + z(POWER)) * np.asarray(standard_errors, dtype=np.float64)


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
