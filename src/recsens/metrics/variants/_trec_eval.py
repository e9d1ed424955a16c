"""Measures that only trec_eval has: counts, levels of recall, sets, graded gains, geometric means."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Annotated

import numpy as np
from pydantic import Field

from recsens.errors import DesignError
from recsens.metrics import WHOLE, Floats, Ints, Judged, Metric, at_every, share
from recsens.metrics.variants import _kernels
from recsens.metrics.variants._kernels import fill_maxima
from recsens.plugins import component
from recsens.plugins.specs import Spec


class _Count(Metric):
    """An integer for each user."""

    takes_cutoff = "never"
    is_descriptive = True
    is_monotone = True
    values_range = "[0, ∞)"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Repeat the count for every cut-off."""
        return at_every(cutoffs, self.count(judged).astype(np.float64))

    @abstractmethod
    def count(self, judged: Judged) -> Ints | Floats:
        """Return each user's count, shape (n_users,)."""


class Counted(_Count):
    """Counted = 1 for every user, so the sum is the number of users."""

    label = "Counted"
    source = "trec_eval's num_q"

    def count(self, judged: Judged) -> Ints:
        """Count the user as 1."""
        return np.ones(judged.n_users, dtype=np.int64)


class Shown(_Count):
    """Shown = |L|, the number of items in the list."""

    label = "Shown"
    source = "trec_eval's num_ret"

    def count(self, judged: Judged) -> Ints:
        """Count the listed items."""
        return judged.listed


class RelevantItems(_Count):
    """RelevantItems = |R_u|, listed or not."""

    label = "RelevantItems"
    source = "trec_eval's num_rel"

    def count(self, judged: Judged) -> Ints:
        """Count the relevant items."""
        return judged.n_relevant


class RelevantShown(_Count):
    """RelevantShown = |L ∩ R_u|."""

    label = "RelevantShown"
    source = "trec_eval's num_rel_ret"

    def count(self, judged: Judged) -> Floats:
        """Count hits."""
        return _n_hits(judged)


class MissesShown(_Count):
    """MissesShown = |L ∩ N_u|, where N_u are the judged items, rated 0 or above, that are not relevant."""

    label = "MissesShown"
    source = "trec_eval's num_nonrel_judged_ret"

    def count(self, judged: Judged) -> Floats:
        """Count the judged items in the list that are not hits. A rating below 0 means that the item is not judged."""
        is_miss = ~judged.is_relevant & (judged.rating >= 0)
        return judged.sums(is_miss.astype(np.float64), (WHOLE,))[:, 0]


class Utility(_Count):
    """Utility = |L ∩ R_u| - |L minus R_u|: a hit is worth 1, any other listed item costs 1. Range (-∞, ∞)."""

    label = "Utility"
    source = "trec_eval's utility, with its parameters 1, -1, 0, 0"
    is_descriptive = False
    values_range = "(-∞, ∞)"

    def count(self, judged: Judged) -> Floats:
        """Subtract misses from hits."""
        return 2 * _n_hits(judged) - judged.listed


def _n_hits(judged: Judged) -> Floats:
    return judged.hits((WHOLE,))[:, 0]


TENTHS = tuple(tenth / 10 for tenth in range(11))
"""Levels of recall of a precision-recall curve."""


def _n_to_reach(multiple: float, n_relevant: Ints) -> Ints:
    # Up to version 9, trec_eval rounds up fractions from .1 on; version 10 rounds to the nearest.
    return np.asarray(np.floor(multiple * n_relevant + 0.9), dtype=np.int64)


def _interpolated_precision(judged: Judged, levels: tuple[float, ...]) -> Floats:
    """Return each user's highest precision at or beyond each level of recall, shape (n_users, n_levels)."""
    hits = judged.order[judged.is_relevant[judged.order]]
    starts = np.searchsorted(judged.user[hits], np.arange(judged.n_users + 1))
    best = (judged.relevant_above[hits] + 1) / judged.position[hits]
    fill_maxima(best, starts)
    precision = np.zeros((judged.n_users, len(levels)))
    for column, level in enumerate(levels):
        # Recall 0 is reached before the first hit, so all hits count for the best precision.
        nth = np.maximum(_n_to_reach(level, judged.n_relevant), 1)
        reaches = nth <= np.diff(starts)
        precision[reaches, column] = best[(starts[:-1] + nth - 1)[reaches]]
    return precision


