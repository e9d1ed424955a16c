"""Nearest neighbours: what similar users rated."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.sparse import csr_array

from recsens.interactions import Interactions
from recsens.recommenders._base import Recommender
from recsens.recommenders._compiled import compiled
from recsens.recommenders._neighbourhoods import cosine_neighbours
from recsens.recommenders._rows import Rows


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
    preference: Literal["rating", "binary", "positive"] = Field(
        "rating",
        description="what counts as r: the rating, 1 for every rating, or 1 for those relevant by the scale (others are left out)",
    )
    q: int = Field(1, ge=0, le=20, description="exponent of the similarity; 0 lets all neighbours weigh the same")

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Find the neighbours."""
        matrix = self._preferences(train)
        indptr, neighbours, similarities = cosine_neighbours(Rows.of(matrix), Rows.of_columns(matrix), self.k, self.overlap)
        self._learned = {"indptr": indptr, "neighbours": neighbours, "weights": similarities**self.q}
        return self

    def score(self, train: Interactions, users: NDArray[np.int64]) -> NDArray[np.floating[Any]]:
        """Add up the neighbours' ratings, neighbour by neighbour in ascending order."""
        scores = np.full((len(users), train.n_items), np.nan)
        learned = self._learned
        _add_ratings(users, learned["indptr"], learned["neighbours"], learned["weights"], Rows.of(self._preferences(train)), scores)
        return scores

    def _preferences(self, train: Interactions) -> csr_array:
        """Ratings as they count, shape (n_users, n_items)."""
        if self.preference == "rating" or train.rating is None:
            return train.matrix
        chosen = train if self.preference == "binary" else train.take(train.rating >= train.scale.relevance)
        matrix = chosen.matrix
        return csr_array((np.ones_like(matrix.data), matrix.indices, matrix.indptr), shape=matrix.shape)


@compiled()
def _add_ratings(
    users: NDArray[np.int64],
    neighbour_indptr: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    weights: NDArray[np.float64],
    rows: Rows,
    scores: NDArray[np.float64],
) -> None:
    """Add weighted rows to ``scores``, in which NaN means that nothing was added yet."""
    for place in range(len(users)):
        row = scores[place]
        for nth in range(neighbour_indptr[users[place]], neighbour_indptr[users[place] + 1]):
            weight = weights[nth]
            for entry in range(rows.indptr[neighbours[nth]], rows.indptr[neighbours[nth] + 1]):
                item = rows.indices[entry]
                term = weight * rows.values[entry]
                row[item] = term if np.isnan(row[item]) else row[item] + term
