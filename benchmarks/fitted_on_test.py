"""A detector that was tried and not kept: do lists favour a user's test items over items that look the same in train?

Each relevant test pair is compared with unrated items of the same user that are about as popular in train, and about as similar to
the user's train items (matched pairs). This preference is then compared with that of refits by popularity and by item and user
neighbours.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from leaking_files import Files

Matrix = NDArray[np.float64]

_MATCHED = 5
"""Number of unrated items that each test pair is compared with."""

_NEAREST = 50
"""Number of neighbours of a refit."""


def preferences(files: Files) -> dict[str, dict[str, float]]:
    """Return, for each run, how much lists favour test items, in standard errors: over matched pairs, and beyond refits."""
    n_users, n_items = (1 + max(int(rows[role].max()) for rows in (files.train, files.test)) for role in ("user", "item"))
    shape = (n_users, n_items)
    train, test = _matrix(files.train, shape), _matrix(files.test, shape)
    known = train.sum(axis=0) > 0
    popularity = np.log1p(train.sum(axis=0))
    refits = [train @ _nearest(_cosine(train.T)), _nearest(_cosine(train)) @ train, np.broadcast_to(popularity, shape)]
    refits = [np.where((train > 0) | ~known, -np.inf, each) for each in refits]
    liked = files.test[(files.test["rating"] >= files.liked) & known[files.test["item"]]]
    user, item = liked["user"].to_numpy(), liked["item"].to_numpy()
    controls = _controls(user, item, popularity, refits[0], is_free=known & (train + test == 0))
    explained = [place(each) for each in refits for place in (_weights, _ranks)]
    by_train = np.stack([_advantage(each, user, item, controls) for each in explained], axis=1)
    found = {}
    for name, run in files.runs.items():
        gain = _advantage(_listed(run, shape), user, item, controls)
        found[name] = {"matched pairs": _score(gain, user, by_train[:, :0]), "beyond refits": _score(gain, user, by_train)}
    return found


def _matrix(rows: pd.DataFrame, shape: tuple[int, int]) -> Matrix:
    filled = np.zeros(shape)
    filled[rows["user"], rows["item"]] = 1
    return filled


def _cosine(rows: Matrix) -> Matrix:
    norms = np.sqrt(rows.sum(axis=1))
    likeness = rows @ rows.T / np.maximum(np.outer(norms, norms), 1)
    np.fill_diagonal(likeness, 0)
    return likeness


def _nearest(likeness: Matrix) -> Matrix:
    k = min(_NEAREST, len(likeness) - 1)
    return np.where(likeness >= np.partition(likeness, -k, axis=1)[:, [-k]], likeness, 0)


def _ranks(scores: Matrix) -> Matrix:
    """Return each item's rank among a user's scores, from 0 to 1."""
    return np.asarray(scores.argsort(axis=1, kind="stable").argsort(axis=1) / scores.shape[1])


def _weights(scores: Matrix, length: int = 100) -> Matrix:
    """Return the weights of the first items of each user's list: 1 for the first, down to 0."""
    place = (-scores).argsort(axis=1, kind="stable").argsort(axis=1)
    return np.where(np.isfinite(scores), np.maximum(0.0, 1 - place / length), 0.0)


def _listed(run: pd.DataFrame, shape: tuple[int, int]) -> Matrix:
    scores = np.full(shape, -np.inf)
    scores[run["user"], run["item"]] = run["score"]
    return _weights(scores)


def _controls(user: Any, item: Any, popularity: Matrix, likeness: Matrix, *, is_free: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the free items nearest to each test item in popularity and similarity to the user's train items, shape (n, 5)."""
    near = _ranks(likeness)
    spread = popularity.std(), near.std()
    distance = np.abs(popularity - popularity[item][:, np.newaxis]) / spread[0]
    distance += np.abs(near[user] - near[user, item][:, np.newaxis]) / spread[1]
    distance[~is_free[user]] = np.inf
    return np.argpartition(distance, _MATCHED, axis=1)[:, :_MATCHED]


def _advantage(values: Matrix, user: Any, item: Any, controls: NDArray[np.int64]) -> Matrix:
    return values[user, item] - values[user[:, np.newaxis], controls].mean(axis=1)


def _score(gain: Matrix, user: Any, by_train: Matrix) -> float:
    """Return the mean gain that a regression leaves, in standard errors by user."""
    x = np.column_stack([np.ones(len(gain)), by_train])
    bread = np.linalg.pinv(x.T @ x)
    left = gain - x @ (bread @ (x.T @ gain))
    pulls = np.stack([np.bincount(user, weights=column * left) for column in x.T], axis=1)
    error = np.sqrt((bread @ pulls.T @ pulls @ bread)[0, 0])
    return float((bread @ (x.T @ gain))[0] / error) if error > 0 else 0.0
