"""Neighbours by likelihood: for each row of a matrix, find the k rows with the language models that best explain it."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numba
import numpy as np
from scipy.sparse import csr_array

from recsens.recommenders import Floats, Ids, Ints
from recsens.recommenders._compiled import compiled
from recsens.recommenders._k_best import keep_best
from recsens.recommenders._neighbour_blocks import SHARES, Neighbours, neighbours_of_all
from recsens.recommenders._occurrences import column_shares, row_sums
from recsens.recommenders._rows import Rows
from recsens.recommenders._smoothing import Smoothed, Smoothing


class LanguageModels(NamedTuple):
    """One smoothed model p(c|v) for each row v of a matrix, and p(c|C) for all rows together.

    Attributes
    ----------
    gains
        ln(p(c|v) / (a_v p(c|C))) >= 0 of the stored values, by columns. For a column c that row v does not store, p(c|v) = a_v
        p(c|C); the gain is the logarithm of how much more likely c is because v stores it.
    floors
        ln a_v of every row, shape (n_rows,).
    """

    gains: Rows
    floors: Floats

    @classmethod
    def of(cls, ratings: csr_array, smoothing: Smoothing, mu: float, mixing: float, discount: float) -> LanguageModels:
        """Estimate the models from ratings >= 0 with sorted indices; for the parameters, see `Smoothed.of`."""
        row_of_entry = np.repeat(np.arange(ratings.shape[0]), np.diff(ratings.indptr))
        kept, spread, whole = Smoothed.of(ratings, smoothing, mu, mixing, discount)
        expected = spread[row_of_entry] * column_shares(ratings)[ratings.indices]
        gains = np.log1p(np.divide(kept, expected, out=np.zeros(len(kept)), where=kept > 0))
        # A row without ratings above 0 has no model and no gain, so it is never a neighbour.
        floors = np.log(np.divide(spread, whole, out=np.ones(len(whole)), where=whole > 0))
        return cls(Rows.of_columns(csr_array((gains, ratings.indices, ratings.indptr), shape=ratings.shape)), floors)


def likelihood_neighbours(ratings: csr_array, models: LanguageModels, priors: Floats, k: int) -> Neighbours:
    """Find, for every row u, the k other rows v with the largest p(v|u) ∝ p(v) Π_c p(c|v)^r_uc.

    Rows without a common column (with values above 0 in both) are not neighbours, so a row may have fewer than k. If rows with the
    same likelihood compete for the last places, the higher index wins.

    Parameters
    ----------
    ratings
        r >= 0, with sorted indices.
    models
        p(c|v), one model for each row.
    priors
        ln p(v), shape (n_rows,).
    k
        Size of a neighbourhood, >= 1.

    Returns
    -------
    indptr, neighbours, log_odds
        Row u has the neighbours ``neighbours[indptr[u]:indptr[u + 1]]``, ascending, with ln p(v) + Σ_c r_uc ln(p(c|v) / p(c|C)) for
        each of them.
    """
    rows, lengths = Rows.of(ratings), row_sums(ratings)
    fill = partial(_fill_block, rows, models.gains, models.floors, priors, lengths)
    return neighbours_of_all(ratings.shape[0], k, fill, "neighbours by likelihood")


def cosines(ratings: csr_array, indptr: Ints, neighbours: Ids) -> Floats:
    """Return r_u · r_v / sqrt(‖r_u‖² ‖r_v‖²) for every row u and each of its neighbours v, in the order of ``neighbours``."""
    values = np.empty(len(neighbours))
    _fill_cosines(Rows.of(ratings), ratings.shape[1], row_sums(ratings**2), indptr, neighbours, values)
    return values


@compiled(parallel=True)
def _fill_block(
    rows: Rows,
    gains: Rows,
    floors: Floats,
    priors: Floats,
    lengths: Floats,
    first: int,
    sizes: Ints,
    neighbours: Ids,
    log_odds: Floats,
) -> None:
    n_rows = len(floors)
    for share in numba.prange(SHARES):
        products = np.zeros(n_rows)
        candidates = np.empty(n_rows, dtype=np.int32)
        rivals = np.empty(n_rows)
        for index in range(share, len(sizes), SHARES):
            row = first + index
            products[:] = 0.0
            for entry in range(rows.indptr[row], rows.indptr[row + 1]):
                column, value = rows.indices[entry], rows.values[entry]
                for other in range(gains.indptr[column], gains.indptr[column + 1]):
                    products[gains.indices[other]] += value * gains.values[other]
            products[row] = 0.0
            n_candidates = 0
            for other in range(n_rows):
                if products[other] > 0.0:
                    candidates[n_candidates] = other
                    rivals[n_candidates] = products[other] + lengths[row] * floors[other] + priors[other]
                    n_candidates += 1
            sizes[index] = keep_best(candidates[:n_candidates], rivals[:n_candidates], neighbours[index], log_odds[index])


@compiled(parallel=True)
def _fill_cosines(rows: Rows, n_columns: int, squared: Floats, indptr: Ints, neighbours: Ids, values: Floats) -> None:
    for share in numba.prange(SHARES):
        own = np.zeros(n_columns)
        for row in range(share, len(squared), SHARES):
            for entry in range(rows.indptr[row], rows.indptr[row + 1]):
                own[rows.indices[entry]] = rows.values[entry]
            for nth in range(indptr[row], indptr[row + 1]):
                other = neighbours[nth]
                product = 0.0
                for entry in range(rows.indptr[other], rows.indptr[other + 1]):
                    product += own[rows.indices[entry]] * rows.values[entry]
                values[nth] = product / np.sqrt(squared[row] * squared[other])
            for entry in range(rows.indptr[row], rows.indptr[row + 1]):
                own[rows.indices[entry]] = 0.0
