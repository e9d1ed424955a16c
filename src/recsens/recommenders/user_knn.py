"""Nearest neighbours: what similar users rated."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.interactions import Interactions
from recsens.recommenders._base import Recommender
from recsens.recommenders._neighbourhoods import cosine_neighbours
from recsens.recommenders._preference import PREFERENCE_MEANING, Preference, preferences
from recsens.recommenders._rows import Rows
from recsens.recommenders._sums import sums_of_rows


class UserKNN(Recommender):
    """s(u, i) = Σ_{v in N_k(u), i in I_v} sim(u, v)^q r_vi, not normalised.

    sim(u, v) = r_u · r_v / sqrt(‖r_u‖² ‖r_v‖²) is the cosine of the rating vectors over all items (no rating = 0, raw ratings,
    not centred), and N_k(u) are the k most similar users other than u, of those with r_u · r_v != 0. Where users tie for the last
    places, the higher index is kept. Without ratings, every interaction counts as a rating of 1.

    Items that no neighbour rated are not computable, nor is anything for a user without neighbours.
    """

    source = "Aiolli (2013), section 3.2; Cremonesi, Koren & Turrin (2010), section 3.2; RankSys, UserNeighborhoodRecommender"
    n_threads = 2

    k: int = Field(100, ge=1, le=10_000, description="number of neighbours")
    similarity: Literal["cosine"] = Field("cosine", description="how the likeness of two users is measured")
    overlap: int = Field(1, ge=1, le=10_000, description="fewest items that a user and a neighbour have both rated")
    preference: Preference = Field("rating", description=PREFERENCE_MEANING)
    q: int = Field(1, ge=0, le=20, description="exponent of the similarity; 0 lets all neighbours weigh the same")

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Find the neighbours."""
        matrix = preferences(train, self.preference)
        indptr, neighbours, similarities = cosine_neighbours(Rows.of(matrix), Rows.of_columns(matrix), self.k, self.overlap)
        self._learned = {"indptr": indptr, "neighbours": neighbours, "weights": similarities**self.q}
        return self

    def score(self, train: Interactions, users: NDArray[np.int64]) -> NDArray[np.floating[Any]]:
        """Add up the neighbours' ratings, neighbour by neighbour in ascending order."""
        learned = self._learned
        weights = Rows(learned["indptr"], learned["neighbours"], learned["weights"])
        return sums_of_rows(users, weights, Rows.of(preferences(train, self.preference)), train.n_items)
