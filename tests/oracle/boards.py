"""Random rankings and judgements in trec_eval's form, as positions and as rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from recsens.files.scale import Scale
from recsens.metrics import Judged

Table = dict[str, dict[str, float]]
"""User -> item -> score, or grade."""


@dataclass(frozen=True, eq=False)
class Rankings:
    """Random rankings without ties; some are empty, some short, some belong to users without relevant or judged items."""

    ratings: np.ndarray
    """Shape (n_users, n_items); 0 where an item is not judged."""
    positions: np.ndarray
    """Shape (n_users, n_items); 0 where an item is not ranked."""

    @classmethod
    def draw(cls, seed: int, n_users: int, n_items: int, share_judged: float = 0.4) -> Rankings:
        rng = np.random.default_rng(seed)
        ratings = rng.integers(1, 6, (n_users, n_items)) * (rng.random((n_users, n_items)) < share_judged)
        # Every tenth user has rated nothing that is relevant, every tenth but one nothing at all.
        ratings[::10] = np.minimum(ratings[::10], 3)
        ratings[9::10] = 0
        lengths = np.minimum(rng.integers(0, n_items + 1, n_users), rng.choice([3, n_items], n_users))
        lengths[5::20] = 0
        order = np.argsort(rng.random((n_users, n_items)), axis=1).argsort(axis=1) + 1
        return cls(ratings, np.where(order <= lengths[:, np.newaxis], order, 0))

    def judged(self, view: str = "full") -> Judged:
        user, item = np.nonzero(self.ratings)
        return Judged.of(
            user=user.astype(np.int32),
            position=self.positions[user, item].astype(np.int64),
            rating=self.ratings[user, item].astype(float),
            targets_ranked=(self.positions > 0).sum(axis=1),
            view=view,
            scale=Scale(),
            relevance=4,
        )

    @cached_property
    def users(self) -> list[str]:
        """Users with a judged item."""
        return [f"{user}" for user in np.flatnonzero(self.ratings.any(axis=1))]

    @cache  # noqa: B019 - boards live as long as their tests
    def qrels(self, least: int = 1, *, binary: bool = False) -> dict[str, dict[str, int]]:
        """Ratings of users with a judged item as grades, with lower ones as grade 0; only 0 and 1 if binary."""
        grades = np.where(self.ratings >= least, 1 if binary else self.ratings, 0)
        return {
            user: {f"i{item:03}": int(grades[int(user), item]) for item in np.flatnonzero(self.ratings[int(user)])}
            for user in self.users
        }

    @cache  # noqa: B019
    def run(self, view: str = "full") -> Table:
        """Scores that fall with the position; if condensed, only judged items; an empty list is left out."""
        kept = self.positions * ((self.ratings > 0) if view == "condensed" else 1)
        return {f"{u}": {f"i{i:03}": 1000.0 - row[i] for i in np.flatnonzero(row)} for u, row in enumerate(kept) if row.any()}


def rows(table: Table) -> tuple[list[str], list[str], list[float]]:
    """Users, items and values, as `recsens.runs.evaluation.evaluate` reads them."""
    cells = [(user, item, value) for user, items in table.items() for item, value in items.items()]
    user, item, value = map(list, zip(*cells, strict=True))
    return user, item, value
