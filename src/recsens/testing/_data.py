"""Data with known answers for tests of recommenders."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.files.scale import Scale
from recsens.seeds import Stream


def from_rows(rows: Sequence[Sequence[float | None]], *, with_ratings: bool = True, scale: Scale | None = None) -> Interactions:
    """Make interactions from a matrix with one row per user and one column per item; None is a pair without an interaction.

    The keys of users and items are their codes. ``with_ratings=False`` drops the ratings and keeps the pairs. ``scale`` is 1 to 5
    by default.

    Examples
    --------
    >>> train = from_rows([[5, None, 3], [None, None, 1]])
    >>> train.matrix.toarray()
    array([[5., 0., 3.],
           [0., 0., 1.]])
    """
    cells = [(u, i, rating) for u, row in enumerate(rows) for i, rating in enumerate(row) if rating is not None]
    user, item, rating = (np.array(column) for column in zip(*cells, strict=True)) if cells else (np.empty(0),) * 3
    return Interactions(
        user=user.astype(np.int32),
        item=item.astype(np.int32),
        rating=rating.astype(np.float64) if with_ratings else None,
        timestamp=None,
        user_keys=np.arange(len(rows), dtype=np.int64),
        item_keys=np.arange(len(rows[0]), dtype=np.int64),
        scale=scale or Scale(),
    )


@dataclass(frozen=True, slots=True)
class Checkerboard:
    """Users with one of two tastes. Each user rated all items of their taste except one, which is withheld.

    Attributes
    ----------
    train
        User u rated every item i of the same colour (u + i even), except one, with 5. With ``dislikes``, u also rated every item of
        the other colour, except one, with 1.
    withheld
        Each user's withheld item, shape (n_users,): the only item of the user's colour without a train rating by the user.
    """

    train: Interactions
    withheld: NDArray[np.int64]


def checkerboard(n: int = 16, *, dislikes: bool = False) -> Checkerboard:
    """Return a board of ``n`` >= 6 users and ``n`` items; the withheld items lie on the diagonal.

    With ``dislikes``, every user also rated the items of the other colour with 1, except an item next to the diagonal, because a
    recommender that predicts ratings learns nothing if all ratings are equal.
    """
    other = None if not dislikes else 1
    rows: list[list[float | None]] = [[5 if (u + i) % 2 == 0 else other for i in range(n)] for u in range(n)]
    for u, row in enumerate(rows):
        row[u] = row[u + 1 if u + 1 < n else u - 1] = None
    return Checkerboard(train=from_rows(rows), withheld=np.arange(n))


def crowd(n_users: int = 600, n_items: int = 120, share: float = 0.1, seed: int = 1) -> Interactions:
    """Return random ratings from 1 to 5 of a ``share`` of all pairs, by more users than a block for ranking has."""
    users, items = np.arange(n_users)[:, np.newaxis], np.arange(n_items)[np.newaxis, :]
    stream = Stream.of(seed, "crowd")
    user, item = np.nonzero(stream.child("rated").uniform(users, items) < share)
    return Interactions(
        user=user.astype(np.int32),
        item=item.astype(np.int32),
        rating=1.0 + np.floor(5.0 * stream.child("rating").uniform(user, item)),
        timestamp=None,
        user_keys=np.arange(n_users, dtype=np.int64),
        item_keys=np.arange(n_items, dtype=np.int64),
        scale=Scale(),
    )


def edge_cases() -> dict[str, Interactions]:
    """Return extreme train sets, each under a name that describes it."""
    return {
        "one user and one item": from_rows([[4]]),
        "one user and one item that never met": from_rows([[None]]),
        "no interaction": from_rows([[None] * 4] * 3),
        "one interaction": from_rows([[None, None], [3, None], [None, None]]),
        "a user and an item without interactions": from_rows([[5, None, 2], [None, None, None], [4, None, None]]),
        "nobody shares an item": from_rows([[5, None, None], [None, 4, None], [None, None, 3]]),
        "all ratings equal": from_rows([[3, 3, None], [None, 3, 3], [3, None, 3]]),
        "no ratings": from_rows([[1, 1, None, None], [None, 1, 1, None], [1, None, 1, None]], with_ratings=False),
        "a user and an item with ratings of zero alone": from_rows(
            [[4, 2, None, 0], [3, None, 4, None], [0, None, 0, 0], [None, 4, 3, 0]], scale=Scale(0, 4, 1)
        ),
        "a rating of zero": from_rows([[0, 2, None], [4, None, 1], [0, None, 0]], scale=Scale(0, 4, 1)),
    }
