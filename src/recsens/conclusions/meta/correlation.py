"""Agreement between the orders of systems by different metrics, or by different cut-offs of one metric."""

import math
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from recsens.arrays import Floats
from recsens.conclusions.meta._agreement_curves import tau_b as tau_b_of_rows
from recsens.conclusions.meta._base import Finding, MetricAnalysis
from recsens.conclusions.meta._judged_rankings import Board
from recsens.errors import SpecError
from recsens.metrics import MeasuredAt, Metric
from recsens.outcomes.rounding import rounded
from recsens.study import MetricAnalysisTask


def tau_b(first: Floats, second: Floats) -> float:
    """Return Kendall's τ_b between two orders of systems. Tied pairs do not count; NaN if either order ties all systems.

    Parameters
    ----------
    first, second
        Value of each system, higher being better, shape (n_systems,). Systems whose value is NaN in either order are left out.
    """
    first, second = _defined_in_both(first, second)
    if _orders_none(first) or _orders_none(second):
        return math.nan
    return float(rounded(tau_b_of_rows(first[np.newaxis], second[np.newaxis])[0]))


def tau_ap(judged: Floats, true: Floats) -> float:
    """Return τ_AP = 2 / (N - 1) Σ_{i=2..N} C(i) / (i - 1) - 1, weighted towards the top of the judged order.

    C(i) counts the systems that are above the i-th system of the judged order in both orders. If only the judged order ties
    systems, they are put in random order; the value is the mean over all such orders. A pair tied only by the true order counts as
    half right, and a pair tied by both orders as right. The value is NaN if either order ties all systems.

    Parameters
    ----------
    judged, true
        Value of each system, higher being better, shape (n_systems,). Systems whose value is NaN in either order are left out.

    References
    ----------
    Yilmaz, Aslam & Robertson (2008), section 4. The mean over random orders of ties: Urbano & Marrero (2017).
    """
    judged, true = _defined_in_both(judged, true)
    if _orders_none(judged) or _orders_none(true):
        return math.nan
    # Entry (y, x) is 1 if system y belongs above system x, 0 if below, and 1/2 if the true order ties them.
    ahead, tied = judged[:, np.newaxis] > judged, judged[:, np.newaxis] == judged
    right = (1 + np.sign(true[:, np.newaxis] - true)) / 2
    right[tied & (right == 0.5)] = 1.0
    n_above, n_tied = ahead.sum(axis=0), tied.sum(axis=0)
    right_above = (right * ahead).sum(axis=0)
    # Within the tie group of a system, without the system itself.
    right_tied = (right * tied).sum(axis=0) - 1
    shares = [_right_share(*counts) for counts in zip(n_above, n_tied, right_above, right_tied, strict=True)]
    return float(rounded(2 / (len(judged) - 1) * sum(shares) - 1))


def _right_share(n_above: int, n_tied: int, right_above: float, right_tied: float) -> float:
    """Average C(i) / (i - 1) (see `tau_ap`) over the ranks i that a system can have within its group of ties; i = 1 adds 0."""
    before = np.arange(n_tied)
    of_group = right_tied / (n_tied - 1) if n_tied > 1 else 0.0
    places = n_above + before
    return float(np.divide(right_above + before * of_group, places, out=np.zeros(n_tied), where=places > 0).mean())


