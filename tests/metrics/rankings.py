"""Users' rankings, written by hand or drawn, which several tests of metrics use."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from hypothesis import strategies as st

from recsens import plugins
from recsens.files.scale import Scale
from recsens.metrics import Judged, Metric

NAN = math.nan
"""The rating of a judged item if the data have no ratings."""

STARS = Scale(1, 5, 1)
HALF_STARS = Scale(0.5, 5, 0.5)
FROM_ZERO = Scale(0, 4, 1)


@dataclass(frozen=True)
class User:
    """One user's ranking of ``listed`` items: the ratings at some ranks, and the ratings of judged items that are not ranked.

    ``scores`` are those of some ranked items, by rank; the others have none.
    """

    listed: int
    ranked: dict[int, float]
    unranked: tuple[float, ...] = ()
    scores: tuple[tuple[int, float], ...] = ()


A = User(10, {1: 5, 3: 2, 4: 4, 6: 1, 8: 4}, (5, 3))
"""Ranks 1 to 10 hold 5, -, 2, 4, -, 1, -, 4, -, -, and a 5 and a 3 are judged but not ranked."""


def judged(
    users: Sequence[User], *, view: str = "full", scale: Scale = STARS, relevance: float | None = None, seed: int = 0
) -> Judged:
    """Arrange users' judged positions, each user's rows in any order."""
    rng = np.random.default_rng(seed)
    rows = []
    for code, user in enumerate(users):
        scores = dict(user.scores)
        own = [(code, rank, rating, scores.get(rank, math.nan)) for rank, rating in user.ranked.items()]
        own += [(code, 0, rating, math.nan) for rating in user.unranked]
        rows += [own[place] for place in rng.permutation(len(own))]
    columns = np.array(rows, dtype=float).reshape(-1, 4).T
    return Judged.of(
        user=columns[0].astype(np.int32),
        position=columns[1].astype(np.int64),
        rating=columns[2],
        targets_ranked=np.array([user.listed for user in users], dtype=np.int64),
        view=view,
        scale=scale,
        relevance=scale.relevance if relevance is None else relevance,
        score=columns[3],
    )


@cache
def built(spec: str) -> Metric:
    """Build a metric once."""
    return plugins.build("metric", spec)


def measure(spec: str, given: Judged, *cutoffs: int) -> np.ndarray:
    """Measure all users."""
    found = built(spec).measure(given, cutoffs)
    assert found.shape == (given.n_users, len(cutoffs))
    assert found.dtype == np.float64
    return found


@st.composite
def users(draw: st.DrawFn, ratings: st.SearchStrategy[float]) -> User:
    """Users with any number of ranked, judged and relevant items, including none; scores fall with the rank, with some ties."""
    listed = draw(st.integers(0, 12))
    ranks = sorted(draw(st.sets(st.integers(1, listed)))) if listed else []
    steps = draw(st.lists(st.integers(0, 2), min_size=len(ranks), max_size=len(ranks)))
    scored = draw(st.integers(0, len(ranks)))
    scores = tuple((rank, 100.0 - fallen) for rank, fallen in list(zip(ranks, np.cumsum(steps).tolist(), strict=True))[:scored])
    return User(listed, {rank: draw(ratings) for rank in ranks}, tuple(draw(st.lists(ratings, max_size=3))), scores)


def populations(scale: Scale) -> st.SearchStrategy[list[User]]:
    """Some users with ratings on a scale."""
    steps = round((scale.highest - scale.lowest) / scale.step)
    return st.lists(users(st.integers(0, steps).map(lambda k: scale.lowest + k * scale.step)), min_size=1, max_size=8)


cutoff_lists = st.lists(st.integers(1, 15), min_size=1, max_size=4)
