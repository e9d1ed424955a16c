"""Users with enough ratings on either side of the split."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.users._base import Population, Users


class WithRatings(Users):
    """Average the users that have at least so many ratings in train, in test and among the relevant ones of test.

    By default one train rating is enough: users without test ratings or without relevant ones stay and count as zero.
    ``relevant=1`` is the other policy of the field, which skips users that no metric of relevance can score.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.3"

    train: int = Field(1, ge=0, description="fewest train ratings")
    test: int = Field(0, ge=0, description="fewest test ratings")
    relevant: int = Field(0, ge=0, description="fewest relevant test ratings; 1 skips users without any")

    def admit(self, population: Population) -> NDArray[np.bool_]:
        """Admit the users that reach all three minima."""
        return (population.train >= self.train) & (population.test >= self.test) & (population.relevant >= self.relevant)
