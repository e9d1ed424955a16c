"""One metric by the number of negatives: values, agreement with the full ranking, and the number at which two systems swap."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from recsens.conclusions.meta._base import Finding
from recsens.metrics import MeasuredAt
from recsens.outcomes.rounding import rounded

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Dialled:
    """All systems' values on one metric.

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
        Number of relevant ratings in each system's mean.
    """

    metric: MeasuredAt
    systems: Sequence[str]
    negatives: Sequence[int]
    expected: Floats
    corrected: Floats
    full: Floats
    n_ratings: Sequence[int]

    def findings(self, pairs: Sequence[tuple[str, str]], largest_pool: int | None) -> list[Finding]:
        """Return all findings on these pairs; ``largest_pool`` is the full ranking's point on the axis, or None."""
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
                defined = ~np.isnan(value) & ~np.isnan(self.full)
                tau = kendalltau(value[defined], self.full[defined]).statistic if defined.sum() > 1 else np.nan
                yield Finding(name, float(rounded(tau)), self.metric, at=at, n=int(defined.sum()))

    def _winners(self, pairs: Sequence[tuple[str, str]]) -> Iterator[Finding]:
        leads = np.sign([self._lead(*pair) for pair in pairs]).reshape(len(pairs), len(self.negatives) + 1)
        decided = leads[leads[:, -1] != 0]
        same = decided[:, :-1] == decided[:, -1:]
        shares = same.mean(axis=0) if len(decided) else np.full(len(self.negatives), np.nan)
        for at, share in zip(self.negatives, shares, strict=True):
            yield Finding("same_winner", float(share), self.metric, at=at, n=len(decided))
        # With fewer negatives than the cut-off, every ranked item is within the cut-off, and most systems tie.
        reach = [self.metric.is_whole or n >= self.metric.cutoff for n in self.negatives]
        kept = float(rounded(shares[reach].mean())) if any(reach) else float("nan")
        yield Finding("kept", kept, self.metric, n=len(decided))

    def _crossings(self, pairs: Sequence[tuple[str, str]], largest_pool: int | None) -> Iterator[Finding]:
        numbers = [*self.negatives, *([] if largest_pool is None else [largest_pool])]
        for pair in pairs:
            leads = [(n, lead) for n, lead in zip(numbers, self._lead(*pair), strict=False) if lead != 0]
            for (low, before), (high, after) in pairwise(leads):
                if before * after < 0:
                    share = before / (before - after)
                    first, second = pair if before > 0 else pair[::-1]
                    yield Finding(
                        "crossing",
                        float(low ** (1 - share) * high**share),
                        self.metric,
                        at=high,
                        system_a=first,
                        system_b=second,
                        low=low,
                        high=high,
                    )

    def _lead(self, first: str, second: str) -> Floats:
        """Return the first system's lead for each number of negatives, then for all candidates; an undefined lead is 0."""
        values = np.vstack([self.expected, self.full])[:, [self.systems.index(first), self.systems.index(second)]]
        sign = 1 if self.metric.metric.higher_is_better else -1
        return np.nan_to_num(sign * (values[:, 0] - values[:, 1]))
