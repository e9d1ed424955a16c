"""Squared errors of predicted ratings, discounted by rank.

DCSE: Discounted cumulative squared error.
SDCSE: Standardised discounted cumulative squared error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field

from recsens.metrics import Floats, Ids, Ints, Judged, PredictionMetric, capped_share, share
from recsens.metrics._kernels import retrieved_ideal_sums
from recsens.metrics._predictions import errors_at, predicted_order


@dataclass(frozen=True)
class SquaredErrors:
    """Squared errors of the predicted ratings, sorted by user, then by descending prediction.

    Attributes
    ----------
    squared, user
        Error and user of each predicted rating, shape (n,).
    rank
        Rank of each prediction among its user's predictions, counted from 0, shape (n,).
    n_users
        Number of users, with or without predictions.
    """

    squared: Floats
    user: Ids
    rank: Ints
    n_users: int

    @classmethod
    def of(cls, judged: Judged, counted: Ints) -> SquaredErrors:
        """Compute the errors of the rows ``counted``, in the order of the predictions.

        Each of these rows must have a prediction.
        """
        rows, rank = predicted_order(judged, counted)
        return cls(errors_at(judged, rows) ** 2, judged.user[rows], rank, judged.n_users)

    @property
    def numbers(self) -> Ints:
        """Number of predicted ratings of each user, shape (n_users,)."""
        return np.bincount(self.user, minlength=self.n_users)

    @property
    def discounts(self) -> Floats:
        """1 / log2(k + 1) for the ranks k = 1, 2, ..., n, where n is the largest number of predictions of any user."""
        return np.asarray(1.0 / np.log2(np.arange(1, int(self.numbers.max(initial=0)) + 1) + 1.0))

    def discounted(self, cutoffs: tuple[int, ...], largest: float = 1.0) -> Floats:
        """Sum the errors down to each cut-off, each divided by ``largest`` and discounted, shape (n_users, n_cutoffs)."""
        terms = self.squared / largest * self.discounts[self.rank]
        return np.stack([self._sums(terms, n) for n in cutoffs], axis=1)

    def worst(self, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the discounted errors of the same first items in the worst order, largest error first, shape (n_users, n_cutoffs)."""
        sums = np.empty((self.n_users, len(cutoffs)))
        starts = np.concatenate([[0], np.cumsum(self.numbers)])
        retrieved_ideal_sums(self.squared, self.rank + 1, starts, self.discounts, np.asarray(cutoffs), sums)
        return sums

    def most(self, cutoffs: tuple[int, ...]) -> Floats:
        """Return what `discounted` is if every error is the largest: the sum of the first discounts; shape (n_users, n_cutoffs)."""
        deepest = np.concatenate([[0.0], np.cumsum(self.discounts)])
        return np.asarray(deepest[np.minimum(self.numbers[:, np.newaxis], np.asarray(cutoffs))])

    def where_predicted(self, values: Floats) -> Floats:
        """Set the values to NaN for users without a prediction; shape (n_users, n_cutoffs)."""
        return np.where(self.numbers[:, np.newaxis] > 0, values, np.nan)

    def _sums(self, terms: Floats, cutoff: int) -> Floats:
        reached = self.rank < cutoff
        # If there are no rows, bincount returns integers.
        return np.bincount(self.user[reached], weights=terms[reached], minlength=self.n_users).astype(np.float64)


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
        errors = SquaredErrors.of(judged, self.rows(judged))
        return errors.where_predicted(errors.discounted(cutoffs))


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
        errors = SquaredErrors.of(judged, self.rows(judged))
        if self.norm == "max":
            width = judged.scale.highest - judged.scale.lowest
            # Divide before summing: an error as wide as the scale is then 1, and the ratio never exceeds 1.
            return errors.where_predicted(share(errors.discounted(cutoffs, width * width), errors.most(cutoffs)))
        return errors.where_predicted(capped_share(errors.discounted(cutoffs), errors.worst(cutoffs)))
