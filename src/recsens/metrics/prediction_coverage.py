"""Prediction coverage."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DesignError
from recsens.metrics._base import Metric, TakesCutoff, Unit
from recsens.metrics._judged import Judged
from recsens.metrics._whole import at_every


class PredictionCoverage(Metric):
    """PC = |{(u, i) in T: the recommender has a score of its own}| / |T| over all pairs T of the test set.

    A pair that the policy for not computable items ranks has no score, and neither has an item outside the targets: under targets
    that leave test items out, the share is one of all test items nevertheless. One value for all users. Range [0, 1]; NaN
    without a test rating.
    """

    label: ClassVar[str] = "PredictionCoverage"
    source: ClassVar[str] = "Herlocker et al. (2004), section 4.1; Ge, Delgado-Battenfeld & Jannach (2010)"
    unit: ClassVar[Unit] = "pooled"
    takes_cutoff: ClassVar[TakesCutoff] = "never"

    def measure(self, judged: Judged, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        """Count scores.

        Raises
        ------
        DesignError
            If scores are not known.
        """
        if judged.score is None:
            raise DesignError("prediction coverage counts scores, which are not known here", allowed="metrics of judged positions")
        n = len(judged.score)
        value = np.count_nonzero(~np.isnan(judged.score)) / n if n else np.nan
        return at_every(cutoffs, np.array([value]))
