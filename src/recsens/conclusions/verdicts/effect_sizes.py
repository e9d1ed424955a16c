"""Confidence intervals of effect sizes, and the smallest difference that a study would detect."""

from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from recsens.comparison.significance import first_step
from recsens.conclusions.verdicts.components import compares_means, confidence_of
from recsens.study.taxonomy import FULL_COLUMNS

POWER = 0.8
"""Power: the probability with which a test detects a detectable difference."""


def detectable(rows: pd.DataFrame, alpha: float) -> NDArray[np.float64]:
    """Return the smallest true difference that the study's rule would call a win with probability .8.

    A win needs p < α after the correction. The strictest step of a correction is the first: α / k for k pairs of systems. With a
    margin m, the whole interval of level 1 - α must also lie beyond m; the correction does not widen this interval. Let SE = s(δ) /
    √n, and let f(α) be the number of standard errors that `_found` returns. Then the difference is max(f(α / k) SE, m + f(α) SE). A
    margin that is a share is a share of the better measured value.

    The result is NaN if the standard error is unknown. It is also NaN if p or the aggregate is not about a mean, because the power
    of such a test depends on more than the standard error.

    Parameters
    ----------
    rows
        Comparisons with their ``margin``: all pairs of each design and metric, because the correction covers all these pairs.
    alpha
        The study's significance level.
    """
    errors, margins, users = (rows[name].to_numpy(dtype=np.float64) for name in ("standard_error", "margin", "users"))
    n_pairs = rows.groupby(["dataset", "metric_full", *FULL_COLUMNS])["p_value"].transform("count").to_numpy(dtype=np.int64)
    strictest = first_step(alpha, n_pairs, rows["correction"].to_numpy() != "none")
    by_p, by_interval = _found(strictest, users) * errors, margins + _found(np.full(len(rows), alpha), users) * errors
    of_means = [compares_means(*chosen) for chosen in zip(rows["aggregate_full"], rows["test_full"], strict=True)]
    return np.where(of_means, np.maximum(by_p, by_interval), np.nan)


def _found(levels: NDArray[np.float64], users: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the difference, in standard errors, that a t-test at these levels detects with probability .8.

    With c = t_{1-α/2} of ν = n - 1 degrees of freedom, the difference is c (1 - 1 / 4ν) + z_.8 √(1 + c² / 2ν), by the normal
    approximation of the noncentral t. With five or more users, the power at this difference is within 1 point of .8.

    References
    ----------
    Johnson & Welch (1940), Applications of the non-central t-distribution; Abramowitz & Stegun (1964), 26.7.10.
    """
    freedom = np.where(users >= 2, users - 1, np.nan)
    critical = np.asarray(special.stdtrit(freedom, 1 - levels / 2), dtype=np.float64)
    spread = np.sqrt(1 + critical**2 / (2 * freedom))
    return np.asarray(critical * (1 - 1 / (4 * freedom)) + NormalDist().inv_cdf(POWER) * spread)


def effect_intervals(rows: pd.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Divide the interval of each difference by the standard deviation with which the effect size was computed.

    This deviation is difference / effect. If both are zero, the interval is that of a mean of n standard normal values.
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
