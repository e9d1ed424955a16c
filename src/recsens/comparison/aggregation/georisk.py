"""GeoRisk: a system's mean and its risk relative to all other systems, in one value."""

from typing import ClassVar

import numpy as np
from pydantic import Field
from scipy.special import ndtr

from recsens.arrays import Floats
from recsens.comparison.aggregation._base import Aggregate, UserMeasures
from recsens.comparison.aggregation._risk import penalised
from recsens.comparison.aggregation._weighing import weighted_means
from recsens.errors import DesignError
from recsens.plugins.prose import number


class GeoRisk(Aggregate):
    """GeoRisk = √(m Φ(ZRisk / c)): the geometric mean of a system's mean value m and a measure of its risk against all systems.

    ZRisk = Σ_{z>0} z + (1 + α) Σ_{z<0} z is a sum over c users, with z = (x - E)/√E for the user's value x. If systems and users
    did not interact, x would be E = (sum of the system's values) · (sum of the user's values) / (sum of all values). The c users
    are those who count for all systems of the study, except users for whom every system scores zero (E = 0). A value therefore
    depends on the systems in the study. GeoRisk is 0 for a system that scores zero for all users. Because GeoRisk is not a sum over
    users, a test compares the users' values unchanged, and a system wins only if GeoRisk and the tested difference have the same
    sign. Negative values are refused. Use it only with metrics for which higher is better.
    """

    source = "Dinçer, Macdonald & Ounis (2016), 'Risk-sensitive evaluation and learning to rank using multiple baselines'"

    wants_more_is_better: ClassVar[bool] = True
    wants_zero_and_above: ClassVar[bool] = True

    alpha: float = Field(
        1.0, ge=0, description="extra weight of shortfalls: a shortfall counts 1 + alpha times as much as a surplus"
    )

    def prose(self) -> str:
        """Say which two values GeoRisk combines, and how much a shortfall counts."""
        return (
            "The value of a system is GeoRisk: the geometric mean of its mean value and of a measure of risk against all systems "
            f"of the study, in which a shortfall counts {number(1 + self.alpha)} times."
        )

    def aggregate(self, scores: UserMeasures) -> Floats:
        """Combine mean and risk; NaN without users.

        Raises
        ------
        DesignError
            If a user's value is negative.
        """
        shared = scores.counts.all(axis=0)
        values, weights = scores.values[:, shared], self.weights(scores)[shared]
        if values.min(initial=0.0) < 0:
            raise DesignError(
                f"GeoRisk needs values of zero and above, but a user's value is {values.min():g}",
                where=f"aggregate '{self.spec}'",
                allowed="metrics whose values are zero and above",
                remedy="aggregate this metric by urisk or trisk",
            )
        if values.size and not values.any():
            return np.zeros(len(values))
        told = values.any(axis=0)
        return self._joined(values[:, told], weights[told])

    def _joined(self, values: Floats, weights: Floats) -> Floats:
        everybody = np.ones(values.shape, dtype=np.bool_)
        systems, users = values @ weights, values.sum(axis=0)
        expected = np.outer(systems, users) / (systems.sum() or 1.0)
        z = np.divide(values - expected, np.sqrt(expected), out=np.zeros_like(values), where=expected > 0)
        risk = weighted_means(penalised(z, self.alpha), everybody, weights)
        return np.sqrt(weighted_means(values, everybody, weights) * ndtr(risk))
