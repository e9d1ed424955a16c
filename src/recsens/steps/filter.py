"""Filter: which interactions of a data set take part."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from recsens import plugins, tables
from recsens.artefacts import read_interactions, write_interactions
from recsens.errors import DesignError
from recsens.filtering import Filter
from recsens.interactions import Interactions
from recsens.seeds import Stream
from recsens.specs import Chain, Spec, parse_chain


def filter(  # noqa: A001 - a step bears the name of its decision
    *,
    interactions: str,
    user_ids: str,
    item_ids: str,
    dataset: str,
    kept_interactions: str,
    kept_user_ids: str,
    kept_item_ids: str,
    kept_dataset: str,
    chain: str,
    identity: str,
    seed: int,
) -> None:
    """Apply filters one after another, record each one's effect, and renumber the users and items that are left.

    Raises
    ------
    DesignError
        If nothing is left.
    """
    data = read_interactions(interactions=interactions, user_ids=user_ids, item_ids=item_ids, dataset=dataset)
    effects, filters, uses = [], [_built(link) for link in parse_chain(chain)], Counter[str]()
    tables.keep_spec(Path(kept_dataset).parent, Chain(tuple(each.spec for each in filters)))
    for component in filters:
        link = component.spec
        # A filter that stands twice in a chain draws twice: the same draws would keep once more what they kept before.
        stream = Stream.of(seed, identity, "filter", link.name, uses[link.name])
        uses[link.name] += 1
        before, data = data, component.apply(data, stream)
        effects.append({"filter": str(link), "before": _sizes(before), "after": _sizes(data)})
    if len(data) == 0:
        raise DesignError(f"filter '{chain}' leaves no interaction of '{identity}'", remedy="loosen the filter")
    users, items = np.flatnonzero(data.user_counts), np.flatnonzero(data.item_counts)
    record = {key: value for key, value in tables.read_json(dataset).items() if key != "scale"}
    side_users, side_items = _rows(user_ids, users), _rows(item_ids, items)
    write_interactions(
        _renumbered(data, users, items),
        user_ids=side_users.pop("id"),
        item_ids=side_items.pop("id"),
        record={**record, "filters": effects},
        user_columns=side_users,
        item_columns=side_items,
        paths={
            "interactions": kept_interactions,
            "user_ids": kept_user_ids,
            "item_ids": kept_item_ids,
            "dataset": kept_dataset,
        },
    )


def _built(link: Spec) -> Filter:
    component: Filter = plugins.build("filter", link)
    return component


def _sizes(data: Interactions) -> dict[str, int]:
    return {
        "users": int(np.count_nonzero(data.user_counts)),
        "items": int(np.count_nonzero(data.item_counts)),
        "ratings": len(data),
    }


def _rows(path: str, kept: np.ndarray[Any, Any]) -> dict[str, Any]:
    table = tables.read_table(path, tables.IDS).take(kept).drop_columns(["key"])
    return {name: table.column(name).combine_chunks() for name in table.column_names}


def _renumbered(data: Interactions, users: np.ndarray[Any, Any], items: np.ndarray[Any, Any]) -> Interactions:
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
    )
