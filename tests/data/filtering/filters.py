"""Data that several tests of filters use."""

from dataclasses import replace

import numpy as np

from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.seeds import Stream
from recsens.testing import crowd


def kept(spec: str, data: Interactions, seed: int = 7) -> Interactions:
    """Return the interactions that a filter keeps."""
    return plugins.build("filter", spec).apply(data, Stream.of(seed, "filters"))


def people() -> Interactions:
    """Return many users with skewed popularity and activity and with time stamps, whose keys differ from their codes."""
    data = crowd(n_users=120, n_items=60, share=0.4, seed=3)
    stream = Stream.of(4, "people")
    data = data.take(stream.uniform(data.user, data.item) < 1 / (1 + 0.1 * data.item + 0.02 * data.user))
    return replace(
        data,
        timestamp=1_000 + np.floor(200 * stream.child("time").uniform(data.user, data.item)).astype(np.int64),
        user_keys=5 + 3 * data.user_keys,
        item_keys=900 - 7 * data.item_keys,
    )


def rows(data: Interactions) -> set[tuple]:
    """Return interactions by the keys of user and item, with rating and time."""
    return set(
        zip(
            data.user_keys[data.user].tolist(),
            data.item_keys[data.item].tolist(),
            [None] * len(data) if data.rating is None else data.rating.tolist(),
            [None] * len(data) if data.timestamp is None else data.timestamp.tolist(),
            strict=True,
        )
    )


def pairs(data: Interactions) -> list[tuple[int, int]]:
    """Return the codes of user and item of every interaction, in their order."""
    return list(zip(data.user.tolist(), data.item.tolist(), strict=True))
