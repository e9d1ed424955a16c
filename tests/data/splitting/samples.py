"""Data that several tests of splits use."""

from dataclasses import replace

import numpy as np

from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.files.scale import Scale
from recsens.seeds import Stream
from recsens.testing import crowd
from recsens.vocabulary import Role


def timed(rows: str) -> Interactions:
    """Make interactions from ``user item time [rating]``, one per line or separated by commas; keys equal codes."""
    cells = [list(map(int, row.split())) for row in rows.replace("\n", ",").split(",") if row.strip()]
    user, item, time = (np.array([cell[place] for cell in cells]) for place in range(3))
    return Interactions(
        user=user.astype(np.int32),
        item=item.astype(np.int32),
        rating=np.array([cell[3] if len(cell) > 3 else 3 for cell in cells], dtype=float),
        timestamp=time.astype(np.int64),
        user_keys=np.arange(user.max() + 1, dtype=np.int64),
        item_keys=np.arange(item.max() + 1, dtype=np.int64),
        scale=Scale(),
    )


def shuffled(data: Interactions, order: np.ndarray) -> Interactions:
    """Return the same interactions in another order."""
    return replace(
        data,
        user=data.user[order],
        item=data.item[order],
        rating=None if data.rating is None else data.rating[order],
        timestamp=None if data.timestamp is None else data.timestamp[order],
    )


def letters(roles: np.ndarray) -> str:
    """Write roles as one letter each: train, test (T), validation (v), unused (-)."""
    return "".join({Role.TRAIN: ".", Role.TEST: "T", Role.VALIDATION: "v", Role.UNUSED: "-"}[Role(role)] for role in roles.tolist())


def n_test(roles: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Count the test ratings of each user or item."""
    return np.bincount(group[roles == Role.TEST], minlength=group.max() + 1)


def people() -> Interactions:
    """Return many users with skewed popularity and time stamps that often coincide."""
    data = crowd(n_users=200, n_items=60, share=0.3, seed=3)
    stream = Stream.of(4, "people")
    data = data.take(stream.uniform(data.user, data.item) < 1 / (1 + 0.1 * data.item))
    return replace(data, timestamp=1_000 + np.floor(200 * stream.child("time").uniform(data.user, data.item)).astype(np.int64))


def split(spec: str, data: Interactions, fold: int = 0, repeat: int = 0) -> np.ndarray:
    """Return the roles of a fold."""
    return plugins.build("split", spec).roles(data, fold, Stream.of(7, "splits", repeat))


PEOPLE = people()
