"""Small files without a leak: tastes, popularity, a random split, and a system that knows train alone."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.runs.leakage._material import Material

N_USERS, N_ITEMS, LENGTH = 160, 90, 40


@dataclass(frozen=True)
class Triples:
    """Users, items and values, with time stamps or without."""

    user: NDArray[np.int64]
    item: NDArray[np.int64]
    value: NDArray[np.float64]
    time: NDArray[np.int64] | None = None

    def kept(self, rows: NDArray[Any]) -> "Triples":
        time = None if self.time is None else self.time[rows]
        return Triples(self.user[rows], self.item[rows], self.value[rows], time)

    def and_those(self, other: "Triples") -> "Triples":
        return Triples(*(np.concatenate([getattr(self, each), getattr(other, each)]) for each in ("user", "item", "value")))

    @property
    def source(self) -> Any:
        rows = (self.user, self.item, self.value)
        return rows if self.time is None else (rows, self.time)


@dataclass(frozen=True)
class Clean:
    """Train, test, and the lists of one run."""

    train: Triples
    test: Triples
    run: Triples
    scores: NDArray[np.float64] = field(repr=False)
    validation: Triples | None = None
    further: dict[str, Triples] = field(default_factory=dict)

    def material(self, *, metric: str = "nDCG@10") -> Material:
        runs = {"A": self.run.source, **{name: each.source for name, each in self.further.items()}}
        validation = None if self.validation is None else self.validation.source
        settings = {"metric": metric, "relevance": None, "scale": None, "rank_by": "score", "told": {}, "seed": 0}
        return Material.read(self.train.source, self.test.source, runs, validation, **settings)

    def with_lists(self, scores: NDArray[np.float64], *, hidden: Triples | None = None) -> "Clean":
        return replace(self, run=lists_of(scores, self.train if hidden is None else hidden))


def lists_of(scores: NDArray[np.float64], hidden: Triples) -> Triples:
    """List every user's best items that are not hidden, best first."""
    left = scores.copy()
    left[hidden.user, hidden.item] = -np.inf
    order = np.argsort(-left, axis=1, kind="stable")[:, :LENGTH]
    value = np.take_along_axis(left, order, axis=1).ravel()
    rows = Triples(np.repeat(np.arange(N_USERS), LENGTH), order.ravel(), value)
    return rows.kept(np.isfinite(value))


def clean(seed: int = 3) -> Clean:
    """Draw ratings by popularity and two tastes, and put a quarter aside at random."""
    rng = np.random.default_rng(seed)
    popularity = 1 / np.arange(1, N_ITEMS + 1) ** 0.5
    same = (np.arange(N_USERS)[:, None] % 2) == (rng.permutation(N_ITEMS)[None, :] % 2)
    rated = rng.random((N_USERS, N_ITEMS)) < np.minimum(popularity * np.where(same, 1.1, 0.25), 0.9)
    user, item = np.nonzero(rated)
    rows = Triples(user, item, np.ones(len(user)))
    is_test = rng.random(len(user)) < 0.25
    train, test = rows.kept(~is_test), rows.kept(is_test)
    seen = np.zeros((N_USERS, N_ITEMS))
    seen[train.user, train.item] = 1
    scores = seen @ (seen.T @ seen) + rng.random((N_USERS, N_ITEMS)) * 1e-3
    return Clean(train, test, lists_of(scores, train), scores)
