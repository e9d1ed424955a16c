"""Any split, tested with the complete relevance of a simulated data set, for every pair that is not known before the test."""

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.data.splitting._wrapper import Around
from recsens.plugins.specs import Spec
from recsens.seeds import Stream


class Complete(Around):
    """Trains as ``of`` does, and tests with the true ratings of all items that are in neither the user's train nor validation set.

    For simulated data (``simulated``), the true ratings are known whether or not they were observed. So values are as they would be
    if everything were known, and other splits with the same train set can be compared with them. A fold's roles, its record and its
    export are the same as for ``of``: only rankings are tested on the complete relevance. The split is refused for data without
    complete relevance, and with filters that change ratings. No other split can wrap it.
    """

    source = "Cañamares & Castells (2018), Should I follow the crowd?: true precision"

    def prose(self, whose: str = "the ratings") -> str:
        """Add which ratings systems were tested with."""
        return (
            f"{self.inner.prose(whose)} Systems learned from this training set, and were tested with the true ratings of all items "
            "that are not in the user's training set."
        )

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Split as the inner split does."""
        return self.inner.roles(interactions, fold, stream)

    @property
    def trains_as(self) -> Spec:
        """The inner split's `trains_as`, because train does not change."""
        return self.inner.trains_as

    @property
    def tests_truth(self) -> bool:
        """Always true."""
        return True

    @property
    def validates(self) -> bool:
        """Whether the inner split does."""
        return self.inner.validates
