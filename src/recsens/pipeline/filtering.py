"""Filter interactions by a chain of filters."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.data.filtering import Filter
from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.plugins.specs import Chain, Spec
from recsens.seeds import Origin


@dataclass(frozen=True)
class Filtered:
    """A filtered data set, with its users and items renumbered.

    Attributes
    ----------
    interactions
        The remaining interactions.
    users, items
        Former codes of the remaining users and items, ascending.
    effects
        Each filter with the sizes before and after the filter.
    """

    interactions: Interactions
    users: NDArray[np.int64]
    items: NDArray[np.int64]
    effects: list[dict[str, Any]]


def apply_filters(data: Interactions, filters: Sequence[Filter], origin: Origin, *, earlier: Sequence[Spec] = ()) -> Filtered:
    """Apply filters one after another; ``earlier`` are the filters already applied to the data set.

    Raises
    ------
    DesignError
        If no interaction is left.
    """
    effects, uses, unrated = [], Counter(link.name for link in earlier), data.item_counts == 0
    for component in filters:
        link = component.spec
        # A filter that occurs twice in a chain draws from two streams, because with the same draws it would keep the same rows
        # again.
        stream = origin.stream("filter", link.name, uses[link.name])
        uses[link.name] += 1
        before, data = data, component.apply(data, stream)
        effects.append({"filter": str(link), "before": _data_sizes(before), "after": _data_sizes(data)})
    if len(data) == 0:
        chain = Chain(tuple(each.spec for each in filters))
        raise DesignError(f"filter '{chain}' leaves no interaction of '{origin.identity}'", remedy="loosen the filter")
    # A filter drops items that lose all their ratings. Items of the catalogue that never had one stay.
    users, items = np.flatnonzero(data.user_counts), np.flatnonzero((data.item_counts > 0) | unrated)
    return Filtered(_renumber(data, users, items), users, items, effects)


def _data_sizes(data: Interactions) -> dict[str, int]:
    return {
        "users": int(np.count_nonzero(data.user_counts)),
        "items": int(np.count_nonzero(data.item_counts)),
        "ratings": len(data),
    }


def _renumber(data: Interactions, users: np.ndarray[Any, Any], items: np.ndarray[Any, Any]) -> Interactions:
    return Interactions(
        user=np.searchsorted(users, data.user).astype(np.int32),
        item=np.searchsorted(items, data.item).astype(np.int32),
        rating=data.rating,
        timestamp=data.timestamp,
        user_keys=data.user_keys[users],
        item_keys=data.item_keys[items],
        scale=data.scale,
        user_ids=None if data.user_ids is None else data.user_ids[users],
        item_ids=None if data.item_ids is None else data.item_ids[items],
        user_table=None if data.user_table is None else data.user_table.take(users),
        item_table=None if data.item_table is None else data.item_table.take(items),
        context_table=data.context_table,
    )
