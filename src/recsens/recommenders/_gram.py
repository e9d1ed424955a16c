"""The Gram matrix: products between all pairs of items."""

import numba
import numpy as np
from scipy.sparse import csr_array

from recsens.recommenders import Floats
from recsens.recommenders._compiled import compiled
from recsens.recommenders._rows import Rows

_SHARES = 16
"""Number of portions into which work is divided among threads; item i is in portion i mod 16."""


def gram_matrix(ratings: csr_array) -> Floats:
    """Return G = RᵀR, G_ij = Σ_u r_ui r_uj, shape (n_items, n_items).

    The sums run over users in ascending order, without BLAS, so they are the same for any number of threads.
    """
    gram = np.zeros((ratings.shape[1], ratings.shape[1]))
    _add_products(Rows.of(ratings), Rows.of_columns(ratings), gram)
    return gram


@compiled(parallel=True)
def _add_products(of_users: Rows, of_items: Rows, gram: Floats) -> None:
    for share in numba.prange(_SHARES):
        for item in range(share, len(gram), _SHARES):
            row = gram[item]
            for entry in range(of_items.indptr[item], of_items.indptr[item + 1]):
                user, rating = of_items.indices[entry], of_items.values[entry]
                for other in range(of_users.indptr[user], of_users.indptr[user + 1]):
                    row[of_users.indices[other]] += rating * of_users.values[other]
