"""Sparse linear method with feature selection: every item is a sparse non-negative sum of similar items."""

from typing import Self

import numpy as np
from pydantic import Field
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions
from recsens.recommenders import Extent
from recsens.recommenders._elastic_nets import solve_supported
from recsens.recommenders._neighbourhoods import bytes_of_neighbours, cosine_neighbours
from recsens.recommenders._preference import zero_filled
from recsens.recommenders._rows import Rows
from recsens.recommenders._sparse_linear import SparseLinear


class FsSLIM(SparseLinear):
    """s(u, i) = Σ_{j in I_u and N_k(i)} r_uj w_ji, with weights that minimise ``slim``'s objective, w_ji = 0 if j is not in N_k(i).

    N_k(i) are the k items most similar to i, by the cosine of their ratings over all users (no rating = 0), among the items with a
    common rater. If items tie for the last places, the higher index is kept. Each item thus has a problem of only k weights, which
    is solved as in ``slim``. Because no matrix of all pairs of items is needed, memory grows with k |I|. With k >= |I| - 1, this is
    ``slim``.

    An item to which no item of the profile gives a weight is not computable, nor is any item for a user without ratings.
    """

    source = "Ning & Karypis (2011), SLIM with feature selection (fsSLIM)"
    pace = 10
    k: int = Field(100, ge=1, le=2000, description="number of similar items in an item's sum")

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes of the neighbours."""
        return bytes_of_neighbours(extent.items, self.k)

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Find the similar items, and solve for their weights.

        Raises
        ------
        DesignError
            If the similar items do not fit into memory.
        """
        ratings = zero_filled(train, self.preference)
        of_items = Rows.of_columns(ratings)
        # The similarities are freed here; the weights and their transposed copy then need no more memory than the search did.
        indptr, supports = cosine_neighbours(self, of_items, Rows.of(ratings), self.k)[:2]
        weights = np.zeros(len(supports))
        sweeps = np.empty(train.n_items, dtype=np.int64)
        for first, last in self._blocks(train.n_items):
            solve_supported(of_items, train.n_users, indptr, supports, first, self._penalty, weights, sweeps[first:last])
        by_target = csr_array((weights, supports, indptr), shape=(train.n_items, train.n_items))
        by_target.eliminate_zeros()
        self._learn(by_target, sweeps)
        return self
