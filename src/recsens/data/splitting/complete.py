"""Any split whose test set is the complete truth of a simulated data set: every pair that is not known before the test."""

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.data.splitting._wrapper import Around
from recsens.plugins.specs import Spec
from recsens.seeds import Stream


class Complete(Around):
    """Trains as ``of`` does, and tests with the true rating of every item that the user has neither in train nor in validation.

    The truth is that of the data set (`simulated`), observed or not; so a measure is what a split with full knowledge would give,
    and other splits with the same train set can be judged by it. The roles of a fold, its record and an export are those of
    ``of``: only rankings are judged by the truth. Refused for data without a complete truth, and with filters that change ratings.
    No split goes around it.
    """

    source = "Cañamares & Castells (2018), Should I follow the crowd?: true precision"

    def prose(self, whose: str = "the ratings") -> str:
        """Add what systems were tested with."""
        return (
            f"{self.inner.prose(whose)} Systems learned from this training set, and were tested with the true rating of every item "
            "that a user has not in it."
        )

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Split as the split within does."""
        return self.inner.roles(interactions, fold, stream)

    @property
    def trains_as(self) -> Spec:
        """That of the split within: train does not change."""
        return self.inner.trains_as

    @property
    def tests_truth(self) -> bool:
        """Always."""
        return True

    @property
    def validates(self) -> bool:
        """Whether the split within does."""
        return self.inner.validates
