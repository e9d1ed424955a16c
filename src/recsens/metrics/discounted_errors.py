"""Squared errors of predicted ratings, discounted by rank.

DCSE: Discounted cumulative squared error.
SDCSE: Standardised discounted cumulative squared error.
"""

from typing import Literal

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Ints, Judged, PredictionMetric, capped_share, share
from recsens.metrics._kernels import fill_retrieved_ideal_sums
from recsens.metrics._predictions import errors_at, predicted_order


def _discounts(n: int) -> Floats:
    """Return 1 / log2(k + 1) for the ranks k = 1, 2, ..., n."""
    return np.asarray(1.0 / np.log2(np.arange(1, n + 1) + 1.0))


def _sum_errors(judged: Judged, rows: Ints, rank: Ints, cutoffs: tuple[int, ...], largest: float = 1.0) -> Floats:
    """Sum the squared errors down to each cut-off, each divided by ``largest`` and discounted, shape (n_users, n_cutoffs).

    ``rank`` is the rank of each row among its user's predictions, counted from 0.
    """
    user = judged.user[rows]
    terms = errors_at(judged, rows) ** 2 / largest * _discounts(int(rank.max(initial=-1)) + 1)[rank]
    sums = [np.bincount(user[rank < n], weights=terms[rank < n], minlength=judged.n_users) for n in cutoffs]
    # If there are no rows, bincount returns integers.
    return np.stack(sums, axis=1).astype(np.float64)


class DCSE(PredictionMetric):
    """DCSE@n = Σ_{k<=n} (r_k - r̂_k)² / log2(k + 1) over the user's test items by predicted rating.

    The value is the same for full and condensed rankings. Ties between predictions are broken as in the ranking. The paper does not
    say how to break ties, although this changes the value. Users without a predicted rating are left out of the average. Range [0,
    ∞).
    """

    label = "DCSE"
    source = "Aftab & Ramampiaro (2022), eq. 11"
    higher_is_better = False
    takes_cutoff = "optionally"
    values_range = "[0, ∞)"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Sum discounted squared errors."""
        rows, rank = predicted_order(judged, self.rows(judged))
        is_predicted = np.bincount(judged.user[rows], minlength=judged.n_users) > 0
        return np.where(is_predicted[:, np.newaxis], _sum_errors(judged, rows, rank, cutoffs), np.nan)


class SDCSE(PredictionMetric):
    """SDCSE@n = DCSE@n / W@n, an error: 0 is best, and 1 is the worst order of the errors.

    With ``norm=worst``, W is the DCSE of the same first n items, ordered by error, largest first; items below n do not matter. The
    size of the errors cancels out: SDCSE is 1 if all errors are .1, if all errors are 2, or if only one prediction is wrong.
    Therefore report `DCSE` too, or use ``norm=max``, where W is the DCSE if the error of each of the first n items were the width
    of the scale. Items, views and ties are treated as in `DCSE`. The value is 0 if the first n items are all predicted exactly;
    users without a predicted rating are left out of the average. Range [0, 1], with ``norm=max`` for predictions on the scale. Of
    the four examples that the paper prints, the second and the third are 1 - SDCSE (called accuracy there), cut to two decimals.
    The paper's equations give neither the first nor the fourth.
    """

    label = "SDCSE"
    source = "Aftab & Ramampiaro (2022), eqs. 10 to 14"
    higher_is_better = False
    takes_cutoff = "optionally"

    norm: Literal["worst", "max"] = Field(
        "worst", description="divide by the worst order of the first n items' errors (worst), or by the largest errors (max)"
    )

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Divide the sum of discounted squared errors by W."""
        rows, rank = predicted_order(judged, self.rows(judged))
        n_predicted = np.bincount(judged.user[rows], minlength=judged.n_users)
        discounts = _discounts(int(n_predicted.max(initial=0)))
        if self.norm == "max":
            width = judged.scale.highest - judged.scale.lowest
            most = np.concatenate([[0.0], np.cumsum(discounts)])[np.minimum(n_predicted[:, np.newaxis], np.asarray(cutoffs))]
            # Divide before summing: an error as wide as the scale is then 1, and the ratio never exceeds 1.
            return share(_sum_errors(judged, rows, rank, cutoffs, width * width), most, np.nan)
        worst, starts = np.empty((judged.n_users, len(cutoffs))), np.concatenate([[0], np.cumsum(n_predicted)])
        fill_retrieved_ideal_sums(errors_at(judged, rows) ** 2, rank + 1, starts, discounts, np.asarray(cutoffs), worst)
        shares = capped_share(_sum_errors(judged, rows, rank, cutoffs), worst)
        return np.where(n_predicted[:, np.newaxis] > 0, shares, np.nan)
