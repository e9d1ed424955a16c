"""Scores as weighted sums of rows; a row contains a neighbour's ratings, or the similarities of an item in a profile."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from recsens.recommenders import Arrays, Floats, Ints
from recsens.recommenders._kernels import Rows, compiled

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


def sums_of_rows(users: Ints, weights: Rows, rows: Rows, n_items: int) -> Floats:
    """Return s(u, i) = Σ_{j in W_u} w_uj x_ji over the stored x_ji, shape (len(users), n_items); NaN if there is none.

    Parameters
    ----------
    users
        The users to score, as row numbers of ``weights``.
    weights
        w, one row per user: the similarities of neighbours, or the ratings of a profile. A stored zero counts.
    rows
        x, one row per j: the ratings of a user, or the similarities of an item to others.
    n_items
        Number of columns of x.
    """
    scores = np.empty((len(users), n_items))
    _add_rows(users, weights.frozen(), rows.frozen(), scores)
    return scores


def sums_over_profiles(users: Ints, ratings: csr_array, learned: Arrays) -> Floats:
    """Return Σ_{j in I_u} r_uj w_ji for learnt weights w, stored by profile item j in ``indptr``, ``items`` and ``weights``."""
    given = Rows(learned["indptr"], learned["items"], learned["weights"])
    return sums_of_rows(users, Rows.of(ratings), given, ratings.shape[1])


def sums_over_neighbours(users: Ints, ratings: csr_array, learned: Arrays) -> Floats:
    """Return Σ_{v in N_u} w_uv r_vi for learnt weights w in ``indptr``, ``neighbours`` and ``weights``."""
    weights = Rows(learned["indptr"], learned["neighbours"], learned["weights"])
    return sums_of_rows(users, weights, Rows.of(ratings), ratings.shape[1])


@compiled()
def _add_rows(users: Ints, weights: Rows, rows: Rows, scores: NDArray[Any]) -> None:
    """Set ``scores`` to sums of weighted rows in ascending order of j; items to which nothing was added become NaN."""
    met = np.empty(scores.shape[1], dtype=np.bool_)
    for index in range(len(users)):
        sums = scores[index]
        # Sums start at -0: -0 plus a term is exactly that term, even if the term is -0, so the first term needs no special case.
        sums[:] = -0.0
        met[:] = False
        for nth in range(weights.indptr[users[index]], weights.indptr[users[index] + 1]):
            weight, j = weights.values[nth], weights.indices[nth]
            for entry in range(rows.indptr[j], rows.indptr[j + 1]):
                sums[rows.indices[entry]] += weight * rows.values[entry]
                met[rows.indices[entry]] = True
        for item in range(len(met)):
            if not met[item]:
                sums[item] = np.nan
