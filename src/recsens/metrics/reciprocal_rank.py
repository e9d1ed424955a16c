"""Metrics that count a relevant item by its position or the inverse of its position.

RR: Reciprocal rank.
ARHR: Average reciprocal hit rank.
ERR: Expected reciprocal rank.
ARC: Average rank of correct recommendation.
"""

import numpy as np
from pydantic import Field

from recsens.metrics import ByPlace, Floats, Judged, Metric, share
from recsens.metrics._gains import UNIT_GAIN_MEANING, GainMetric, UnitGain, gains, highest_gain
from recsens.metrics._kernels import fill_reached


class RR(Metric):
    """RR@n = 1 / k, where k <= n is the position of the first relevant item.

    Range [0, 1]; 0 if none of the first n items is relevant. The mean of RR over users is MRR. Without a cut-off, RR reads the
    whole ranking, like trec_eval's ``recip_rank``.
    """

    label = "RR"
    is_monotone = True
    source = "Valcarce et al. (2018), eq. 5"
    takes_cutoff = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Return the inverse position of each user's first relevant item."""
        return judged.sum_hits(lambda rows: (judged.relevant_above[rows] == 0) / judged.position[rows], cutoffs)

    def by_place(self, judged: Judged, cutoff: int) -> ByPlace:
        """Stop at the first relevant item."""
        return ByPlace.of_hits("stop", 1.0 / np.arange(1, cutoff + 1), judged)


class ARHR(Metric):
    """ARHR@n = Σ_{hits k <= n} 1 / k: each relevant item among the first n counts as the inverse of its position.

    For a user with one relevant item, ARHR equals RR. Several hits may add up to more than 1. Range [0, H_n] with H_n =
    1 + 1/2 + ... + 1/n; 0 without relevant items or without a list.
    """

    label = "ARHR"
    is_monotone = True
    source = "Deshpande & Karypis (2004)"
    values_range = "[0, H_n]"
    takes_cutoff = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the inverse positions of relevant items."""
        return judged.sum_hits(lambda rows: 1.0 / judged.position[rows], cutoffs)

    def by_place(self, judged: Judged, cutoff: int) -> ByPlace:
        """Weigh each place by its inverse."""
        return ByPlace.of_hits("sum", 1.0 / np.arange(1, cutoff + 1), judged)


class ERR(GainMetric):
    """ERR@n = Σ_{k<=n} (1/k) g(k) Π_{i<k} (1 - g(i)): the expected 1/k for a user who stops at position k with probability g(k).

    Unjudged items gain 0, so users do not stop there. Range [0, 1]; the gain ``chapelle`` never reaches 1. ERR is 0 if no item has
    a gain, or if there is no list. Without a cut-off, ERR reads the whole ranking.
    """

    label = "ERR"
    is_monotone = True
    source = "Chapelle et al. (2009)"
    takes_cutoff = "optionally"

    gain: UnitGain = Field("chapelle", description=UNIT_GAIN_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Weight each gain by the probability of reaching its position."""
        stops = gains(judged, self.gain)
        reached = np.empty(len(judged.order))
        fill_reached(stops[judged.order], judged.order_starts, reached)
        chances = np.zeros(len(stops))
        chances[judged.order] = stops[judged.order] * reached
        return judged.sums(chances, cutoffs, lambda position: 1.0 / position)

    def by_place(self, judged: Judged, cutoff: int) -> ByPlace:
        """Stop at each item with the probability that it gains."""
        weight, gain = 1.0 / np.arange(1, cutoff + 1), gains(judged, self.gain)
        return ByPlace("stop", weight, gain, highest_gain(judged, self.gain), np.ones(judged.n_users))


class ARC(Metric):
    """ARC@n = (1 / |L^n ∩ R_u|) Σ_{hits k <= n} k: the mean position of the relevant items among the first n.

    Relevant items that are not among the first n do not count, and a user without any among the first n is not averaged (NaN). A
    system that finds fewer of them may therefore have the lower mean, so ARC only describes rankings. Range [1, n]. Without a
    cut-off, ARC reads the whole ranking. For a user with a single relevant item, ARC is 1 / RR.
    """

    label = "ARC"
    source = "Burke (2004), as named in Bellogín (2012), section 3.2.2"
    higher_is_better = False
    is_descriptive = True
    values_range = "[1, ∞)"
    takes_cutoff = "optionally"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Average the positions of relevant items."""
        return share(judged.sum_hits(lambda rows: judged.position[rows].astype(np.float64), cutoffs), judged.hits(cutoffs), np.nan)
