"""Popularity: the same ranking for all users, most-rated items first."""

from typing import Literal, Self

import numpy as np
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.recommenders import Floats, Ints, Reals, Recommender, SearchSpace


class Popularity(Recommender):
    """s(u, i) = Σ_{v in U_i} w(r_vi), the same for every user u.

    U_i are the users with a train rating for item i. w is always 1 (``count``); or 1 for a rating at or above the data set's
    threshold of relevance, else 0 (``positive``); or the rating itself (``sum``). Items without train ratings are not computable;
    with ``positive``, an item whose ratings are all below the threshold scores 0. In data without ratings, every interaction counts
    as 1 with each option.
    """

    source = (
        "Cremonesi, Koren & Turrin (2010), section 3.1, 'TopPop'; Cañamares, Castells & Moffat (2020), section 4.6, 'Popularity'"
    )
    draws = False
    is_trivial = True
    also_called = ("pop", "most_pop", "most_popular", "top_pop", "item_pop")
    search_space = SearchSpace("of=[count,positive,sum]", "all values")

    of: Literal["count", "positive", "sum"] = Field(
        "count", description="the weight of each rating in the sum, which is 1, 1 only if it is relevant, or the rating itself"
    )

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Sum each item's ratings."""
        total = np.bincount(train.item, weights=self._weights(train), minlength=train.n_items)
        self._learned = {"popularity": np.where(train.item_counts > 0, total, np.nan)}
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Give every user the same scores."""
        return np.tile(self._learned["popularity"], (len(users), 1))

    def _weights(self, train: Interactions) -> Floats:
        if self.of == "sum":
            return train.values
        if self.of == "positive" and train.rating is not None:
            return (train.rating >= train.scale.relevance).astype(np.float64)
        return np.ones(len(train))
