"""Filters as a user may write them."""

import numpy as np

from recsens.data.filtering import Filter


class FromThree(Filter):
    """Keep ratings of at least 3."""

    def apply(self, interactions, stream):
        return interactions.take(interactions.rating >= 3)


class Half(Filter):
    """Keep each interaction with probability one half."""

    def apply(self, interactions, stream):
        draws = stream.uniform(interactions.user_keys[interactions.user], interactions.item_keys[interactions.item])
        return interactions.take(draws < 0.5)


class Nothing(Filter):
    """Keep nothing."""

    def apply(self, interactions, stream):
        return interactions.take(np.zeros(len(interactions), dtype=bool))
