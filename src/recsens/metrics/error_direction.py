"""Predictions that are too high, too low, or about right.

UpSell: Up-selling: items predicted higher than they are rated.
DownSell: Down-selling: items predicted lower than they are rated.
PerfectSell: Perfect selling: items predicted as they are rated.
PracticalAccuracy: Practical accuracy: the share of correct predictions among all test ratings.
"""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Judged, PredictionMetric, at_every, share
from recsens.metrics._predictions import errors_at, predicted_order

TOLERANCE_MEANING = "λ: how many rating points a prediction may be off"
"""Meaning of the parameter ``tolerance`` of UpSell, DownSell and PerfectSell, in one line."""

ROUNDING = 1e-12
"""An error that exceeds λ only by rounding counts as not above λ: in floating point, 3.1 - 3 exceeds .1."""


class _Selling(PredictionMetric):
    """The share of each user's n highest predictions that err in one direction, shape (n_users, n_cutoffs)."""

    direction: ClassVar[Literal[-1, 0, 1]]
    """-1: the prediction is too low. 0: the prediction is within the tolerance. 1: the prediction is too high."""

    tolerance: float = Field(0.5, ge=0, description=TOLERANCE_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count the predictions that err in this direction.

        If a user has fewer than n predictions, the share is that of all of them; if a user has none, it is NaN.
        """
        rows, rank = predicted_order(judged, self.rows(judged))
        error, within = errors_at(judged, rows), self.tolerance + ROUNDING
        is_sold_so = np.where(error > within, 1, np.where(error < -within, -1, 0)) == self.direction
        user = judged.user[rows]
        counts = np.stack([np.bincount(user[is_sold_so & (rank < n)], minlength=judged.n_users) for n in cutoffs], axis=1)
        shown = np.minimum(np.bincount(user, minlength=judged.n_users)[:, np.newaxis], np.asarray(cutoffs))
        return share(counts, shown, np.nan)


class UpSell(_Selling):
    """US@n = (1/m) Σ_{k<=m} 1[r̂_k > r_k + λ], the share of items predicted higher than they are rated.

    The metric reads the user's first n test items by predicted rating, in both full and condensed rankings; m is n, or the number
    of predicted items if that is lower. With the same λ, the shares of up-sold, down-sold and perfectly sold items add up to 1.
    Users without a predicted rating are left out of the average. Range [0, 1]. The paper omits the factor 1/m, without which the
    range would not be [0, 1].
    """

    label = "UpSell"
    source = "Aftab & Ramampiaro (2022), eq. 16 and 19"
    higher_is_better = False
    direction = 1


class DownSell(_Selling):
    """DS@n = (1/m) Σ_{k<=m} 1[r̂_k < r_k - λ], the share of items predicted lower than they are rated.

    The metric reads the user's first n test items by predicted rating, in both full and condensed rankings; m is n, or the number
    of predicted items if that is lower. With the same λ, the shares of up-sold, down-sold and perfectly sold items add up to 1.
    Users without a predicted rating are left out of the average. Range [0, 1]. The paper prints r_k + λ in place of r_k - λ,
    although no item could then be perfectly sold; it also omits the factor 1/m.
    """

    label = "DownSell"
    source = "Aftab & Ramampiaro (2022), eq. 17 and 20"
    higher_is_better = False
    direction = -1


class PerfectSell(_Selling):
    """PS@n = (1/m) Σ_{k<=m} 1[|r̂_k - r_k| <= λ], the share of items predicted as they are rated.

    The metric reads the user's first n test items by predicted rating, in both full and condensed rankings; m is n, or the number
    of predicted items if that is lower. With the same λ, the shares of up-sold, down-sold and perfectly sold items add up to 1.
    Users without a predicted rating are left out of the average. Range [0, 1].
    """

    label = "PerfectSell"
    source = "Aftab & Ramampiaro (2022), eq. 18"
    direction = 0


class PracticalAccuracy(PredictionMetric):
    """PA = |{i in R_test(u): r̂_ui is known and |r̂_ui - r_ui| <= λ}| / |R_test(u)|; the divisor counts all test ratings of a user.

    PA is coverage times accuracy: the share of test ratings that are predicted, times the share of predictions that are correct.
    Only correct predictions increase PA, whereas any prediction increases coverage. The value is the same for full and condensed
    rankings. A user without test ratings is left out of the average. Range [0, 1].
    """

    label = "PracticalAccuracy"
    source = (
        "named, without a formula, in Herlocker et al. (2004), section 4.1, and Bellogín (2012), section 3.2.3; "
        "λ as in Aftab & Ramampiaro (2022), eq. 18"
    )
    takes_cutoff = "never"

    tolerance: float = Field(0.5, ge=0, description=TOLERANCE_MEANING)

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> Floats:
        """Count predictions near the rating, and test ratings."""
        rows = self.rows(judged)
        right = rows[np.abs(errors_at(judged, rows)) <= self.tolerance + ROUNDING]
        hits, wanted = (
            np.bincount(user, minlength=judged.n_users) for user in (judged.user[right], judged.user[self.counted(judged)])
        )
        return at_every(cutoffs, share(hits, wanted, np.nan))
