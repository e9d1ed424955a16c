"""Robustness to sparsity: whether a metric keeps the order of systems with fewer test ratings."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, Field

from recsens.arrays import Bools, places_in_groups
from recsens.conclusions.meta._agreement_curves import EMPTIED, QUANTITIES, Emptied, ascending_points, findings, rounded_share, taus
from recsens.conclusions.meta._base import Finding, MetricAnalysis
from recsens.conclusions.meta._judged_rankings import Board
from recsens.metrics import Metric
from recsens.seeds import Stream
from recsens.study import MetricAnalysisTask

Size = Annotated[float | int, Field(gt=0, le=100)]


def _check_sizes(sizes: tuple[float, ...]) -> tuple[float, ...]:
    return ascending_points(sizes, "size")[::-1]


class Sparsity(MetricAnalysis):
    """τ(q): Kendall's tau-b between the order of systems on a random q % of the test ratings and their order on all test ratings.

    Ratings are left out at random, whether relevant or not; the rankings do not change. A sample is one random order of the test
    ratings. At size q, the first q % of this order are used; a number of ratings that ends in a half is rounded up. All sizes of a
    sample use the same order, so they are nested and form one curve, and the errors of its points are correlated. With
    ``unit=user``, q % of each user's ratings are kept. Ratings are ordered by a hash of user and item, so the order does not depend
    on the fold, the systems, or the number of samples. ``tau`` is the mean over samples at each size. ``area`` is the mean over
    samples of the area under the curve, by the trapezoidal rule, divided by the largest size minus the smallest. This is the mean
    height of the curve, which is 1 if the order never changes. Both have a standard deviation over samples, and a 95 % Student
    interval of the mean, cut to [-1, 1]. The interval covers only the error that comes from the limited number of samples of this
    test set, not the variation between users or systems.

    The whole test set decides which users are averaged; with ``coverage=reduced``, users are also left out if their condensed
    rankings lose all judged items. A user who loses all relevant ratings is still averaged, with the metric's value for users
    without any. This value is mostly 0, but not for metrics that also reward other ratings, such as nDCG with linear gain. With
    ``emptied=skip``, as in trec_eval, users without a relevant rating in a sample are left out of that sample, and users without
    any are left out of the order on the whole test set. If all systems are tied, tau is undefined. Such samples, and the areas of
    curves with such a point, are not counted in ``n``; a mean over no samples is NaN.

    A metric of all users together is computed anew on each part. A metric that reads no test rating, such as coverage, is refused:
    it does not depend on the size.

    Sizes may be listed in any order; they are sorted in descending order. At 100 %, tau is 1.
    """

    source = "Valcarce et al. (2018), section 4; Buckley & Voorhees (2004)"
    also_called = ("robustness_to_sparsity", "sparsity_bias", "incompleteness", "missing_judgements")
    quantities: ClassVar[dict[str, str]] = dict(QUANTITIES)
    sampled = "random parts of one test set"
    best_says = "best preserves the order of the systems when test ratings are missing"
    headline = "area"
    several = frozenset({"tau"})
    axis = "test ratings kept, in % of all test ratings"
    axis_falls = True
    drawn_by = "robustness"
    judges_pooled = (Metric,)
    thins = True

    sizes: Annotated[tuple[Size, ...], AfterValidator(_check_sizes)] = Field(
        tuple(range(100, 0, -5)),
        min_length=2,
        description="sizes of the thinned test set, in % of the whole test set, without duplicates",
    )
    samples: int = Field(50, ge=1, description="number of random orders of the test ratings; each gives one curve")
    unit: Literal["all", "user"] = Field(
        "all", description="whether the percentage is of all test ratings, or of each user's test ratings"
    )
    emptied: Emptied = EMPTIED

    def analyse(self, board: Board, asked: MetricAnalysisTask) -> list[Finding]:
        """Thin the test ratings, measure, and correlate."""
        sizes = self.sizes[::-1]
        samples = [self._rating_samples(board, asked.stream.child("sparsity", sample), sizes) for sample in range(self.samples)]
        curves = taus(board, asked, samples, self.emptied, "sparsity: samples")
        return list(findings(asked.metrics, sizes, curves))

    def _rating_samples(self, board: Board, stream: Stream, sizes: tuple[float, ...]) -> Iterator[Bools | None]:
        """Yield a mask of the ratings used at each size; all sizes use the start of the same random order."""
        owner = board.user if self.unit == "user" else np.zeros_like(board.user)
        numbers = np.bincount(owner)
        rank = places_in_groups(owner.astype(np.int64), stream.hashes(board.user, board.item))
        for size in sizes:
            yield None if size == 100 else rank < rounded_share(size, numbers)[owner]
