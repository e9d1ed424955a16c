"""Rank-biased overlap with the ideal order."""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, Metric, capped
from recsens.metrics._kernels import overlap_sums
from recsens.metrics._preferences import UNDEFINED_MEANING, Undefined, every_cutoff, ideal_ranks, ratio


class RBO(Metric):
    """RBO = (1 - φ) Σ_{d<=N} φ^(d-1) X_d / d for a user's N ranked test items in the order of the ranking and by rating.

    X_d items are among the first d of both orders; ties in rating are broken as in the ranking. ``form=truncated`` is the value of
    this formula, at most 1 - φ^N; ``normalised`` divides it by 1 - φ^N; ``extrapolated`` adds φ^N X_N / N, which is φ^N, as if both
    orders agreed on all further items. The value is the same for full and condensed rankings, and does not depend on relevance.
    Range [0, 1]. If N = 1, or if all ratings are equal, RBO always has its maximum and is uninformative. A user without a list
    scores 0 (``undefined=neutral``) or is not averaged (``skip``).
    """

    label = "RBO"
    is_monotone = True
    source = "Webber, Moffat & Zobel (2010); Cañamares, Castells & Moffat (2020), section 3.7"
    compares_judged = True
    takes_cutoff = "never"
    ignores = frozenset({"relevance", "view"})

    phi: float = Field(0.8, gt=0, lt=1, description="probability of going on to the next pair of items")
    form: Literal["extrapolated", "truncated", "normalised"] = Field(
        "extrapolated",
        description="sum to the last item (truncated), divided by its limit (normalised), or as if the rest agreed (extrapolated)",
    )
    undefined: Undefined = Field("neutral", description=UNDEFINED_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum each user's overlaps."""
        sums = np.empty(judged.n_users)
        overlap_sums(ideal_ranks(judged), judged.order_starts, self.phi, sums)
        tail = np.power(self.phi, np.diff(judged.order_starts))
        overlap = capped((1 - self.phi) * sums, 1 - tail)
        if self.form == "normalised":
            overlap = ratio(overlap, 1 - tail)
        elif self.form == "extrapolated":
            overlap = overlap + tail
        return every_cutoff(np.where(tail < 1, overlap, np.nan), cutoffs, self.undefined, 0)
