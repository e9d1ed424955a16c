"""Tests of systems' mean ranks over blocks, such as data sets: Friedman's, and Nemenyi's for pairs."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import stats

from recsens.arrays import Floats


class MeanRanks(NamedTuple):
    """The mean rank of each system over blocks, 1 the best, Friedman's statistic and p, and Nemenyi's critical difference."""

    ranks: Floats
    blocks: int
    statistic: float
    p_value: float
    critical: float


def mean_ranks(values: Floats, alpha: float) -> MeanRanks:
    """Rank k systems on each of J blocks, and test whether their mean ranks differ; in ``values``, shape (J, k), higher is better.

    Friedman's statistic is (k - 1) Σ_j (R_j - J (k + 1) / 2)² / Σ (r - (k + 1) / 2)² with the sums R_j of ranks r, where equal
    values share their mean rank; its p is that of χ² with k - 1 degrees of freedom. Two systems differ by Nemenyi's test if their
    mean ranks differ by at least q / √2 · √(k (k + 1) / (6 J)), with the 1 - ``alpha`` quantile q of the studentized range of k
    systems. Where all ranks are equal, the statistic is 0.

    Both are approximations for many blocks and systems (more than ten and five).

    Source: Demšar (2006), section 3.2.2.
    """
    n_blocks, k = values.shape
    ranks = stats.rankdata(-values, axis=1)
    centred = ranks - (k + 1) / 2
    spread = float((centred**2).sum())
    statistic = (k - 1) * float((centred.sum(axis=0) ** 2).sum()) / spread if spread else 0.0
    critical = stats.studentized_range.ppf(1 - alpha, k, math.inf) / math.sqrt(2) * math.sqrt(k * (k + 1) / (6 * n_blocks))
    return MeanRanks(np.mean(ranks, axis=0), n_blocks, statistic, float(stats.chi2.sf(statistic, k - 1)), float(critical))
