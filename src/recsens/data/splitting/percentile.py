"""Any split, which also counts the items and test ratings in each popularity percentile (for P1R)."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.data.popularity import percentiles
from recsens.data.splitting._wrapper import Around
from recsens.vocabulary import Role


class Percentile(Around):
    """Splits the data as the split ``of`` does; each fold's record also counts items and test ratings by popularity percentile.

    Items are divided by their number of train ratings into ``m`` groups of equal size, most popular first; ties are ordered by key.
    P1R uses the same groups: it draws target items within a group, and averages over groups. Validation ratings count as train
    ratings.
    """

    source = "Bellogín (2012), section 4.6.1"
    keeps_train = True
    keeps_test = True

    m: int = Field(10, ge=2, le=1000, description="number of percentiles")

    def prose(self, whose: str = "the ratings") -> str:
        """Describe the inner split, and say what was recorded with each fold."""
        recorded = f"The items and test ratings in each of {self.m} popularity percentiles were recorded; the split is unchanged."
        return f"{self.inner.prose(whose)} {recorded}"

    def facts(self, interactions: Interactions, roles: NDArray[np.uint8]) -> Mapping[str, float]:
        """Return the numbers of items and test ratings, percentile by percentile."""
        known = interactions.take((roles == Role.TRAIN) | (roles == Role.VALIDATION))
        test = interactions.take(roles == Role.TEST)
        group = percentiles(known.item_counts, known.item_keys, self.m)
        items = np.bincount(group, minlength=self.m)
        ratings = np.bincount(group, weights=test.item_counts, minlength=self.m)
        told = dict(super().facts(interactions, roles))
        for index in range(self.m):
            told[f"items_of_percentile_{index + 1}"] = int(items[index])
            told[f"test_ratings_of_percentile_{index + 1}"] = int(ratings[index])
        return told
