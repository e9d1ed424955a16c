"""Weighted sums over the neighbours whose language models best explain a user's ratings, or an item's raters.

lm_wsr_ib: Weighted sums over the items with the language models that best explain which users rated an item.
lm_wsr_ub: Weighted sums over the users with the language models that best explain a profile.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Literal, NamedTuple, Self

import numba
import numpy as np
from pydantic import Field
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions
from recsens.recommenders import (
    Extent,
    Floats,
    Ids,
    Ints,
    Reals,
    Recommender,
    SearchSpace,
    preset_field,
    valcarce2018_ml1m,
)
from recsens.recommenders._kernels import Rows, compiled
from recsens.recommenders._language_models import Smoothed, Smoothing, column_shares, occurrences, row_sums
from recsens.recommenders._neighbourhoods import (
    SHARES,
    Neighbours,
    bytes_of_neighbours,
    claim_neighbours,
    keep_best,
    neighbours_of_all,
)
from recsens.recommenders._preference import zero_filled
from recsens.recommenders._products import sums_over_neighbours, sums_over_profiles


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
    return neighbours_of_all(ratings.shape[0], [k], fill, "neighbours by likelihood")[0]


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
    _ends: Ints,
    sizes: Ints,
    neighbours: Ids,
    log_odds: Floats,
) -> None:
    n_rows = len(floors)
    for share in numba.prange(SHARES):
        products = np.zeros(n_rows)
        candidates = np.empty(n_rows, dtype=np.int32)
        rivals = np.empty(n_rows)
        for index in range(share, len(neighbours), SHARES):
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
            sizes[0, index] = keep_best(candidates[:n_candidates], rivals[:n_candidates], neighbours[index], log_odds[index])


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


_BYTES_OF_WEIGHTS = 2 * 8
"""Bytes of a neighbour's weight, which is stored twice, by rows and by columns, in addition to the likelihood."""


class LikelihoodNeighbours(Recommender):
    """Neighbours v of u with the largest p(v|u) ∝ p(v) Π_c p(c|v)^r_uc, and their weights.

    u and v are two users, and c runs over the items; or u and v are two items, and c runs over the users.
    """

    source = (
        "Valcarce, Parapar & Barreiro (2016), Language models for collaborative filtering neighbourhoods; Zhai & Lafferty (2004)"
    )
    draws = False
    n_threads = 2
    presets = valcarce2018_ml1m(
        {"mixing": 0.9}, "Valcarce et al. (2018), LM-WSR-UB and LM-WSR-IB: the released P@10 and nDCG@10 on MovieLens 1M"
    )
    by: ClassVar[Literal["users", "items"]] = "users"
    """Whether the neighbours of users or those of items are found."""
    search_space = SearchSpace(
        "k=log_uniform(low=5,high=500),mixing=uniform(low=0.05,high=0.95),mu=log_uniform(low=10,high=100000),"
        "smoothing=[dirichlet,jelinek_mercer]",
        "the smoothing of Valcarce, Parapar & Barreiro (2016); the ranges are ours",
    )

    k: int = Field(100, ge=1, le=10_000, description="number of neighbours")
    smoothing: Smoothing = Field("jelinek_mercer", description="how a language model assigns probability to unseen items")
    mu: float = Field(
        2000.0, ge=1e-6, le=1e9, description="μ of smoothing=dirichlet, the weight of p(i|C), on the scale of a sum of ratings"
    )
    mixing: float = Field(0.7, ge=1e-6, lt=1, description="λ of smoothing=jelinek_mercer, the share of p(i|C)")
    discount: float = Field(
        0.7, ge=1e-6, lt=1, description="δ of smoothing=absolute_discounting, the amount subtracted from every rating"
    )
    prior: Literal["uniform", "linear"] = Field(
        "uniform", description="p(v), which is the same for all v, or in proportion to v's ratings"
    )
    weight: Literal["cosine", "uniform", "loglik"] = Field(
        "cosine",
        description="the weight w of a neighbour, which is the cosine, 1, or ln p(v|u) minus its lowest value among the neighbours",
    )

    preset: str | None = preset_field()

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes needed for the neighbours and their weights."""
        return bytes_of_neighbours(getattr(extent, self.by), self.k, bytes_beside=_BYTES_OF_WEIGHTS)

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Find the neighbours of every user or of every item. Weights between items are stored by neighbour.

        Raises DesignError if a rating is negative, or the neighbours do not fit into memory.
        """
        ratings = occurrences(train, self)
        if self.by == "users":
            name, weights = "neighbours", Rows.of(self._weighted_neighbours(ratings))
        else:
            name, weights = "items", Rows.of_columns(self._weighted_neighbours(ratings.T.tocsr()))
        self._learned = {"indptr": weights.indptr, name: weights.indices, "weights": weights.values}
        return self

    def _weighted_neighbours(self, ratings: csr_array) -> csr_array:
        """Return every row's neighbour weights, shape (n_rows, n_rows)."""
        n_rows = ratings.shape[0]
        claim_neighbours(self, n_rows, [self.k], bytes_beside=_BYTES_OF_WEIGHTS)
        lengths = row_sums(ratings)
        models = LanguageModels.of(ratings, self.smoothing, self.mu, self.mixing, self.discount)
        priors = np.log(np.where(lengths > 0, lengths, 1.0)) if self.prior == "linear" else np.zeros(n_rows)
        indptr, neighbours, log_odds = likelihood_neighbours(ratings, models, priors, self.k)
        return csr_array((self._weights(ratings, indptr, neighbours, log_odds), neighbours, indptr), shape=(n_rows, n_rows))

    def _weights(self, ratings: csr_array, indptr: Ints, neighbours: Ids, log_odds: Floats) -> Floats:
        if self.weight == "cosine":
            return cosines(ratings, indptr, neighbours)
        if self.weight == "uniform":
            return np.ones(len(neighbours))
        full = np.flatnonzero(np.diff(indptr))
        lowest = np.zeros(len(indptr) - 1)
        lowest[full] = np.minimum.reduceat(log_odds, indptr[full]) if len(full) else 0.0
        return log_odds - np.repeat(lowest, np.diff(indptr))


