"""Robustness to popularity: whether a metric keeps the order of systems without the most popular items."""

from functools import partial
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, Field

from recsens.arrays import Bools
from recsens.conclusions.meta._agreement_curves import EMPTIED, QUANTITIES, Emptied, ascending_points, findings, rounded_share, taus
from recsens.conclusions.meta._base import Finding, MetricAnalysis
from recsens.conclusions.meta._judged_rankings import Board
from recsens.data.popularity import by_popularity
from recsens.errors import DesignError
from recsens.metrics import Metric
from recsens.study import MetricAnalysisTask

Share = Annotated[float | int, Field(ge=0, lt=100)]


class PopularityBias(MetricAnalysis):
    """τ(x): Kendall's tau-b between the order of systems without the x % most popular items and the order with all items.

    All test ratings of the most popular items are left out, whether relevant or not; the rankings do not change. x is a share of
    all items of the catalogue, rated in the test set or not; a number of items that ends in a half is rounded up. The popularity of
    an item is the number of its ratings in train, in test, or in both together. Among equally popular items, the one with the lower
    number in the data set comes first. Nothing is random: the result is one curve, without an interval. ``area`` is the area under
    the curve, by the trapezoidal rule, divided by the largest share minus the smallest. This is the mean height of the curve, which
    is 1 if the order never changes.

    As in ``sparsity``, the whole test set decides which users are averaged. A user who loses all relevant ratings is still
    averaged, unless ``emptied=skip``. With ``skip``, as in trec_eval, users without a relevant rating at some share are left out at
    that share, and users without any are left out of the order on the whole test set. If all systems are tied, tau is undefined,
    and so is the area of a curve with such a point: both are NaN, and ``n`` is 0.

    Shares may be listed in any order; they are sorted in ascending order. At 0, tau is 1.
    """

    source = "Valcarce et al. (2018), section 4"
    also_called = ("robustness_to_popularity", "popularity_bias")
    quantities: ClassVar[dict[str, str]] = dict(QUANTITIES)
    best_says = "best preserves the order of the systems without the most popular items"
    headline = "area"
    several = frozenset({"tau"})
    axis = "most popular items left out, in % of the catalogue"
    drawn_by = "robustness"
    judges_pooled = (Metric,)
    thins = True

    shares: Annotated[tuple[Share, ...], AfterValidator(partial(ascending_points, what="share"))] = Field(
        tuple(range(21)), min_length=2, description="shares of the most popular items to leave out, in %, without duplicates"
    )
    of: Literal["train", "test", "all"] = Field("train", description="the ratings that make an item popular: train, test, or both")
    emptied: Emptied = EMPTIED

    def analyse(self, board: Board, asked: MetricAnalysisTask) -> list[Finding]:
        """Leave items out, measure, and correlate."""
        # There is only one curve, so threads share its points.
        parts = [[self._without_head(board, share)] for share in self.shares]
        curve = taus(board, asked, parts, self.emptied, "popularity: shares").swapaxes(0, 1)
        return list(findings(asked.metrics, self.shares, curve))

    def _without_head(self, board: Board, share: float) -> Bools | None:
        is_head = np.zeros(board.n_items, dtype=np.bool_)
        counts = np.bincount(board.item, minlength=board.n_items) if self.of != "train" else np.zeros(board.n_items, dtype=np.int64)
        if self.of != "test":
            if board.item_train is None:
                raise DesignError(
                    f"of={self.of}: the train set of these runs is unknown", allowed="of=test", remedy="popularity(of=test)"
                )
            counts = counts + board.item_train
        is_head[by_popularity(counts, np.arange(board.n_items))[: int(rounded_share(share, np.asarray(board.n_items)))]] = True
        return None if share == 0 else ~is_head[board.item]
