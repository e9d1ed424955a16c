"""Non-normalised cosine neighbourhoods of users, on ratings without biases."""

from typing import ClassVar, Self

import numpy as np

from recsens.data.interactions import Interactions
from recsens.recommenders import Extent, Ints, Preset, Presets, Reals, claim, preset_field
from recsens.recommenders._nncos import BYTES_PER_SIMILARITY, NNCos
from recsens.recommenders._rows import Rows
from recsens.recommenders._shrunk_cosines import count_related, shrunk_cosines, sums_of_nearest
from recsens.users_at_once import USERS_AT_ONCE


class NNCosUB(NNCos):
    """s(u, i) = b_ui + Σ_{v in D_k(i; u)} d_uv (r_vi - b_vi), without a denominator.

    D_k(i; u) are the k users most similar to u among those who rated i; if users tie for the last places, the higher index is kept.
    d_uv = n_uv / (n_uv + λ_D) · r_u · r_v / sqrt(‖r_u‖² ‖r_v‖²), with n_uv common items, is the shrunk cosine of the vectors of
    ratings over all items (no rating = 0, biases not subtracted). Users with r_u · r_v = 0 do not count.

    b_ui = μ + b_u + b_i with the mean rating μ, b_i = Σ_{u in U_i} (r_ui - μ) / (λ_I + |U_i|) and b_u = Σ_{i in I_u} (r_ui - μ -
    b_i) / (λ_U + |I_u|). The sum grows with the number of neighbours, and scores are not limited to the rating scale: on MovieLens
    1M, the RMSE is 3.3 at k = 200, and 0.91 with the biases alone. Scores therefore rank items, but do not predict ratings.
    ``remove_biases=false`` sets b to 0; scores are then sums of similarities times ratings.

    Items without train ratings are never computable. With biases, all other pairs are computable: without neighbours the score is
    b_ui, and users without train ratings have b_u = 0. Without biases, pairs without a neighbour are not computable.

    Neighbours are found during scoring; only the biases are saved.
    """

    presets: ClassVar[Presets] = {
        "valcarce2018-ml1m": Preset(
            {"k": 10_000, "shrinkage": 1600.0, "item_shrinkage": 0.0, "user_shrinkage": 100.0},
            "released scores of Valcarce et al. (2018), MovieLens 1M; their parameters are unknown. "
            "RR is 13 % and recall 39 % above theirs",
            calibrated_on_test=True,
        )
    }

    preset: str | None = preset_field()

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Estimate the biases."""
        self._learn_biases(train)
        return self

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes needed for the similarities between the users scored together and all others."""
        return BYTES_PER_SIMILARITY * min(USERS_AT_ONCE, extent.users) * extent.users

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Compute the users' cosines with all other users; for every item, sum the contributions of the nearest users.

        Raises
        ------
        DesignError
            If the similarities of these users do not fit into memory.
        """
        rows, columns = Rows.of(train.matrix), Rows.of_columns(train.matrix)
        sizes = count_related(users, rows, columns)
        n_pairs = int(sizes.sum())
        claim(
            self,
            n_pairs * BYTES_PER_SIMILARITY,
            f"{n_pairs:,} similarities of users",
            "filter users, or choose user_knn, which keeps only k for each",
        )
        known = Rows.of_columns(self._residuals(train))
        has_choice = bool((train.item_counts > self.k).any())
        cosines = shrunk_cosines(users, sizes, rows, columns, self.shrinkage, in_order=has_choice)
        sums = sums_of_nearest(cosines, known, self.k, train.n_users, with_gaps=not self.remove_biases)
        return self._with_biases(train, users, np.ascontiguousarray(sums.T))
