"""Sparse linear method: every item is a sparse non-negative sum of the other items."""

from typing import ClassVar, Self

import numpy as np
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions
from recsens.recommenders import Extent, Floats, Preset, Presets, claim, preset_field
from recsens.recommenders._elastic_nets import solve_columns
from recsens.recommenders._gram import gram_matrix
from recsens.recommenders._preference import zero_filled
from recsens.recommenders._sparse_linear import SparseLinear

_BYTES_PER_PRODUCT = 8

_BYTES_PER_WEIGHT = 2 * (4 + 8)
"""Bytes per weight: an index and a value, each stored twice (in portions and joined, or by rows and by columns)."""


class SLIM(SparseLinear):
    """s(u, i) = Σ_{j in I_u} r_uj w_ji, with weights that minimise ½ ‖R - RW‖² + β / 2 ‖W‖² + λ Σ_{i,j} w_ij.

    W >= 0 has a diagonal of zeros; R contains the ratings, and 0 for unrated pairs. Each column of W is a separate problem, which
    coordinate descent on the Gram matrix G = RᵀR solves in float64, until the distance of every single weight from its optimum is
    at most the tolerance. The solution is exact, because no weights are excluded beforehand. The Gram matrix takes 8 |I|² bytes.
    Every pair with G_ij > λ takes up to 24 further bytes, because only these pairs can have positive weights. For many items,
    choose ``fs_slim``. At λ = β = 0, weights need not be unique.

    The defaults suit ``preference=binary``, where every rating counts as 1. With ``preference=rating``, suitable λ and β grow with
    r². An item to which no item of the profile gives a weight is not computable, nor is any item for a user without ratings.
    """

    source = "Ning & Karypis (2011), equations 3 and 4; Friedman, Hastie & Tibshirani (2010) for coordinate descent"
    presets: ClassVar[Presets] = {
        "valcarce2018-ml1m": Preset(
            {"l1": 5.0, "l2": 300.0},
            "Valcarce et al. (2018), SLIM on MovieLens 1M: P@10 .3057, nDCG@10 .3921; parameters are not released",
            calibrated_on_test=True,
        )
    }
    also_called = ("slim_elastic_net", "slim_elastic")
    pace = 30

    preset: str | None = preset_field()

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes for the Gram matrix and the weights of all pairs; `fit` itself needs fewer if l1 is above 0."""
        return (_BYTES_PER_PRODUCT + _BYTES_PER_WEIGHT) * extent.items**2

    def seconds_needed(self, extent: Extent) -> float:
        """Return the seconds for one problem per item, each with a weight for every item."""
        return (extent.items / 1000) ** 3 / 4

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Solve for the weights of all items.

        Raises
        ------
        DesignError
            If the Gram matrix, or the weights, do not fit into memory.
        """
        n_items = train.n_items
        claim(
            self,
            _BYTES_PER_PRODUCT * n_items**2,
            f"the Gram matrix of {n_items:,} items",
            "choose fs_slim, or filter items with few ratings",
        )
        ratings = zero_filled(train, self.preference)
        gram = gram_matrix(ratings)
        claim(self, self._most_weights(ratings, gram) * _BYTES_PER_WEIGHT, f"the weights of {n_items:,} items", "raise l1")
        blocks = []
        sweeps = np.empty(n_items, dtype=np.int64)
        for first, last in self._blocks(n_items):
            weights = np.zeros((last - first, n_items))
            solve_columns(gram, first, self._penalty, weights, sweeps[first:last])
            blocks.append(csr_array(weights))
        del gram, weights
        by_target = _stacked(blocks)
        blocks.clear()
        self._learn(by_target, sweeps)
        return self

    def _most_weights(self, ratings: csr_array, gram: Floats) -> int:
        """Bound the number of positive weights: without negative ratings, w_ji > 0 requires G_ji > λ."""
        if ratings.data.min(initial=0.0) < 0:
            return gram.size
        return sum(int(np.count_nonzero(row > self.l1)) for row in gram)


def _stacked(blocks: list[csr_array]) -> csr_array:
    """Stack blocks of rows."""
    indptr = np.concatenate([[0], *(np.diff(block.indptr) for block in blocks)]).cumsum()
    indices, values = (np.concatenate([getattr(block, part) for block in blocks]) for part in ("indices", "data"))
    return csr_array((values, indices, indptr), shape=(len(indptr) - 1, blocks[0].shape[1]))
