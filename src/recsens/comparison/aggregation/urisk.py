"""URisk: the mean gain over a baseline; losses weigh more."""

from recsens.arrays import Floats
from recsens.comparison.aggregation._base import UserMeasures
from recsens.comparison.aggregation._risk import BaselineRisk
from recsens.comparison.aggregation._weighing import weighted_means


class URisk(BaselineRisk):
    """URisk = (1/c) (Σ_{δ>0} δ + (1 + α) Σ_{δ<0} δ) over c users, where δ_u is the system's value minus the baseline's.

    The average is over users who count for the system and for the baseline. The baseline's URisk is 0. A value below 0 means that
    penalised losses exceed gains. A test compares the terms of the sum. Use it only with metrics for which higher is better.
    """

    source = "Wang, Bennett & Collins-Thompson (2012); Dinçer, Macdonald & Ounis (2014)"
    pools_systems = True
    is_tested = True

    def prose(self) -> str:
        """Name the mean of gains."""
        return self.prose_of("the mean (URisk)")

    def aggregate(self, scores: UserMeasures) -> Floats:
        """Average the penalised gains; NaN without users."""
        return weighted_means(self.tested(scores), self.compared(scores), self.weights(scores))
