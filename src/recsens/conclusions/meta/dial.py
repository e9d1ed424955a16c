"""Expected values of sampled metrics, in closed form, for any number of negatives."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, ClassVar

import numpy as np
from pydantic import AfterValidator, Field
from scipy.stats import kendalltau

from recsens.arrays import Floats
from recsens.comparison.aggregation import Aggregate
from recsens.conclusions.meta._base import Finding, MetricAnalysis
from recsens.conclusions.meta._judged_rankings import Board
from recsens.conclusions.meta._sampled_values import SampledBoard, refuse_unless_averaged
from recsens.files.scale import Scale
from recsens.metrics import MeasuredAt, PlaceValues
from recsens.outcomes.rounding import rounded
from recsens.study import Decisions, MetricAnalysisTask


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
        kept = float(rounded(shares[reach].mean())) if any(reach) else math.nan
        yield Finding("kept", kept, self.metric, n=len(decided))

    def _crossings(self, pairs: Sequence[tuple[str, str]], largest_pool: int | None) -> Iterator[Finding]:
        numbers = [*self.negatives, *([] if largest_pool is None else [largest_pool])]
        for pair in pairs:
            leads = [(n, lead) for n, lead in zip(numbers, self._lead(*pair), strict=False) if lead != 0]
            for (low, before), (high, after) in pairwise(leads):
                if before * after < 0:
                    share = before / (before - after)
                    first, second = pair if before > 0 else pair[::-1]
                    number = float(low ** (1 - share) * high**share)
                    yield Finding("crossing", number, self.metric, at=high, system_a=first, system_b=second, low=low, high=high)

    def _lead(self, first: str, second: str) -> Floats:
        """Return the first system's lead for each number of negatives, then for all candidates; an undefined lead is 0."""
        values = np.vstack([self.expected, self.full])[:, [self.systems.index(first), self.systems.index(second)]]
        sign = 1 if self.metric.metric.higher_is_better else -1
        return np.nan_to_num(sign * (values[:, 0] - values[:, 1]))


_PROBED = 30
"""Number of positions at which metrics are tried when the study file is read."""


def _ascending(sizes: tuple[int, ...]) -> tuple[int, ...]:
    if not sizes or min(sizes) < 1 or list(sizes) != sorted(set(sizes)):
        raise ValueError("must be whole numbers of at least 1 in ascending order, such as [1,10,100]")
    return sizes