def _defined_in_both(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    in_both = ~(np.isnan(first) | np.isnan(second))
    return first[in_both], second[in_both]


def _orders_none(values: Floats) -> bool:
    return len(values) < 2 or np.ptp(values) == 0


_CORRELATIONS = {"tau_b": tau_b, "tau_ap": tau_ap}


class Correlation(MetricAnalysis):
    """Rank correlation between two orders of systems: by two metrics at one cut-off, or by one metric at two cut-offs.

    Either the metric or the cut-off differs, never both. Metrics are compared at equal cut-offs, and metrics of the whole ranking
    are compared with each other. Cut-offs of the same metric are compared with each other; the whole ranking counts as the deepest
    cut-off. If lower values of a metric are better, its sign is reversed. Kendall's τ_b = (C - D) / √((C + D + T_1) (C + D + T_2))
    is symmetric; C and D count the pairs of systems in the same and in opposite order; T_1 and T_2 count the pairs that only one of
    the metrics ties. τ_AP is not symmetric: as in the paper, ``metric`` determines the judged order, and the top of this order has
    more weight; ``against`` determines the true order. If only ``metric`` ties systems, they are put in random order, and the mean
    over such orders is taken. A pair tied only by ``against`` counts as half right, and a pair tied by both metrics as right.
    Only the systems' values count, so metrics with one value for all users are correlated like others.
    Systems without a value by either metric are left out. The correlation of a metric with itself is 1; a correlation is NaN if one
    of the two metrics ties all systems.
    """

    source = "Valcarce, Bellogín, Parapar & Castells (2018), section 6; Kendall (1945); Yilmaz, Aslam & Robertson (2008)"
    also_called = ("rank_correlation", "metric_agreement")
    quantities: ClassVar[dict[str, str]] = {
        "agreement": (
            "correlation of the orders of systems by a metric and by another metric, or by the same metric; n is the number of "
            "systems"
        ),
        "mean_agreement": (
            "mean of a metric's agreements with each of the other metrics; n is the number of agreements that are defined"
        ),
    }
    several: ClassVar[frozenset[str]] = frozenset({"agreement"})
    judges_ratings: ClassVar[bool] = True
    judges_pooled: ClassVar[tuple[type[Metric], ...]] = (Metric,)
    drawn_by: ClassVar[str] = "agreement"
    is_merit: ClassVar[bool] = False
    best_says: ClassVar[str] = "agrees best with the other metrics"
    headline: ClassVar[str] = "mean_agreement"

    of: Literal["metrics", "cutoffs"] = Field(
        "metrics", description="metrics: each pair of metrics at the same cut-off; cutoffs: each pair of cut-offs of a metric"
    )
    by: Literal["tau_b", "tau_ap"] = Field("tau_b", description="Kendall's τ_b, or τ_AP, in which the best systems weigh more")

    def check(self, task: MetricAnalysisTask) -> None:
        """Refuse metrics without an order of systems, and a study in which nothing can be compared."""
        super().check(task)
        if all(len(rows) < 2 for rows in self._groups(task.metrics)):
            missing, allowed = {
                "metrics": ("no two metrics have the same cut-off", "two metrics at one cut-off, such as P@10 and nDCG@10"),
                "cutoffs": ("no metric has two cut-offs", "a metric at several cut-offs, such as nDCG@5,10"),
            }[self.of]
            raise SpecError(f"{missing}: nothing can be correlated", where=f"analysis '{self.spec}'", allowed=allowed)

    def analyse(self, board: Board, task: MetricAnalysisTask) -> list[Finding]:
        """Correlate the orders of all systems by the metrics in each group."""
        directions = np.array([1 if measured.metric.higher_is_better else -1 for measured in task.metrics])
        values = board.totals(task.metrics) * directions[:, np.newaxis]
        correlate = _CORRELATIONS[self.by]
        findings = []
        for rows in self._groups(task.metrics):
            for row in rows:
                found = {other: correlate(values[row], values[other]) for other in rows}
                for other, value in found.items():
                    n = int((~np.isnan(values[[row, other]])).all(axis=0).sum())
                    findings.append(Finding("agreement", value, task.metrics[row], task.metrics[other], n=n))
                others = [value for other, value in found.items() if other != row and not np.isnan(value)]
                mean = float(np.mean(others)) if others else math.nan
                findings.append(Finding("mean_agreement", mean, task.metrics[row], n=len(others)))
        return findings

    def _groups(self, metrics: Sequence[MeasuredAt]) -> list[list[int]]:
        """Group the indices of metrics that are compared with each other."""
        shared = [measured.cutoff if self.of == "metrics" else measured.metric for measured in metrics]
        return [[row for row, other in enumerate(shared) if other == each] for each in dict.fromkeys(shared)]
