"""Risk against a baseline: a loss weighs more than a gain of the same size."""

from typing import ClassVar

import numpy as np
from pydantic import Field

from recsens.arrays import Bools, Floats
from recsens.comparison.aggregation._base import Aggregate, UserMeasures
from recsens.comparison.aggregation._weighing import counted_with, rows_of
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
        return counted_with(scores, [self._row(scores)])

    def _row(self, scores: UserMeasures) -> int:
        return rows_of(scores, [self.baseline], f"aggregate '{self.spec}'")[0] if self.baseline is not None else 0
