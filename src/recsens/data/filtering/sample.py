"""A random sample of the data."""

import numpy as np
from pydantic import Field

from recsens.data.filtering._base import Filter
from recsens.data.interactions import Interactions
from recsens.plugins.prose import listed, percent
from recsens.seeds import Stream


class Sample(Filter):
    """Keep users, items and ratings with given probabilities. A rating is kept only if its user and its item are kept too.

    Every draw is a hash of keys and independent of all other draws, so the sample has the given shares on average, not exactly. A
    sample contains every sample with smaller shares and the same seed. A second sample in a chain uses new draws. The defaults keep
    everything.
    """

    source = "Bernoulli sampling: Särndal, Swensson & Wretman (1992), section 3.2"
    keeps_ratings = True
    is_random = True

    ratings: float = Field(1.0, gt=0, le=1, description="share of the ratings")
    users: float = Field(1.0, gt=0, le=1, description="share of the users, each with all their ratings")
    items: float = Field(1.0, gt=0, le=1, description="share of the items, each with all its ratings")

    def prose(self, when: str = "Before the split") -> str:
        """Name the shares that were drawn."""
        shares = {"users": self.users, "items": self.items, "ratings": self.ratings}
        parts = [f"{percent(part)} of the {name}" for name, part in shares.items() if part < 1]
        if not parts:
            return f"{when}, we kept everything, as a sample of 100 %."
        return f"{when}, we kept a random sample of {listed(parts)}, each drawn independently, so the shares hold on average."

    def apply(self, interactions: Interactions, stream: Stream) -> Interactions:
        """Draw users, items and ratings."""
        user_keys, item_keys = interactions.user_keys, interactions.item_keys
        stays_user = stream.child("users").uniform(user_keys) < self.users
        stays_item = stream.child("items").uniform(item_keys) < self.items
        kept = stays_user[interactions.user] & stays_item[interactions.item]
        if self.ratings < 1:
            rows = np.flatnonzero(kept)
            draws = stream.child("ratings").uniform(user_keys[interactions.user[rows]], item_keys[interactions.item[rows]])
            kept[rows] = draws < self.ratings
        return interactions.take(kept)
