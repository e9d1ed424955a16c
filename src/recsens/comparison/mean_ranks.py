"""Systems over blocks, such as data sets: tests of mean ranks by Friedman and Nemenyi, and strengths by Bradley and Terry."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import optimize, special, stats
from scipy.sparse import csgraph

from recsens.arrays import Floats


class MeanRanks(NamedTuple):
    """The mean rank of each system over blocks, 1 the best, Friedman's p, Nemenyi's critical difference, and strengths."""

    ranks: Floats
    blocks: int
    statistic: float
    p_value: float
    critical: float
    strengths: Floats


def mean_ranks(values: Floats, alpha: float) -> MeanRanks:
    """Rank k systems on each of J blocks, and test whether their mean ranks differ; in ``values``, shape (J, k), higher is better.

    Friedman's statistic is (k - 1) Σ_j (R_j - J (k + 1) / 2)² / Σ (r - (k + 1) / 2)² with the sums R_j of ranks r, where equal
    values share their mean rank; its p is that of χ² with k - 1 degrees of freedom. Two systems differ by Nemenyi's test if their
    mean ranks differ by at least q / √2 · √(k (k + 1) / (6 J)), with the 1 - ``alpha`` quantile q of the studentized range of k
    systems. Where all ranks are equal, the statistic is 0. Strengths are those of `bradley_terry`; on a block, a system wins
    against all with lower values, and half against those with the same.

    Both are approximations for many blocks and systems (more than ten and five).

    Source: Demšar (2006), section 3.2.2.
    """
    n_blocks, k = values.shape
    ranks = stats.rankdata(-values, axis=1)
    centred = ranks - (k + 1) / 2
    spread = float((centred**2).sum())
    statistic = (k - 1) * float((centred.sum(axis=0) ** 2).sum()) / spread if spread else 0.0
    critical = stats.studentized_range.ppf(1 - alpha, k, math.inf) / math.sqrt(2) * math.sqrt(k * (k + 1) / (6 * n_blocks))
    strengths = bradley_terry((1 + np.sign(values[:, :, np.newaxis] - values[:, np.newaxis])).sum(axis=0) / 2)
    p_value = float(stats.chi2.sf(statistic, k - 1))
    return MeanRanks(np.mean(ranks, axis=0), n_blocks, statistic, p_value, float(critical), strengths)


def bradley_terry(wins: Floats) -> Floats:
    """Return the strengths λ for which system i wins against j with probability 1 / (1 + e^(λ_j - λ_i)), by maximum likelihood.

    Their mean is 0. They are finite only if, however the systems are divided in two, some system of each part has won against one
    of the other (Ford 1957). Otherwise, those of the largest part for which this holds, the strongest of several, have the mean
    0, and all others are infinite. ``wins``, shape (k, k), has the wins of each system against each, all pairs compared.

    Source: Bradley & Terry (1952); Ford (1957).
    """
    wins = np.where(np.eye(len(wins)), 0.0, wins)
    _, part = csgraph.connected_components(wins > 0, connection="strong")
    inside = part == part[np.lexsort((-wins.sum(axis=1), -np.bincount(part)[part]))[0]]
    own = wins[np.ix_(inside, inside)]

    def loss(strengths: Floats) -> tuple[float, Floats]:
        gaps = strengths[:, np.newaxis] - strengths
        missed = own * special.expit(-gaps)
        return float(-(own * special.log_expit(gaps)).sum()), missed.sum(axis=0) - missed.sum(axis=1)

    found = optimize.minimize(loss, np.zeros(len(own)), jac=True, method="BFGS", options={"gtol": 1e-9}).x
    strengths = np.where(wins[:, inside].any(axis=1), np.inf, -np.inf)
    strengths[inside] = found - found.mean()
    return strengths
