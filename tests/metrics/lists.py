"""Lists and their catalogue, written by hand or drawn, which several tests of list metrics use."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from metrics.rankings import STARS, built
from recsens.metrics import Catalogue, Judged, Lists


def catalogue(train: Sequence[tuple[int, int]], n_users: int, n_items: int, **columns: list[Any]) -> Catalogue:
    """Make a catalogue from train ratings given as pairs of user and item."""
    user, item = np.array(train, dtype=np.int32).reshape(-1, 2).T
    return Catalogue(user, item, n_users, n_items, columns)


def rated(counts: Sequence[int], n_users: int, **columns: list[Any]) -> Catalogue:
    """Let the first users rate each item, as many as its count; every user has a rating if all users rate some item."""
    pairs = [(user, item) for item, count in enumerate(counts) for user in range(count)]
    return catalogue(pairs, n_users, len(counts), **columns)


def lists(rows: Sequence[Sequence[int]], known: Catalogue) -> Lists:
    """Arrange each user's list, best first."""
    item = np.array([item for row in rows for item in row], dtype=np.int32)
    return Lists(item, np.cumsum([0, *map(len, rows)]), known, np.arange(len(rows)))


def judged(rows: Sequence[Sequence[int]], liked: Sequence[Sequence[int]] = ()) -> Judged:
    """Let each user like some items, in the list or not."""
    found = [
        (user, row.index(item) + 1 if item in row else 0, item)
        for user, (row, items) in enumerate(zip(rows, liked, strict=False))
        for item in items
    ]
    user, position, item = np.array(found, dtype=np.int64).reshape(-1, 3).T
    return Judged(
        user.astype(np.int32),
        position,
        np.full(len(user), 5.0),
        np.array([len(row) for row in rows]),
        STARS,
        4,
        item=item.astype(np.int32),
    )


def measure(spec: str, rows: Sequence[Sequence[int]], known: Catalogue, *cutoffs: int, liked: Sequence[Sequence[int]] = ()) -> Any:
    """Measure lists by a metric."""
    found = built(spec).measure_lists(lists(rows, known), judged(rows, liked), cutoffs)
    assert found.shape == (1 if built(spec).unit == "pooled" else len(rows), len(cutoffs))
    return found


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[list[int]], Catalogue, list[list[int]]]:
    """Draw lists, a catalogue with words for each item, and what users like."""
    n_users, n_items = draw(st.integers(1, 6)), draw(st.integers(1, 9))
    items = st.integers(0, n_items - 1)
    some = st.lists(items, unique=True, max_size=n_items)
    rows, profiles, liked = ([draw(some) for _ in range(n_users)] for _ in range(3))
    words = [draw(st.lists(st.sampled_from("abc"), unique=True)) for _ in range(n_items)]
    pairs = [(user, item) for user, row in enumerate(profiles) for item in row]
    return rows, catalogue(pairs, n_users, n_items, genres=words), liked
