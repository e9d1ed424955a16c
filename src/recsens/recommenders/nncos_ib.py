"""Non-normalised cosine neighbourhoods of items, on ratings without biases."""

from typing import ClassVar, Self

import numpy as np

from recsens.data.interactions import Interactions
from recsens.recommenders import Extent, Ints, Preset, Presets, Reals, claim, preset_field
from recsens.recommenders._nncos import BYTES_PER_SIMILARITY, NNCos
from recsens.recommenders._rows import Rows
from recsens.recommenders._shrunk_cosines import count_related, shrunk_cosines, sums_of_nearest


class NNCosIB(NNCos):
    """s(u, i) = b_ui + Σ_{j in D_k(u; i)} d_ij (r_uj - b_uj), without a denominator.

    D_k(u; i) are the k items most similar to i among the items that u rated; if items tie for the last places, the higher index is
    kept. d_ij = n_ij / (n_ij + λ_D) · r_i · r_j / sqrt(‖r_i‖² ‖r_j‖²), with n_ij common users, is the shrunk cosine of the vectors
    of ratings by all users (no rating = 0, biases not subtracted). Items with r_i · r_j = 0 do not count.

    b_ui, ``remove_biases`` and the computable pairs are as in ``nncos_ub``. The similarities of all pairs of items are stored,
    because any of them could be among the k highest for some user.
    """

    presets: ClassVar[Presets] = {
        "valcarce2018-ml1m": Preset(
            {"k": 2, "shrinkage": 125.0, "item_shrinkage": 0.0, "user_shrinkage": 100.0},
            "released scores of Valcarce et al. (2018), MovieLens 1M; their parameters are unknown. "
            "RR and recall are more than twice theirs",
            calibrated_on_test=True,
        )
    }

    preset: str | None = preset_field()

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Estimate the biases, and compute the cosines between all items.

        Raises
        ------
        DesignError
            If the similarities do not fit into memory.
        """
        self._learn_biases(train)
        rows, columns = Rows.of_columns(train.matrix), Rows.of(train.matrix)
        items = np.arange(train.n_items)
        sizes = count_related(items, rows, columns)
        n_pairs = int(sizes.sum())
        claim(
            self,
            n_pairs * BYTES_PER_SIMILARITY,
            f"{n_pairs:,} similarities of items",
            "filter items, or choose item_knn, which keeps only k for each",
        )
        cosines = shrunk_cosines(items, sizes, rows, columns, self.shrinkage)
        self._learned |= {"indptr": cosines.indptr, "items": cosines.indices, "similarities": cosines.values}
        return self

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes needed for the similarities between all pairs of items."""
        return BYTES_PER_SIMILARITY * extent.items**2

    def score(self, train: Interactions, users: Ints) -> Reals:
        """For each item, sum the contributions of the nearest items in every profile."""
        learned = self._learned
        cosines = Rows(learned["indptr"], learned["items"], learned["similarities"])
        profiles = Rows.of(self._residuals(train)[users])
        sums = sums_of_nearest(cosines, profiles, self.k, train.n_items, with_gaps=not self.remove_biases)
        return self._with_biases(train, users, sums)
