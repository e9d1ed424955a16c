"""PureSVD: zero-filled ratings are projected on their leading singular vectors."""

import logging
from collections.abc import Sequence
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, eigsh
from threadpoolctl import threadpool_limits

from recsens.data.interactions import Interactions
from recsens.recommenders import Floats, Ints, Preset, Presets, Reals, SearchSpace, preset_field
from recsens.recommenders._kernels import Rows
from recsens.recommenders._preference import PREFERENCE_MEANING, Preference, withhold_empty, zero_filled
from recsens.recommenders._products import factor_products, sums_of_dense_rows
from recsens.recommenders._shared_fits import SharedFit

_SMALL = 64
"""A matrix whose smaller side is at most this is decomposed completely."""

_EQUAL = 1e-9
"""Relative difference up to which two singular values count as equal."""

Triples = tuple[Floats, Floats]
"""Singular values, with their right vectors as rows."""

log = logging.getLogger(__name__)


class PureSVD(SharedFit):
    """s(u, i) = r_u Q Qᵀ, with the right singular vectors Q of the K largest singular values of R ≈ U Σ Qᵀ.

    R contains the ratings, and 0 for unrated pairs; nothing is centred. ARPACK decomposes R in float64 to machine precision, from a
    random start, on one thread. If R has fewer distinct singular values than ARPACK has vectors, ARPACK restarts at random, with
    draws from the same stream.

    With as many factors as users or items, the scores would be R itself. Therefore the number of factors is at most half the number
    of users or of items, whichever is smaller; the log warns if this limit lowers it. If the K-th singular value equals the next,
    the choice among the vectors of this value is arbitrary, so all of them are left out. The vectors of singular values of 0 are
    left out too. Users and items without ratings that count (other than 0) are not computable; if no factor remains, no pair is
    computable.
    """

    source = "Cremonesi, Koren & Turrin (2010), section 3.3"
    presets: ClassVar[Presets] = {
        "valcarce2018-ml1m": Preset(
            {"factors": 25},
            "Valcarce et al. (2018), PureSVD on MovieLens 1M: P@10 .2853, nDCG@10 .3618; parameters are not released",
            calibrated_on_test=True,
        ),
        "cremonesi2010-50": Preset({"factors": 50}, "Cremonesi et al. (2010), PureSVD with 50 factors, MovieLens 1M and Netflix"),
        "cremonesi2010-150": Preset(
            {"factors": 150}, "Cremonesi et al. (2010), PureSVD with 150 factors, MovieLens 1M and Netflix"
        ),
    }
    also_called = ("svd", "truncated_svd")
    draws = True
    search_space = SearchSpace(
        "factors=log_uniform(low=2,high=200),preference=[rating,binary]",
        "Dacrema et al. (2021), up to 200 factors",
    )

    factors: int = Field(20, ge=1, le=1000, description="number K of singular vectors")
    preference: Preference = Field("rating", description=PREFERENCE_MEANING)
    preset: str | None = preset_field()

    @property
    def shared_by(self) -> Preference:
        """What is factorised; fewer factors are the first of more."""
        return self.preference

    def prepare(self, train: Interactions, rng: np.random.Generator, sharing: Sequence[Self]) -> Triples:
        """Decompose the ratings."""
        ratings = zero_filled(train, self.preference)
        return _largest_triples(ratings, _possible_factors(max(each.factors for each in sharing), ratings) + 1, rng)

    def finish(self, train: Interactions, prepared: Triples) -> None:
        """Keep the first vectors."""
        ratings = zero_filled(train, self.preference)
        factors = _possible_factors(self.factors, ratings)
        if factors < self.factors:
            log.warning("%s: %d factors, half the smaller side of %d users x %d items", self.spec, factors, *ratings.shape)
        self._learned = {"item_factors": _right_vectors(prepared, factors, max(ratings.shape))}

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Project the users' ratings on the factors, and back."""
        ratings = zero_filled(train, self.preference)
        item_factors = self._learned["item_factors"]
        scores = factor_products(sums_of_dense_rows(users, Rows.of(ratings), item_factors), item_factors)
        withhold_empty(scores, train, self.preference, users)
        return scores if item_factors.shape[1] else np.full_like(scores, np.nan)


def _possible_factors(factors: int, ratings: csr_array) -> int:
    return max(min(factors, min(ratings.shape) // 2), 1)


def _right_vectors(triples: Triples, factors: int, side: int) -> Floats:
    """Return the leading right singular vectors as columns, largest singular value first, with fixed signs."""
    values, vectors = triples
    if not len(values):
        return vectors.T
    order = np.argsort(-values, kind="stable")[: factors + 1]
    values, vectors = values[order], vectors[order]
    left_out = values[factors] if factors < len(values) else 0.0
    least = max(left_out * (1 + _EQUAL), values[0] * side * np.finfo(np.float64).eps)
    vectors = vectors[:factors][values[:factors] > least]
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=1, keepdims=True), axis=1)
    return np.ascontiguousarray((vectors * np.sign(largest)).T)


def _largest_triples(ratings: csr_array, k: int, rng: np.random.Generator) -> Triples:
    """Return at least the k largest singular values, with their right vectors as rows; none of a matrix of zeros.

    Like `scipy.sparse.linalg.svds`, but reproducible: svds restarts ARPACK from an unseeded vector when ARPACK finds no further
    vectors.
    """
    if ratings.nnz == 0:
        return np.zeros(0), np.zeros((0, ratings.shape[1]))
    # Use one thread, because BLAS sums depend on the number of threads.
    with threadpool_limits(limits=1, user_api="blas"):
        if min(ratings.shape) <= _SMALL:
            return np.linalg.svd(ratings.toarray(), full_matrices=False)[1:]
        wide = ratings.shape[0] < ratings.shape[1]
        tall = ratings.T.tocsr() if wide else ratings
        back, side = tall.T, tall.shape[1]
        gram = LinearOperator((side, side), matvec=lambda x: back @ (tall @ x), dtype=np.float64)
        _, basis = eigsh(gram, k=k, v0=rng.standard_normal(side), **_restart_seed(rng))
        basis, _ = np.linalg.qr(basis)
        left, values, turned = np.linalg.svd(tall @ basis, full_matrices=False)
        return values, left.T if wide else turned @ basis.T


def _restart_seed(rng: np.random.Generator) -> dict[str, Any]:
    """Return the argument that seeds ARPACK's restarts. SciPy before 1.17 lacks this argument and seeds restarts itself."""
    return {"rng": rng} if "rng" in signature(eigsh).parameters else {}
