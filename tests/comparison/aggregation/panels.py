"""Scores to aggregate, written with one row per system and one column per user."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recsens.comparison.aggregation import UserMeasures

THREE = [[0.5, 0.2, 0, 0.1, 0.4], [0.4, 0.3, 0.1, 0.1, 0.1], [0.3, 0.3, 0.1, 0.2, 0.3]]
"""Three systems A, B, C with five users."""


def scores(
    values: Sequence[Sequence[float]],
    counts: Sequence[Sequence[int]] | None = None,
    weights: Sequence[float] | None = None,
    **users: Any,
) -> UserMeasures:
    """Return scores of systems A, B, C, ...; by default every user counts, with weight 1."""
    table = np.array(values, dtype=float)
    return UserMeasures(
        systems=tuple("ABCDEFGH"[: len(table)]),
        values=table,
        counts=np.ones(table.shape, dtype=bool) if counts is None else np.array(counts, dtype=bool),
        weights=np.ones(table.shape[1]) if weights is None else np.array(weights, dtype=float),
        users={name: np.asarray(column) for name, column in users.items()},
    )


@st.composite
def panels(draw: st.DrawFn, n_systems: int | None = None, n_users: int | None = None) -> UserMeasures:
    """Draw values in [0, 1] in hundredths, who counts, and the users' numbers of ratings."""
    shape = (n_systems or draw(st.integers(1, 4)), n_users or draw(st.integers(1, 12)))
    ratings = arrays(np.int64, shape[1], elements=st.integers(0, 50))
    return scores(
        draw(arrays(float, shape, elements=st.integers(0, 100).map(lambda hundredths: hundredths / 100))),
        draw(arrays(bool, shape)),
        train=draw(ratings),
        test=draw(ratings),
        relevant=draw(ratings),
    )
