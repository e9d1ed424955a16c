"""How far metrics, or the cut-offs of a metric, order systems alike."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from recsens.conclusions.meta._base import Analysis, Finding
from recsens.conclusions.meta._board import Board
from recsens.conclusions.meta._rank_correlations import tau_ap, tau_b
from recsens.errors import SpecError
from recsens.metrics import MeasuredAt
from recsens.study import Asked

_CORRELATIONS = {"tau_b": tau_b, "tau_ap": tau_ap}


class Correlation(Analysis):
    """Rank correlation of the orders of the systems by two metrics at one cut-off, or by one metric at two cut-offs.

    One thing differs at a time: metrics are compared at equal cut-offs, those of the whole ranking among themselves; cut-offs
    within a metric, the whole ranking being the deepest. If less of a metric is better, its values are turned, so that better
    agrees with better. Kendall's τ_b = (C - D) / √((C + D + T_1) (C + D + T_2)), with T_1 and T_2 the pairs of systems that one
    metric alone ties, is the same in both directions. τ_AP is not: as printed, ``metric`` is the order that is judged, with weight
    on its top, and ``against`` the one that it is judged by. Systems that ``metric`` alone ties stand in random order, of which the
    mean is taken; a pair that ``against`` alone ties counts as half, and one that both tie as right. Systems without a value by
    either are left out. 1 against itself; NaN if one of the two ties all systems.
    """

    source = "Valcarce, Bellogín, Parapar & Castells (2018), section 6; Kendall (1945); Yilmaz, Aslam & Robertson (2008)"
    also_called = ("rank_correlation", "metric_agreement")
    quantities: ClassVar[dict[str, str]] = {
        "agreement": "correlation of the orders of systems by a metric and by another, or itself; n is the number of systems",
        "mean_agreement": "mean of a metric's agreement with each of the others; n is the number of those for which it is defined",
    }
    several: ClassVar[frozenset[str]] = frozenset({"agreement"})
    drawn_by: ClassVar[str] = "agreement"
    is_merit: ClassVar[bool] = False
    best_says: ClassVar[str] = "agrees best with the others"
    headline: ClassVar[str] = "mean_agreement"

    of: Literal["metrics", "cutoffs"] = Field(
        "metrics", description="metrics: each pair of them at the same cut-off; cutoffs: each pair of them of the same metric"
    )
    by: Literal["tau_b", "tau_ap"] = Field("tau_b", description="Kendall's τ_b, or τ_AP, in which the best systems weigh more")

    def check(self, asked: Asked) -> None:
        """Refuse metrics without a value a user, and a study in which nothing stands beside another."""
        super().check(asked)
        if all(len(rows) < 2 for rows in self._groups(asked.metrics)):
            missing, allowed = {
                "metrics": ("no two metrics have the same cut-off", "two metrics at one cut-off, such as P@10 and nDCG@10"),
                "cutoffs": ("no metric has two cut-offs", "a metric at several cut-offs, such as nDCG@5,10"),
            }[self.of]
            raise SpecError(f"{missing}: nothing can be correlated", where=f"analysis '{self.spec}'", allowed=allowed)

    def analyse(self, board: Board, asked: Asked) -> list[Finding]:
        """Correlate the orders of all systems by the metrics of each group."""
        directions = np.array([1 if measured.metric.higher_is_better else -1 for measured in asked.metrics])
        values = board.totals(asked.metrics) * directions[:, np.newaxis]
        correlate = _CORRELATIONS[self.by]
        findings = []
        for rows in self._groups(asked.metrics):
            for row in rows:
                found = [
                    Finding(
                        "agreement",
                        correlate(values[row], values[other]),
                        asked.metrics[row],
                        asked.metrics[other],
                        n=int((~np.isnan(values[[row, other]])).all(axis=0).sum()),
                    )
                    for other in rows
                ]
                findings += [
                    *found,
                    _mean([each for each, other in zip(found, rows, strict=True) if other != row], asked.metrics[row]),
                ]
        return findings

    def _groups(self, metrics: Sequence[MeasuredAt]) -> list[list[int]]:
        """Group the numbers of the metrics that are compared with one another."""
        groups: dict[Hashable, list[int]] = defaultdict(list)
        for row, measured in enumerate(metrics):
            groups[measured.cutoff if self.of == "metrics" else measured.metric].append(row)
        return list(groups.values())


def _mean(others: Sequence[Finding], measured: MeasuredAt) -> Finding:
    known = [each.value for each in others if not np.isnan(each.value)]
    return Finding("mean_agreement", float(np.mean(known)) if known else float("nan"), measured, n=len(known))
