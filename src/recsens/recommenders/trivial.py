"""Recommenders that learn next to nothing.

random: Random recommendation: a baseline that every learning system should beat.
average_rating: Average rating: the same ranking for all users, best-rated items first.
popularity: Popularity: the same ranking for all users, most-rated items first.
"""

from typing import Literal, Self

import numpy as np
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.recommenders import Floats, Ints, Reals, Recommender, SearchSpace
from recsens.seeds import Stream


class Random(Recommender):
    """s(u, i) is uniform in [0, 1), drawn independently for every user and item.

    A draw is a hash of three keys: a 64-bit key that is drawn at fitting, the user's key and the item's key. It therefore depends
    neither on the order of users nor on the other users and items in the data. Every pair is computable.
    """

    label = "random"
    source = "Cañamares, Castells & Moffat (2020), section 4.6, 'Random'"
    is_trivial = True
    also_called = ("random_recommender", "rnd")

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Draw the key with which pairs of user and item are hashed."""
        self._learned = {"key": rng.integers(np.iinfo(np.uint64).max, size=1, dtype=np.uint64, endpoint=True)}
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Return a hash of each pair of user and item as its score."""
        stream = Stream(int(self._learned["key"][0]))
        return stream.uniform(train.user_keys[users][:, np.newaxis], train.item_keys[np.newaxis, :])


class AverageRating(Recommender):
    """s(u, i) = (Σ_{v in U_i} r_vi + d μ) / (|U_i| + d), the same for every user u.

    U_i are the users with a train rating for item i, and μ is the mean of all train ratings. The ``damping`` d acts like d
    additional ratings of μ for every item; an item with a single high rating then does not lead the ranking. Items without train
    ratings are not computable, whatever the damping. In data without ratings, every interaction counts as 1, and all items tie.
    """

    label = "average_rating"
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


class Popularity(Recommender):
    """s(u, i) = Σ_{v in U_i} w(r_vi), the same for every user u.

    U_i are the users with a train rating for item i. w is always 1 (``count``); or 1 for a rating at or above the data set's
    threshold of relevance, else 0 (``positive``); or the rating itself (``sum``). Items without train ratings are not computable;
    with ``positive``, an item whose ratings are all below the threshold scores 0. In data without ratings, every interaction counts
    as 1 with each option.
    """

    label = "popularity"
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
