"""The contract of a filter."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np

from recsens.data.interactions import Interactions
from recsens.plugins import Plugin
from recsens.plugins.own import Call, returns
from recsens.seeds import Stream


def _check_kept(call: Call, left: object) -> Interactions:
    """Check the remaining interactions: users and items must be unchanged, pairs distinct, and ratings on their scale."""
    given: Interactions = call.arguments["interactions"]
    if not isinstance(left, Interactions):
        raise call.refused(f"returned {type(left).__name__}", "interactions", "end it with 'return interactions.take(...)'")
    if left is given:
        return left
    if not (np.array_equal(left.user_keys, given.user_keys) and np.array_equal(left.item_keys, given.item_keys)):
        raise call.refused(
            "changed the users or the items",
            ("the same user_keys and item_keys; users and items without ratings are removed later"),
        )
    shape = np.shape(left.user)[:1]
    user = call.codes(left.user, "users", shape, left.n_users).astype(np.int32)
    item = call.codes(left.item, "items", shape, left.n_items).astype(np.int32)
    pairs = user.astype(np.int64) * left.n_items + item
    # Most filters keep the order of the data set; then the pairs are already sorted.
    if (np.diff(pairs) <= 0).any() and (np.diff(np.sort(pairs)) == 0).any():
        raise call.refused("returned a pair of user and item twice", "each pair once")
    rating = call.ratings(left.rating, shape, left.scale.lowest, left.scale.highest)
    timestamp = call.times(left.timestamp, shape)
    # The arrays are copied, because the filter may use them again in its next call.
    return replace(
        left,
        user=user,
        item=item,
        rating=None if rating is None else rating.copy(),
        timestamp=None if timestamp is None else timestamp.copy(),
        user_ids=given.user_ids,
        item_ids=given.item_ids,
    )


class Filter(Plugin):
    """A rule that selects which interactions to use, or changes their ratings (decision A1)."""

    kind: ClassVar[str] = "filter"
    synonyms: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("min", "minimum", "min_ratings", "threshold"), "at_least"),
        **dict.fromkeys(("max", "maximum", "max_ratings"), "at_most"),
        **dict.fromkeys(("k", "core"), "users and items each have a number of ratings: k_core(users=5,items=5)"),
    }
    prose_lead: ClassVar[str] = "the data were filtered by"
    keeps_ratings: ClassVar[bool] = False
    """Whether the remaining ratings keep their values and scale."""
    needs_timestamps: ClassVar[bool] = False
    """Whether the filter needs time stamps."""
    is_random: ClassVar[bool] = False
    """Whether the filter draws from its stream."""

    def prose(self, when: str = "Before the split") -> str:
        """Describe what the filter kept. ``when`` begins the sentence: "Before the split" or, after another filter, "Then"."""
        return f"{when}, {super().prose()}"

    @abstractmethod
    @returns(_check_kept)
    def apply(self, interactions: Interactions, stream: Stream) -> Interactions:
        """Return the remaining interactions, with the same users and items; the step `filter` renumbers them later.

        Most filters return ``interactions.take(...)``. A filter that changes ratings also returns the new scale.
        """
