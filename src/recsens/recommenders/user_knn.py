"""User-based nearest neighbours: recommends what similar users rated."""

from typing import ClassVar, Self

import numpy as np

from recsens.data.interactions import Interactions
from recsens.recommenders import Ints, Preset, Presets, Reals, preset_field
from recsens.recommenders._preference import preferences
from recsens.recommenders._sums import sums_over_neighbours
from recsens.recommenders._weighted_sums import WeightedSum


class UserKNN(WeightedSum):
    """s(u, i) = Σ_{v in N_k(u), i in I_v} sim(u, v)^q r_vi, not normalised.

    N_k(u) are the k users other than u who are most similar to u, and r_u is the vector of u's raw ratings over all items (no
    rating = 0, not centred). In data without ratings, every interaction counts as a rating of 1. sim(u, v) is

    - ``cosine``: r_u · r_v / ((‖r_u‖²)^α (‖r_v‖²)^(1 - α)), which is the usual cosine at α = 1/2; ``set_cosine``: the same formula
      with every rating set to 1;
    - ``vector_jaccard``: r_u · r_v / (‖r_u‖² + ‖r_v‖² - r_u · r_v); ``jaccard``: |I_u ∩ I_v| / |I_u ∪ I_v|;
    - ``log_likelihood``: 1 - 1 / (1 + Λ), where Λ is Dunning's likelihood ratio for the numbers of items that both, one or neither
      of u and v rated.

    Users with r_u · r_v = 0 (for similarities of sets: without a common item) are not neighbours. If users tie for the last places,
    the higher index is kept. Items that no neighbour rated are not computable, nor is any item for a user without neighbours.
    """

    source = (
        "Aiolli (2013), section 3.2; Cremonesi, Koren & Turrin (2010), section 3.2; Dunning (1993); RankSys, "
        "UserNeighborhoodRecommender, VectorCosineSimilarity, LogLikelihoodSimilarity"
    )
    presets: ClassVar[Presets] = {
        "canamares2020": Preset(
            {"k": 100, "similarity": "cosine", "preference": "rating"},
            "Cañamares, Castells & Moffat (2020), section 4: MovieLens 1M; ratings and the missing denominator as in RankSys",
        )
    }
    also_called = ("knn", "user_based", "user_cf", "ubcf", "user_user")

    preset: str | None = preset_field()

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Find the neighbours.

        Raises
        ------
        DesignError
            If the neighbours do not fit into memory.
        """
        indptr, neighbours, weights = self._neighbours(preferences(train, self.preference))
        self._learned = {"indptr": indptr, "neighbours": neighbours, "weights": weights}
        return self

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Sum the neighbours' ratings, neighbour by neighbour in ascending order."""
        return sums_over_neighbours(users, preferences(train, self.preference), self._learned)
