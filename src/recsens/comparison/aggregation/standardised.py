"""Mean of users' values, each standardised against a pool of systems."""

from typing import Annotated, ClassVar

import numpy as np
from pydantic import AfterValidator, Field
from scipy.special import ndtr

from recsens.arrays import Bools, Floats
from recsens.comparison.aggregation._base import Aggregate, UserMeasures
from recsens.comparison.aggregation._weighing import standard_deviations, system_rows, users_counted_with, weighted_user_means
from recsens.plugins.prose import listed


def _sorted_pool(pool: tuple[str, ...]) -> tuple[str, ...]:
    """Sort the labels of a pool, because their order does not matter."""
    if len(set(pool)) < len(pool):
        raise ValueError("must not name a system twice")
    return tuple(sorted(pool))


class Standardised(Aggregate):
    """m = (1/|U|) Σ_u Φ(z_u) with z_u = (m_u - μ_u)/σ_u: users who are easy or hard for all systems count equally.

    μ_u and σ_u (ddof 1) are the mean and standard deviation of the pool's values for the user. If all these values are equal, Φ =
    1/2. The average is over users who count for the system and for the whole pool. Fix the pool before you compare systems: the
    default pool contains all systems of the study, and a further system then changes the values of all other systems. A test
    compares Φ(z_u).
    """

    source = "Webber, Moffat & Zobel (2008), 'Score standardization'; Cañamares, Castells & Moffat (2020), section 3.8"
    pools_systems = True
    also_called = ("standardized", "z_score")
    is_tested = True

    pool: Annotated[tuple[str, ...], Field(min_length=2), AfterValidator(_sorted_pool)] | None = Field(
        None, description="labels of the reference systems, [A, B]; null for all systems of the study"
    )
    differences: ClassVar[str] = "the users' differences of standardised values"

    def prose(self) -> str:
        """Say how values are standardised, and over which systems."""
        pool = "all systems of the study" if self.pool is None else f"the systems {listed(self.pool)}"
        return (
            "The value of a system is the mean of the users' standardised values. To standardise a value, its distance from the "
            f"user's mean over {pool} is divided by the standard deviation, and the normal distribution function is applied."
        )

    @property
    def named_systems(self) -> tuple[str, ...]:
        """The pool's labels, if the spec names a pool."""
        return self.pool or ()

    def aggregate(self, scores: UserMeasures) -> Floats:
        """Average; NaN without users."""
        return weighted_user_means(self.tested(scores), self._counted_with_pool(scores), self.weights(scores))

    def tested(self, scores: UserMeasures) -> Floats:
        """Return Φ(z); NaN unless a user counts for the system and for every system in the pool."""
        pool = scores.values[self._pool_rows(scores)]
        centred, sigma = scores.values - pool.mean(axis=0), standard_deviations(pool)
        z = np.divide(centred, sigma, out=np.zeros_like(centred), where=sigma > 0)
        return np.where(self._counted_with_pool(scores), ndtr(z), np.nan)

    def _counted_with_pool(self, scores: UserMeasures) -> Bools:
        return users_counted_with(scores, self._pool_rows(scores))

    def _pool_rows(self, scores: UserMeasures) -> list[int]:
        return system_rows(scores, self.pool or scores.systems, f"aggregate '{self.spec}'")
