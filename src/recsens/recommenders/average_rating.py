"""Average rating: the same ranking for all users, best-rated items first."""

from typing import Self

import numpy as np
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.recommenders import Ints, Reals, Recommender, SearchSpace


class AverageRating(Recommender):
    """s(u, i) = (Σ_{v in U_i} r_vi + d μ) / (|U_i| + d), the same for every user u.

    U_i are the users with a train rating for item i, and μ is the mean of all train ratings. The ``damping`` d acts like d
    additional ratings of μ for every item; an item with a single high rating then does not lead the ranking. Items without train
    ratings are not computable, whatever the damping. In data without ratings, every interaction counts as 1, and all items tie.
    """

    source = "Cremonesi, Koren & Turrin (2010), section 3.1, 'MovieAvg'; Cañamares, Castells & Moffat (2020), section 4.6"
    draws = False
    is_trivial = True
    predicts_ratings = True
    also_called = ("item_mean", "item_average", "movie_avg")
    search_space = SearchSpace("damping=log_uniform(low=0.1,high=1000)", "Koren (2010), damped averages; the range is ours")

    damping: float = Field(
        0.0, ge=0, description="number of ratings at the global mean that are added to every item; 0 gives the plain mean"
    )

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Average each item's ratings."""
        centre = train.values.mean() if len(train) else 0.0
        total = np.bincount(train.item, weights=train.values, minlength=train.n_items) + self.damping * centre
        rated = train.item_counts > 0
        average = np.full(train.n_items, np.nan)
        np.divide(total, train.item_counts + self.damping, out=average, where=rated)
        self._learned = {"average": average}
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Give every user the same scores."""
        return np.tile(self._learned["average"], (len(users), 1))
