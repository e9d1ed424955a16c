"""One metric over the numbers of negatives: values, agreement with the full ranking, and where systems change places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from recsens.meta._base import Finding
from recsens.metrics import MeasuredAt

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Dialled:
    """Values of all systems by one metric.

    Attributes
    ----------
    metric
        The metric.
    systems
        Labels.
    negatives
        Numbers of negatives, ascending.
    expected, corrected
        Values with each number of negatives, shape (n_numbers, n_systems).
    full
        Values with all candidates as negatives, shape (n_systems,).
    n_ratings
        Relevant ratings that each system's value is a mean of.
    """

    metric: MeasuredAt
    systems: Sequence[str]
    negatives: Sequence[int]
    expected: Floats
    corrected: Floats
    full: Floats
    n_ratings: Sequence[int]

    def findings(self, pairs: Sequence[tuple[str, str]], largest_pool: int | None) -> list[Finding]:
        """Tell all of it, for these pairs of systems; the numbers end with that of the largest pool, None if they do not."""
        return [*self._values(), *self._agreement(), *self._winners(pairs), *self._crossings(pairs, largest_pool)]

    def _values(self) -> Iterator[Finding]:
        for system, (label, n) in enumerate(zip(self.systems, self.n_ratings, strict=True)):
            for name, values in (("expected", self.expected), ("corrected", self.corrected)):
                for at, value in zip(self.negatives, values[:, system], strict=True):
                    yield Finding(name, float(value), self.metric, at=at, system_a=label, n=n)
            yield Finding("full", float(self.full[system]), self.metric, system_a=label, n=n)

    def _agreement(self) -> Iterator[Finding]:
        for name, values in (("agreement", self.expected), ("agreement_corrected", self.corrected)):
            for at, value in zip(self.negatives, values, strict=True):
                yield Finding(name, *_tau(value, self.full), self.metric, at=at)

    def _winners(self, pairs: Sequence[tuple[str, str]]) -> Iterator[Finding]:
        signs = [self._leads(*pair) for pair in pairs]
        decided = [(sampled, full) for *sampled, full in signs if full != 0]
        same = np.array([[sign == full for sign in sampled] for sampled, full in decided], dtype=np.float64)
        shares = same.mean(axis=0) if decided else np.full(len(self.negatives), np.nan)
        for at, share in zip(self.negatives, shares, strict=True):
            yield Finding("same_winner", float(share), self.metric, at=at, n=len(decided))
        yield Finding("kept", float(shares.mean()), self.metric, n=len(decided))
