"""The data that a test compares: users' values for each system, which users count, users' weights, and a digest of these data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from recsens.arrays import Bools, Floats, digest_of
from recsens.comparison.aggregation import Aggregate, UserMeasures, effective_number
from recsens.comparison.significance import Pairs
from recsens.outcomes.rounding import rounded


@dataclass(frozen=True)
class Paired:
    """Users' values on the scale that an aggregate averages.

    Attributes
    ----------
    values, counts
        Each user's value for each system, and whether this value counts; shape (n_systems, n_users).
    weights
        Each user's weight, shape (n_users,); None if all weights are equal.
    offsets
        Under P1R, the value to be expected from the percentiles of each user's ratings, minus the overall mean; shape (n_systems,
        n_users). None without percentiles, or if the aggregate is not a mean of users' values.
    """

    values: Floats
    counts: Bools
    weights: Floats | None
    offsets: Floats | None = None

    @classmethod
    def of(cls, scores: UserMeasures, tested: Floats, aggregate: Aggregate) -> Paired:
        """Collect the data that a test compares; users without weight do not count.

        Parameters
        ----------
        scores
            The users' values, counts and weights.
        tested
            The result of `Aggregate.tested`, shape (n_systems, n_users).
        aggregate
            The aggregate, which determines users' weights.
        """
        weights = aggregate.weights(scores)
        counts = scores.counts & ~np.isnan(tested) & (weights > 0)
        averaged = weights[counts.any(axis=0)]
        unequal = weights if len(averaged) and np.ptp(averaged) > 0 else None
        return cls(tested, counts, unequal, scores.offsets if aggregate.averages_values else None)

    @classmethod
    def over_folds(cls, folds: Sequence[Paired], within: Sequence[Bools] | None = None) -> Paired:
        """Join the data of folds that each count the same users for all systems.

        With v_uf = w_uf / Σ_u w_uf over the users who count on fold f, a user's value is Σ_f v_uf m_uf / Σ_f v_uf, and the user's
        weight is Σ_f v_uf. The weighted mean of these values is the mean of the folds' weighted means, whichever users each fold
        counts. A fold that counts nobody is left out.

        ``within`` selects users on each fold, shape (n_users,), after their v_uf were computed: if several selections divide the
        users, the mean of their weighted means, weighted by the sums of their v_uf, is that of all users.
        """
        if len(folds) == 1:
            return folds[0] if within is None else replace(folds[0], counts=folds[0].counts & within[0])
        counts = np.stack([fold.counts[0] for fold in folds])
        weights = np.stack(
            [1.0 * mask if fold.weights is None else fold.weights * mask for fold, mask in zip(folds, counts, strict=True)]
        )
        totals = weights.sum(axis=1, keepdims=True)
        # Folds with equal totals keep their weights, so that users who are alike have exactly equal weights.
        shares = weights if np.ptp(totals) == 0 else np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0)
        if within is not None:
            shares = shares * np.stack(within)
        joint = shares.sum(axis=0)
        averaged = joint > 0

        def mean(values: Sequence[Floats]) -> Floats:
            sums = (shares[:, np.newaxis] * np.where(counts[:, np.newaxis], np.stack(values), 0.0)).sum(axis=0)
            return np.asarray(np.divide(sums, joint, out=np.zeros_like(sums), where=averaged))

        values = mean([fold.values for fold in folds])
        of_folds = [fold.offsets for fold in folds if fold.offsets is not None]
        unequal = joint if averaged.any() and np.ptp(joint[averaged]) > 0 else None
        return cls(values, np.broadcast_to(averaged, values.shape), unequal, mean(of_folds) if of_folds else None)

    def among(self, rows: Sequence[int]) -> Paired:
        """Return the data of some systems over the users who count for all of them."""
        chosen = list(rows)
        both = np.broadcast_to(self.counts[chosen].all(axis=0), (len(chosen), self.counts.shape[1]))
        return Paired(self.values[chosen], both, self.weights, None if self.offsets is None else self.offsets[chosen])

    def effective_users(self, pairs: Pairs) -> list[float]:
        """Return Kish's effective number of users for each pair; with equal weights this is the number of users."""
        both = [self.counts[a] & self.counts[b] for a, b in pairs]
        return [float(mask.sum()) if self.weights is None else effective_number(self.weights[mask]) for mask in both]

    def digests(self, pairs: Pairs) -> list[str]:
        """Return a digest of each pair's data: the compared users, the users' relative differences, and their relative weights.

        Differences are divided by the largest absolute difference, and weights by the largest weight. Then both are rounded to 12
        decimals. Under P1R, the differences between `offsets` are divided in the same way. Two comparisons with the same digest
        have the same numbers, up to a positive factor, whatever their metric or design. If all differences are zero, the digest is
        of the users' values instead; so a comparison of equal systems can have different digests under different designs.
        """
        return [self._digest_of_pair(a, b) for a, b in pairs]

    def _digest_of_pair(self, a: int, b: int) -> str:
        both = self.counts[a] & self.counts[b]
        weights = np.ones(both.sum()) if self.weights is None else self.weights[both]
        delta = self.values[a, both] - self.values[b, both]
        largest = np.abs(rounded(delta)).max(initial=0.0)
        numbers = [delta / largest] if largest > 0 else [self.values[a, both]]
        if self.offsets is not None:
            numbers.append((self.offsets[a, both] - self.offsets[b, both]) / (largest or 1.0))
        return digest_of(np.packbits(both), *map(rounded, [*numbers, weights / weights.max(initial=0.0)]))
