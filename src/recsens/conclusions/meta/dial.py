"""Expected values of sampled metrics, in closed form, for any number of negatives."""

from typing import Annotated, ClassVar

import numpy as np
from pydantic import AfterValidator, Field

from recsens.comparison.aggregation import Aggregate
from recsens.conclusions.meta._base import Finding, MetricAnalysis
from recsens.conclusions.meta._judged_rankings import Board
from recsens.conclusions.meta._sampled_values import SampledBoard, refuse_unless_averaged
from recsens.conclusions.meta._values_by_negatives import Dialled
from recsens.files.scale import Scale
from recsens.metrics import PlaceValues
from recsens.study import Decisions, MetricAnalysisTask

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
        full, expected, corrected = (
            sampled.full(),
            [sampled.expected(n) for n in self.negatives],
            [sampled.corrected(n, self.gamma) for n in self.negatives],
        )
        n_ratings = [rivals_of_pair.n_averaged for rivals_of_pair in sampled.rivals]
        findings = [
            Finding("auc", float(value), system_a=label, n=n)
            for label, value, n in zip(board.systems, sampled.auc(), n_ratings, strict=True)
        ]
        for row, metric in enumerate(task.metrics):
            dialled = Dialled(
                metric,
                board.systems,
                self.negatives,
                np.stack([values[row] for values in expected]),
                np.stack([values[row] for values in corrected]),
                full[row],
                n_ratings,
            )
            findings += dialled.findings(task.pairs, None if self.replacement else sampled.largest_pool)
        return findings
