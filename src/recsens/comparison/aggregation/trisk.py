"""TRisk: the gain over a baseline in units of its standard error; losses weigh more."""

import numpy as np

from recsens.arrays import Floats
from recsens.comparison.aggregation._base import UserMeasures
from recsens.comparison.aggregation._risk import BaselineRisk
from recsens.comparison.aggregation._weighing import deviations


class TRisk(BaselineRisk):
    """TRisk = URisk / SE with SE = s/√c, where s is the sample standard deviation of the c users' penalised gains.

    TRisk is the t statistic of URisk: values above 2 or below -2 are unlikely to be due to chance. The average is over users who
    count for the system and for the baseline. TRisk is 0 if no user gains or loses, which includes the baseline itself. It is NaN
    if all users gain or lose the same amount, or if there is only one user. A test compares the penalised gains, whose mean is
    URisk. Use it only with metrics for which higher is better.
    """

    source = "Dinçer, Macdonald & Ounis (2014), 'Hypothesis testing for the risk-sensitive evaluation of retrieval systems'"
    pools_systems = True

    def prose(self) -> str:
        """Name the mean of gains and its error."""
        return self.prose_of("the mean divided by its standard error (TRisk)")

    def aggregate(self, scores: UserMeasures) -> Floats:
        """Divide the mean by its standard error; NaN without users."""
        weights = self.weights(scores)
        compared = self.compared(scores) & (weights > 0)
        return np.array([_t(gain[mask], weights[mask]) for gain, mask in zip(self.tested(scores), compared, strict=True)])


def _t(gains: Floats, weights: Floats) -> float:
    if not len(gains):
        return float("nan")
    if not gains.any():
        return 0.0
    # The mean of the scaled gains is the weighted mean of the gains.
    scaled = gains * (weights / weights.mean())
    deviation = float(deviations(scaled))
    return float(scaled.mean() / deviation * np.sqrt(len(scaled))) if deviation > 0 else float("nan")
