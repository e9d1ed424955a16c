"""Random recommendation: a baseline that every learning system should beat."""

from typing import Self

import numpy as np

from recsens.data.interactions import Interactions
from recsens.recommenders import Ints, Reals, Recommender
from recsens.seeds import Stream


class Random(Recommender):
    """s(u, i) is uniform in [0, 1), drawn independently for every user and item.

    A draw is a hash of three keys: a 64-bit key that is drawn at fitting, the user's key and the item's key. It therefore depends
    neither on the order of users nor on the other users and items in the data. Every pair is computable.
    """

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
