"""Risk: losses weigh more than gains of the same size, against a baseline or against all systems.

urisk: URisk: the mean gain over a baseline; losses weigh more.
trisk: TRisk: the gain over a baseline in units of its standard error; losses weigh more.
georisk: GeoRisk: a system's mean and its risk relative to all other systems, in one value.
"""

from typing import ClassVar

import numpy as np
from pydantic import Field
from scipy.special import ndtr

from recsens.arrays import Bools, Floats
from recsens.comparison.aggregation._base import Aggregate, UserMeasures
from recsens.comparison.aggregation._weighing import standard_deviations, system_rows, users_counted_with, weighted_user_means
from recsens.errors import DesignError
from recsens.plugins.prose import number


def penalised(gains: Floats, alpha: float) -> Floats:
    """Multiply losses by 1 + α and leave gains unchanged."""
    return np.where(gains < 0, (1 + alpha) * gains, gains)


class BaselineRisk(Aggregate):
    """Base of URisk and TRisk: users' gains over a baseline, with losses multiplied by 1 + α."""

    wants_more_is_better: ClassVar[bool] = True

    baseline: str | None = Field(None, min_length=1, description="label of the baseline system; null for the study's first system")
    alpha: float = Field(1.0, ge=0, description="extra weight of losses: a loss counts 1 + alpha times as much as a gain")
    differences: ClassVar[str] = "the users' differences of penalised gains"

    def prose_of(self, what: str) -> str:
        """Say how a system's value follows from the gains over the baseline."""
        against = "the first system of the study" if self.baseline is None else self.baseline
        return (
            f"The value of a system is {what} of the users' gains over the baseline, {against}, where a loss counts "
            f"{number(1 + self.alpha)} times."
        )

    @property
    def named_systems(self) -> tuple[str, ...]:
        """The baseline's label, if the spec names one."""
        return () if self.baseline is None else (self.baseline,)

    def tested(self, scores: UserMeasures) -> Floats:
        """Return users' penalised gains, which average to URisk; NaN for users who do not count for both system and baseline."""
        gains = scores.values - scores.values[self._row(scores)]
        return np.where(self.compared(scores), penalised(gains, self.alpha), np.nan)

    def compared(self, scores: UserMeasures) -> Bools:
        """Return which users count for both a system and the baseline, shape (n_systems, n_users)."""
        return users_counted_with(scores, [self._row(scores)])

    def _row(self, scores: UserMeasures) -> int:
        return system_rows(scores, [self.baseline], f"aggregate '{self.spec}'")[0] if self.baseline is not None else 0


class URisk(BaselineRisk):
    """URisk = (1/c) (Σ_{δ>0} δ + (1 + α) Σ_{δ<0} δ) over c users, where δ_u is the system's value minus the baseline's.

    The average is over users who count for the system and for the baseline. The baseline's URisk is 0. A value below 0 means that
    penalised losses exceed gains. A test compares the terms of the sum. Use it only with metrics for which higher is better.
    """

    label = "urisk"
    source = "Wang, Bennett & Collins-Thompson (2012); Dinçer, Macdonald & Ounis (2014)"
    pools_systems = True
    is_tested = True

    def prose(self) -> str:
        """Name the mean of gains."""
        return self.prose_of("the mean (URisk)")

    def aggregate(self, scores: UserMeasures) -> Floats:
        """Average the penalised gains; NaN without users."""
        return weighted_user_means(self.tested(scores), self.compared(scores), self.weights(scores))


class TRisk(BaselineRisk):
    """TRisk = URisk / SE with SE = s/√c, where s is the sample standard deviation of the c users' penalised gains.

    TRisk is the t statistic of URisk: values above 2 or below -2 are unlikely to be due to chance. The average is over users who
    count for the system and for the baseline. TRisk is 0 if no user gains or loses, which includes the baseline itself. It is NaN
    if all users gain or lose the same amount, or if there is only one user. A test compares the penalised gains, whose mean is
    URisk. Use it only with metrics for which higher is better.
    """

    label = "trisk"
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
    deviation = float(standard_deviations(scaled))
    return float(scaled.mean() / deviation * np.sqrt(len(scaled))) if deviation > 0 else float("nan")


class GeoRisk(Aggregate):
    """GeoRisk = √(m Φ(ZRisk / c)): the geometric mean of a system's mean value m and a measure of its risk against all systems.

    ZRisk = Σ_{z>0} z + (1 + α) Σ_{z<0} z is a sum over c users, with z = (x - E)/√E for the user's value x. If systems and users
    did not interact, x would be E = (sum of the system's values) · (sum of the user's values) / (sum of all values). The c users
    are those who count for all systems of the study, except users for whom every system scores zero (E = 0). A value therefore
    depends on the systems in the study. GeoRisk is 0 for a system that scores zero for all users. Because GeoRisk is not a sum over
    users, a test compares the users' values unchanged, and a system wins only if GeoRisk and the tested difference have the same
    sign. Negative values are refused. Use it only with metrics for which higher is better.
    """

    label = "georisk"
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
        risk = weighted_user_means(penalised(z, self.alpha), everybody, weights)
        return np.sqrt(weighted_user_means(values, everybody, weights) * ndtr(risk))
