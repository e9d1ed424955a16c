"""The contract of a filter."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

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
    user = _check_codes(call, left.user, "users", left.n_users)
    item = _check_codes(call, left.item, "items", left.n_items)
    shape = user.shape
    if item.shape != shape:
        raise call.refused(f"returned items of shape {item.shape}", f"shape {shape}, like the users")
    pairs = user.astype(np.int64) * left.n_items + item
    # Most filters keep the order of the data set; then the pairs are already sorted.
    if (np.diff(pairs) <= 0).any() and (np.diff(np.sort(pairs)) == 0).any():
        raise call.refused("returned a pair of user and item twice", "each pair once")
    rating = None if left.rating is None else call.array(left.rating, "ratings", "fiu", shape).astype(np.float64)
    if rating is not None and len(rating) and not left.scale.lowest <= rating.min() <= rating.max() <= left.scale.highest:
        lowest, highest = left.scale.lowest, left.scale.highest
        raise call.refused(
            f"returned ratings from {rating.min():g} to {rating.max():g}",
            f"ratings on the scale that it returns with them, {lowest:g} to {highest:g}",
        )
    timestamp = None if left.timestamp is None else call.array(left.timestamp, "time stamps", "iu", shape).astype(np.int64)
    # The arrays are copied, because the filter may use them again in its next call.
    return replace(
        left,
        user=user,
        item=item,
        rating=rating,
        timestamp=timestamp,
        user_ids=given.user_ids,
        item_ids=given.item_ids,
    )


def _check_codes(call: Call, codes: Any, what: str, n: int) -> NDArray[np.int32]:
    checked = call.array(codes, what, "iu", np.shape(codes)[:1])
    if len(checked) and not 0 <= int(checked.min()) <= int(checked.max()) < n:
        raise call.refused(f"returned {what} with codes from {checked.min()} to {checked.max()}", f"0 to {n - 1}")
    return checked.astype(np.int32)


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