class InterpolatedPrecision(Metric):
    """iP(ρ) = max_{k: |L^k ∩ R_u| >= m} P@k with m = ⌊ρ |R_u| + 0.9⌋: the best precision at recall ρ or beyond.

    Range [0, 1]; 0 if the list does not reach the recall, if there are no relevant items, or if there is no list.
    """

    label = "InterpolatedP"
    is_monotone = True
    source = "trec_eval's iprec_at_recall, to version 9"
    takes_cutoff = "never"

    recall: float = Field(0.5, ge=0, le=1, description="share of the relevant items that must be reached")

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Find the best precision at or below the hit that reaches the recall."""
        return at_every(cutoffs, _interpolated_precision(judged, (self.recall,))[:, 0])


class ElevenPoints(Metric):
    """ElevenP = (1 / 11) Σ_{ρ = 0, .1, ..., 1} iP(ρ), interpolated precision averaged over eleven levels of recall.

    Range [0, 1]; 0 without relevant items or without a list.
    """

    label = "ElevenP"
    is_monotone = True
    source = "trec_eval's 11pt_avg, to version 9"
    takes_cutoff = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the interpolated precision over the levels of recall."""
        return at_every(cutoffs, _interpolated_precision(judged, TENTHS).mean(axis=1))


class PrecisionAtMultiple(Metric):
    """RprecMult(x) = |L^m ∩ R_u| / m with m = ⌊x |R_u| + 0.9⌋: precision at a multiple of the number of relevant items.

    ``x=1`` is Rprec. The divisor is m even if the list is shorter. Range [0, 1]; 0 without relevant items or without a list.
    """

    label = "RprecMult"
    is_monotone = True
    source = "trec_eval's Rprec_mult"
    takes_cutoff = "never"

    x: float = Field(1.0, gt=0, description="the multiple of the number of relevant items")

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count relevant items down to each user's depth."""
        depth = _n_to_reach(self.x, judged.n_relevant)
        reaches = depth[judged.user]
        hits = judged.sum_hits(lambda rows: (judged.position[rows] <= reaches[rows]).astype(np.float64), (WHOLE,) * len(cutoffs))
        return share(hits, depth[:, np.newaxis])


class SetAP(Metric):
    """SetAP = |L ∩ R_u|² / (|L| |R_u|), precision times recall of the whole list.

    Range [0, 1]; 0 without relevant items or without a list.
    """

    label = "SetAP"
    is_monotone = True
    source = "trec_eval's set_map"
    takes_cutoff = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the squared number of hits by the product of the numbers of shown and relevant items."""
        return share(judged.hits((WHOLE,) * len(cutoffs)) ** 2, (judged.listed * judged.n_relevant)[:, np.newaxis])


class SetRelativePrecision(Metric):
    """SetRelP = |L ∩ R_u| / min(|L|, |R_u|): precision as a share of the best value for a list of this length.

    Range [0, 1]; 0 without relevant items or without a list.
    """

    label = "SetRelP"
    is_monotone = True
    source = "trec_eval's set_relative_P"
    takes_cutoff = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the hits by the number of possible hits."""
        return share(judged.hits((WHOLE,) * len(cutoffs)), np.minimum(judged.listed, judged.n_relevant)[:, np.newaxis])


def _compute_by_grades(kernel: Callable[..., None], judged: Judged, *more: Ints) -> Floats:
    """Compute users' values by a kernel that reads the grade of each judged item, shape (n_users,).

    The grade is the rating, or 1 without ratings; a rating below 0 means that the item is not judged.
    """
    grades, values = np.maximum(np.nan_to_num(judged.rating, nan=1.0), 0.0), np.empty(judged.n_users)
    kernel(grades, judged.order, judged.order_starts, judged.position, judged.starts, *more, values)
    return values


