"""Correlations between two orders of a user's test items: by rank and by rating.

KendallTau: Kendall's rank correlation.
TauAP: Average precision correlation.
Spearman: Spearman's rank correlation.
NDPM: Normalised distance-based performance measure.
RBO: Rank-biased overlap with the ideal order.
"""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, Metric, capped, share
from recsens.metrics._kernels import count_pairs, fill_agreements, fill_overlap_sums, fill_rank_correlations, invert_ranks
from recsens.metrics._preferences import (
    TIES_MEANING,
    UNDEFINED_MEANING,
    Ties,
    Undefined,
    every_cutoff,
    ideal_ranks,
    levels,
    worth_of,
)


class OrderMetric(Metric):
    """A comparison of the order of a user's test items in the ranking with their order by rating."""

    is_monotone = True
    compares_judged = True
    takes_cutoff = "never"
    ignores = frozenset({"relevance", "view"})


class KendallTau(OrderMetric):
    """τ_a = (C - D) / (N (N - 1) / 2), τ_b = (C - D) / sqrt((C + D + T_L) (C + D + T_r)), over a user's N ranked test items.

    C pairs are in the order of their ratings, and D in the opposite order; T_L pairs are tied only in the ranking, and T_r only in
    rating. The value is the same for full and condensed rankings, and does not depend on relevance. Range [-1, 1]; τ_a cannot reach
    -1 or 1 if ratings are tied. A user without two items (for τ_b, without two different ratings) scores 0 (``undefined=neutral``)
    or is not averaged (``skip``).
    """

    label = "KendallTau"
    source = "Kendall (1938, 1945)"
    values_range = "[-1, 1]"

    variant: Literal["a", "b"] = Field("b", description="whether tied pairs count against the correlation (a) or are excluded (b)")
    ties: Ties = Field("broken", description=TIES_MEANING)
    undefined: Undefined = Field("neutral", description=UNDEFINED_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count each user's concordant, discordant and tied pairs."""
        counts = np.empty((judged.n_users, 4))
        count_pairs(worth_of(judged), levels(judged, self.ties), judged.order_starts, counts)
        agree, against, same_rating, same_level = counts.T
        n = np.diff(judged.order_starts)
        if self.variant == "a":
            pairs = n * (n - 1) / 2
        else:
            pairs = np.sqrt((agree + against + same_rating) * (agree + against + same_level))
        return every_cutoff(share(agree - against, pairs, np.nan), cutoffs, self.undefined, 0)


class TauAP(OrderMetric):
    """τ_AP = (2 / (N - 1)) Σ_{i=2..N} C(i) / (i - 1) - 1 for a user's N ranked test items: Kendall's τ with weight on the top.

    C(i) is the number of items above rank i that also have a higher place by rating than the item at rank i. Ties in rating are
    broken as in the ranking, so τ_AP is 1 if all ratings are equal. ``symmetric`` takes the mean of this value and of the value
    with ranking and ratings exchanged. The value is the same for full and condensed rankings, and does not depend on relevance.
    Range [-1, 1]. A user without two items scores 0 (``undefined=neutral``) or is not averaged (``skip``).
    """

    label = "TauAP"
    source = "Yilmaz, Aslam & Robertson (2008)"
    values_range = "[-1, 1]"

    symmetric: bool = Field(default=False, description="whether to take the mean over both roles")
    undefined: Undefined = Field("neutral", description=UNDEFINED_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average over ranks the share of items above that are also above by rating."""
        ranks, starts = ideal_ranks(judged), judged.order_starts
        means = np.empty(judged.n_users)
        fill_agreements(ranks, starts, means)
        if self.symmetric:
            inverse, swapped = np.empty_like(ranks), np.empty_like(means)
            invert_ranks(ranks, starts, inverse)
            fill_agreements(inverse, starts, swapped)
            means = (means + swapped) / 2
        return every_cutoff(2 * means - 1, cutoffs, self.undefined, 0)


class Spearman(OrderMetric):
    """ρ = the correlation between two ranks of a user's test items: in the ranking and by rating. Ties share their mean rank.

    The value is the same for full and condensed rankings, and does not depend on relevance. Range [-1, 1]. A user without two
    different ratings, or without a list, scores 0 (``undefined=neutral``) or is not averaged (``skip``).
    """

    label = "Spearman"
    source = "Spearman (1904); Kendall (1945) for ties"
    values_range = "[-1, 1]"

    ties: Ties = Field("broken", description=TIES_MEANING)
    undefined: Undefined = Field("neutral", description=UNDEFINED_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Correlate mid-ranks."""
        correlations = np.empty(judged.n_users)
        fill_rank_correlations(worth_of(judged), levels(judged, self.ties), judged.order_starts, correlations)
        return every_cutoff(correlations, cutoffs, self.undefined, 0)


class NDPM(OrderMetric):
    """NDPM = (2 C⁻ + C^u) / (2 C_i): the share of pairs of ranked test items with different ratings that are out of order.

    There are C_i pairs with different ratings; C⁻ of them are ranked in the opposite order, and C^u are tied in the ranking. 0 is
    best, and 1 is worst. The value is the same for full and condensed rankings, and does not depend on relevance. A user without
    two different ratings, or without a list, scores 1/2 (``undefined=neutral``) or is not averaged (``skip``).
    """

    label = "NDPM"
    source = "Yao (1995)"
    higher_is_better = False

    ties: Ties = Field("broken", description=TIES_MEANING)
    undefined: Undefined = Field("neutral", description=UNDEFINED_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count the pairs in the wrong order, and half of the tied pairs."""
        counts = np.empty((judged.n_users, 4))
        count_pairs(worth_of(judged), levels(judged, self.ties), judged.order_starts, counts)
        agree, against, _, tied = counts.T
        return every_cutoff(share(against + tied / 2, agree + against + tied, np.nan), cutoffs, self.undefined, 0.5)


class RBO(OrderMetric):
    """RBO = (1 - φ) Σ_{d<=N} φ^(d-1) X_d / d for a user's N ranked test items in the order of the ranking and by rating.

    X_d items are among the first d of both orders; ties in rating are broken as in the ranking. ``form=truncated`` is the value of
    this formula, at most 1 - φ^N; ``normalised`` divides it by 1 - φ^N; ``extrapolated`` adds φ^N X_N / N, which is φ^N, as if both
    orders agreed on all further items. The value is the same for full and condensed rankings, and does not depend on relevance.
    Range [0, 1]. If N = 1, or if all ratings are equal, RBO always has its maximum and is uninformative. A user without a list
    scores 0 (``undefined=neutral``) or is not averaged (``skip``).
    """

    label = "RBO"
    source = "Webber, Moffat & Zobel (2010); Cañamares, Castells & Moffat (2020), section 3.7"

    phi: float = Field(0.8, gt=0, lt=1, description="probability of going on to the next pair of items")
    form: Literal["extrapolated", "truncated", "normalised"] = Field(
        "extrapolated",
        description="sum to the last item (truncated), divided by its limit (normalised), or as if the rest agreed (extrapolated)",
    )
    undefined: Undefined = Field("neutral", description=UNDEFINED_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum each user's overlaps."""
        sums = np.empty(judged.n_users)
        fill_overlap_sums(ideal_ranks(judged), judged.order_starts, self.phi, sums)
        tail = np.power(self.phi, np.diff(judged.order_starts))
        overlap = capped((1 - self.phi) * sums, 1 - tail)
        if self.form == "normalised":
            overlap = share(overlap, 1 - tail, np.nan)
        elif self.form == "extrapolated":
            overlap = overlap + tail
        return every_cutoff(np.where(tail < 1, overlap, np.nan), cutoffs, self.undefined, 0)