class LMWSRIB(LikelihoodNeighbours):
    """s(u, i) = Σ_{j in J_i, j in I_u} w_ij r_uj.

    J_i are the k items j ≠ i with the largest p(j|i) ∝ p(j) Π_{u in U_i} p(u|j)^r_ui: the users who rated item i are a query in
    which user u occurs r_ui times, and items are documents. Items j without a rater in common with i are never neighbours. (A user
    counts as a common rater only if the user rated both items above 0. With ``absolute_discounting``, which discards ratings up to
    δ, the rating of j must be above δ.) If items tie for the last places, the higher index is kept.

    p(u|j) is r_uj / |j|, with |j| = Σ_v r_vj, smoothed by p(u|C), the share of u in the sum of all ratings. Smoothing, prior and
    weights are as in ``lm_wsr_ub``, with items in place of users. Dirichlet smoothing prefers short documents (here: items that few
    users rated) unless μ is much larger than a typical |j|; on MovieLens 1M only μ = 100,000 comes near Jelinek-Mercer. The choice
    of weights matters more for items than for users: on MovieLens 1M, at the defaults, P@10 is .274 with the cosine, .212 with 1
    and .250 with ``loglik``.

    An item is not computable if the user rated none of its k neighbours above 0. Without ratings, every interaction counts as a
    rating of 1. Negative ratings are refused.
    """

    label = "lm_wsr_ib"
    by = "items"

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Sum the contributions of a profile's items, item by item in ascending order."""
        return sums_over_profiles(users, zero_filled(train, "rating"), self._learned)


class LMWSRUB(LikelihoodNeighbours):
    """s(u, i) = Σ_{v in V_u, i in I_v} w_uv r_vi.

    V_u are the k users v ≠ u with the largest p(v|u) ∝ p(v) Π_{i in I_u} p(i|v)^r_ui: a profile is a query in which item i occurs
    r_ui times, and users are documents. Users v without an item in common with u are never neighbours. (An item is common only if
    both users rated it above 0. With ``absolute_discounting``, which discards ratings up to δ, the rating by v must be above δ.) If
    users tie for the last places, the higher index is kept.

    p(i|v) is r_vi / |v|, with |v| = Σ_j r_vj, smoothed by p(i|C) = Σ_u r_ui / Σ_u |u|: ``jelinek_mercer`` is
    (1 - λ) r_vi / |v| + λ p(i|C), ``dirichlet`` is (r_vi + μ p(i|C)) / (|v| + μ), and ``absolute_discounting`` is
    (max(r_vi - δ, 0) + p(i|C) Σ_j min(r_vj, δ)) / |v|. The defaults of λ, μ and δ are near what Zhai & Lafferty (2004) found to
    work for long queries. p(v) is uniform or ∝ |v| (``linear``).

    The weight w is the cosine of the rating vectors (``cosine``), or 1 (``uniform``), or ln p(v|u) minus the lowest ln p(v|u) of
    all neighbours (``loglik``), which gives the least likely neighbour a weight of 0. It is unknown which of these weights the
    published scores used. On MovieLens 1M they differ little: at the defaults, P@10 is .282, .280 and .284.

    Items that no neighbour rated are not computable, nor is any item for a user without neighbours. In data without ratings, every
    interaction counts as a rating of 1. Negative ratings are refused.
    """

    label = "lm_wsr_ub"

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Sum the neighbours' ratings, neighbour by neighbour in ascending order."""
        return sums_over_neighbours(users, train.matrix, self._learned)