class BinaryG(Metric):
    """BinG = (1 / |R_u|) Σ_{hits} 1 / log2(2 + m): each hit is discounted by the number m of misses above it.

    Range [0, 1]; 0 without relevant items or without a list.
    """

    label = "BinG"
    is_monotone = True
    source = "trec_eval's binG"
    takes_cutoff = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Discount each hit by the number of misses above."""
        hits = judged.sum_hits(lambda rows: 1 / np.log2(2.0 + judged.others_above[rows]), (WHOLE,) * len(cutoffs))
        return share(hits, judged.n_relevant[:, np.newaxis])


class GradedG(Metric):
    """GradedG = Σ_k g(k) / log2(2 + C(k) - G(k)) / Σ g: each gain is discounted by the gain missed above it.

    G(k) is the sum of the gains g of the first k items; C(k) is the sum of the k highest gains of all judged items, where each gain
    counts as at least 1. The gain is the rating, relevant or not. Range [0, 1]; 0 if no listed item has a gain, or if there is no
    list.
    """

    label = "GradedG"
    source = "trec_eval's G"
    takes_cutoff = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Discount each gain by the gain missed above it, user by user."""
        return at_every(cutoffs, _compute_by_grades(_kernels.graded_g, judged))


class NDCGAtHits(Metric):
    """nDCGAtHits = (1 / n) Σ_{k: g(k) > 0} DCG@k / IDCG@k over the n judged items with a gain; unlisted items come last.

    The gain g is the rating, relevant or not. The discount is that of nDCG, 1 / log2(k + 1). Range [0, 1]; 0 if no listed item has
    a gain, or if there is no list.
    """

    label = "nDCGAtHits"
    source = "trec_eval's ndcg_rel"
    takes_cutoff = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average over the positions with a gain, user by user."""
        return at_every(cutoffs, _compute_by_grades(_kernels.fill_ndcg_at_hits, judged))


class NDCGAtLevels(Metric):
    """nDCGAtLevels = the mean of DCG@n_l / IDCG@n_l over grades l; n_l judged items have grade l or a higher grade.

    If the list has two or more items below the last of these depths, the DCG / IDCG of the whole list is included in the mean. The
    gain is the rating, relevant or not; grades without a gain do not count. Range [0, 1]; 0 without relevant items or without a
    list.
    """

    label = "nDCGAtLevels"
    is_monotone = True
    source = "trec_eval's Rndcg"
    takes_cutoff = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average over the depths at which the ideal gain decreases, user by user."""
        means = _compute_by_grades(_kernels.fill_ndcg_at_levels, judged, judged.listed)
        return at_every(cutoffs, np.where(judged.n_relevant > 0, means, 0.0))


class GeometricMean(Metric):
    """GM = exp((1 / |U|) Σ_u ln max(m_u, floor)) of the values m_u of another metric.

    Small values weigh more than in a mean. Values below the floor are raised to it, so a single 0 does not make the result 0. There
    is one value for all users; it is NaN without users. The range is that of the metric, but starts at the floor. The aggregate
    ``geometric`` adds a small number to each value instead.
    """

    label = "GeometricMean"
    source = "trec_eval's gm_map and gm_bpref"
    unit = "pooled"
    takes_cutoff = "optionally"

    of: Annotated[Spec, *component("metric")] = Field(Spec("AP"), description="the metric, with one value per user")
    floor: float = Field(1e-5, gt=0, description="values below this are raised to it")

    @property
    def has_range_by_ties(self) -> bool:
        """Whether the averaged metric has a range by ties."""
        return Metric.build(self.of).has_range_by_ties

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average logarithms.

        Raises DesignError if the metric is pooled, or reads more than positions.
        """
        metric = Metric.build(self.of)
        if metric.unit != "user" or metric.reads != "positions":
            raise DesignError(
                f"'{self.of}' has no geometric mean", allowed="metrics of positions with one value per user, such as AP"
            )
        logarithms = np.log(np.maximum(metric.measure(judged, cutoffs), self.floor))
        if judged.n_users == 0:
            return np.full((1, len(cutoffs)), np.nan)
        return np.asarray(np.exp(logarithms.mean(axis=0, keepdims=True)))
