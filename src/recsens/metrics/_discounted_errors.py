"""Squared errors of predicted ratings, discounted by rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recsens.metrics import Floats, Ids, Ints, Judged
from recsens.metrics._kernels import retrieved_ideal_sums
from recsens.metrics._prediction_errors import errors_at, predicted_order


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