class Dial(MetricAnalysis):
    """E[m(T_u^r)], a metric m's expected value with one ranking per relevant test rating (1R) and n negatives, without sampling.

    For a relevant test rating r of user u, let a of the N candidates be ranked above its item. The candidates are the targets of u,
    ranked or not, without u's relevant test items. n of the candidates are drawn; H of these are above the item, with H ~
    Hypergeometric(N, a, n), or Binomial(n, a / N) with replacement. The value is g(1 + H), where g(k) is the metric's value for a
    ranking with one judged item, which is relevant and at position k. ``expected`` is Σ_h P(H = h) g(1 + h). With n = 1, Success@1
    is the AUC 1 - a / N. With n >= N and without replacement, the ranking is full. ``expected`` is the expectation of
    ``one_r(n=..)``. A relevant item that is not ranked is a miss. Candidates that are not ranked may be drawn, but are never above
    the item. A user with fewer than n candidates gets all of them. Ties are broken as in the study's rankings. Values are averaged
    over the ratings of the averaged users; every rating has the same weight (``mean``).

    ``corrected`` is the expectation of an estimate f̂(H) of the full metric from a sample. The estimate minimises bias² + γ
    variance with equal weight on all a: f̂ = ((1 - γ) AᵀA + γ diag c)⁻¹ Aᵀ b, A[a, h] = √p P(h | a), b[a] = √p g(1 + a), c[h] = Σ_a
    p P(h | a), p = 1 / (N + 1). As in the paper, N is one number: here the mean over ratings, rounded, or n if n is larger. If all
    candidates of a rating are drawn, the rating has its full value.

    The study must have one full ranking per user, as with the targets ``ar``. Some metrics are refused, because these formulas do
    not give their expectation: metrics that compare judged items (such as AUC), read predictions, or depend on the length of the
    ranking. For the same reason, aggregates other than averages are refused.
    """

    source: ClassVar[str] = (
        "Krichene & Rendle (2020), On sampled metrics for item recommendation, KDD; 1R: Bellogín (2012), equation 4.1"
    )
    quantities: ClassVar[dict[str, str]] = {
        "expected": "Expected value of a system with this number of negatives.",
        "full": "Value of a system with all candidates as negatives.",
        "auc": "Mean share of the candidates that a system ranks below the relevant item; 0 for an item that is not ranked.",
        "corrected": "Expected corrected value of a system: the full value as estimated from this number of negatives.",
        "agreement": "Kendall's tau-b between the orders of all systems with this number of negatives and with all negatives.",
        "agreement_corrected": (
            "Kendall's tau-b between the order of all systems by corrected values and their order with all negatives."
        ),
        "same_winner": (
            "Of the pairs of systems that differ with all negatives, the share with the same winner with this number of negatives."
        ),
        "kept": "Mean of same_winner over the numbers of negatives that reach the cut-off.",
        "crossing": (
            "Number of negatives at which the first system is overtaken by the second, by a straight line over log n between the "
            "last number with which the first system is ahead (low) and the first number with which it is behind (high)."
        ),
    }
    several: ClassVar[frozenset[str]] = frozenset(quantities) - {"kept"}
    drawn_by: ClassVar[str] = "dial"
    best_says: ClassVar[str] = "best keeps its winners with few negatives"
    headline: ClassVar[str] = "kept"
    not_averaged: ClassVar[frozenset[str]] = frozenset({"crossing"})
    axis: ClassVar[str] = "negatives per relevant rating"

    negatives: Annotated[tuple[int, ...], AfterValidator(_ascending)] = Field(
        (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
        description="numbers of negatives, ascending; the quantity `full` uses all candidates",
    )
    replacement: bool = Field(False, description="whether an item can be drawn twice")
    gamma: float = Field(0.1, gt=0, le=1, description="weight of the variance, relative to the bias, in corrected values")

    def check(self, task: MetricAnalysisTask) -> None:
        """Refuse metrics whose value is not a function of a single relevant item's position."""
        super().check(task)
        PlaceValues.of(task.metrics, _PROBED, np.array([np.nan]), Scale(), Scale().relevance)

    def check_design(self, design: Decisions) -> None:
        """Refuse rankings of ratings, condensed rankings, and aggregates that do not average."""
        super().check_design(design)
        refuse_unless_averaged(design.view, Aggregate.build(design.aggregate))

    def analyse(self, board: Board, task: MetricAnalysisTask) -> list[Finding]:
        """Compute expected and corrected values, and their effect on the order of systems.

        Raises
        ------
        DesignError
            If the rankings are condensed, if users' values are not averaged, if no rating is relevant, or if a user has only
            relevant candidates.
        """
        sampled = SampledBoard.of(board, task, max(self.negatives), replacement=self.replacement)
        full = sampled.full()
        expected = np.stack([sampled.expected(n) for n in self.negatives], axis=1)
        corrected = np.stack([sampled.corrected(n, self.gamma) for n in self.negatives], axis=1)
        n_ratings = [int(rivals.n_ratings[rivals.counts].sum()) for rivals in sampled.rivals]
        findings = [
            Finding("auc", float(value), system_a=label, n=n)
            for label, value, n in zip(board.systems, sampled.auc(), n_ratings, strict=True)
        ]
        for row, metric in enumerate(task.metrics):
            dialled = Dialled(metric, board.systems, self.negatives, expected[row], corrected[row], full[row], n_ratings)
            findings += dialled.findings(task.pairs, None if self.replacement else sampled.largest_pool)
        return findings
