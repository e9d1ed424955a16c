"""Errors of predicted ratings as Surprise defines them."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DesignError
from recsens.metrics import Ignorable, Judged, Metric, Reads, TakesCutoff, Unit, at_every
from recsens.metrics.variants import _kernels
from recsens.plugins.specs import Spec


class MSE(Metric):
    """MSE = (1/|T|) Σ_{(u,i) in T} (r̂_ui - r_ui)² over the predicted test ratings T: the square of RMSE.

    There is one value for all users; it is NaN if there is no prediction. Range [0, ∞), in squared rating points.
    """

    label: ClassVar[str] = "MSE"
    is_monotone: ClassVar[bool] = True
    higher_is_better: ClassVar[bool] = False
    source: ClassVar[str] = "Surprise's mse"
    reads: ClassVar[Reads] = "predictions"
    unit: ClassVar[Unit] = "pooled"
    takes_cutoff: ClassVar[TakesCutoff] = "never"
    values_range: ClassVar[str] = "[0, ∞)"
    ignores: ClassVar[frozenset[Ignorable]] = frozenset({"relevance", "view"})

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Square the RMSE."""
        return Metric.build(Spec("RMSE")).measure(judged, cutoffs) ** 2


class FCP(Metric):
    """FCP = c / (c + d): c is the mean number of concordant pairs over users who have any; d is the same for discordant pairs.

    A pair of a user's ranked test items with different ratings is concordant if the higher rated item has the higher score.
    Otherwise it is discordant, even if the scores are equal. A user without a concordant pair is left out of c, and a user without
    a discordant pair is left out of d; FCP is therefore not the share of concordant pairs. There is one value for all users. Range
    [0, 1]; NaN if no user has a pair with different ratings.
    """

    label: ClassVar[str] = "FCP"
    source: ClassVar[str] = "Koren & Sill (2013), section 5.2, as Surprise's fcp"
    unit: ClassVar[Unit] = "pooled"
    takes_cutoff: ClassVar[TakesCutoff] = "never"
    ignores: ClassVar[frozenset[Ignorable]] = frozenset({"relevance", "view"})

    @property
    def has_range_by_ties(self) -> bool:
        """Whether the two extreme orders of equal scores bound the value; always true, because their order has no effect."""
        return True

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Count each user's concordant and discordant pairs.

        Raises DesignError if scores are unknown.
        """
        if judged.score is None:
            raise DesignError("FCP compares scores, but they are unknown here", allowed="KendallTau, NDPM")
        counts = np.empty((judged.n_users, 2))
        rows = judged.order
        _kernels.count_rated_pairs(judged.rating[rows], judged.score[rows], judged.order_starts, counts)
        concordant, discordant = map(_mean_of_positive, counts.T)
        total = concordant + discordant
        return at_every(cutoffs, np.array([concordant / total if total > 0 else np.nan]))


def _mean_of_positive(values: NDArray[np.float64]) -> float:
    positive = values[values > 0]
    return float(positive.mean()) if len(positive) else 0.0
