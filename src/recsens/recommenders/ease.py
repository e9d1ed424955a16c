"""Embarrassingly shallow autoencoder: a linear item-item model in closed form."""

from typing import ClassVar, Self

import numpy as np
from pydantic import Field
from scipy.linalg.lapack import dpotrf, dpotri
from threadpoolctl import threadpool_limits

from recsens.data.interactions import Interactions
from recsens.errors import DesignError
from recsens.recommenders import Extent, Floats, Ints, Preset, Presets, Reals, Recommender, SearchSpace, claim, preset_field
from recsens.recommenders._kernels import Rows
from recsens.recommenders._preference import PREFERENCE_MEANING, Preference, withhold_empty, zero_filled
from recsens.recommenders._products import gram_matrix, sums_of_dense_rows

_BLOCK = 64
"""Rows that are mirrored together."""


class EASE(Recommender):
    """s(u, i) = Σ_{j in I_u} r_uj b_ji, with weights that minimise ‖R - RB‖² + λ ‖B‖² where the diagonal of B is 0.

    R contains the ratings, and 0 for unrated pairs. The closed form is P = (RᵀR + λ)⁻¹ and b_ji = -p_ji / p_ii for j ≠ i. Weights
    may be negative; all weights are stored, in float64. They take 8 |I|² bytes, in the model's file too. A fit overwrites each
    matrix by the next one. The inverse takes |I|³ multiplications on one thread, or 35 seconds for 12,000 items. With 27,000 items,
    as in a data set of 20 million ratings, the weights take 5.4 GiB; fitting takes 6 minutes and 7.3 GiB in all, and ranking all
    items for 138,000 users takes 14 minutes of processor time and 12.1 GiB. By extrapolation, fitting with 60,000 items takes 27
    GiB for the weights alone, and more than an hour.

    Users and items without ratings that count (other than 0) are not computable.
    """

    source = "Steck (2019), the closed form of section 3.1"
    draws = False
    presets: ClassVar[Presets] = {
        "steck2019-ml20m": Preset(
            {"regularization": 500.0, "preference": "positive"}, "Steck (2019), MovieLens 20M, of which ratings of 4 and more count"
        ),
        "steck2019-netflix": Preset(
            {"regularization": 1000.0, "preference": "positive"}, "Steck (2019), Netflix, of which ratings of 4 and more count"
        ),
        "steck2019-msd": Preset({"regularization": 200.0}, "Steck (2019), Million Song Data, of which all plays count"),
    }
    also_called = ("ease_r",)
    search_space = SearchSpace(
        "preference=[binary,rating],regularization=log_uniform(low=1,high=10000)",
        "Dacrema et al. (2021), up to 10,000",
    )

    regularization: float = Field(500.0, gt=0, le=1e9, description="weight λ of the squared weights")
    preference: Preference = Field("binary", description=PREFERENCE_MEANING)
    preset: str | None = preset_field()

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Invert the Gram matrix.

        Raises
        ------
        DesignError
            If there is not enough memory, or the regularised Gram matrix is singular in float64.
        """
        n_items = train.n_items
        remedy = "choose fs_slim, or filter items with few ratings"
        claim(self, self.bytes_needed(Extent.of(train)), f"the inverse of the Gram matrix of {n_items:,} items", remedy)
        gram = gram_matrix(zero_filled(train, self.preference))
        gram[np.diag_indices(n_items)] += self.regularization
        inverse = _inverse(gram)
        if inverse is None:
            raise DesignError(
                f"the Gram matrix is singular at regularization = {self.regularization:g}",
                where=f"recommender '{self.spec}'",
                remedy="raise regularization",
            )
        inverse /= -np.diag(inverse)
        np.fill_diagonal(inverse, 0.0)
        self._learned = {"weights": inverse}
        return self

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes needed for a float64 matrix over all item pairs."""
        return 8 * extent.items**2

    def seconds_needed(self, extent: Extent) -> float:
        """Return the seconds for the inverse, cubic in the number of items; the estimate is more than twice the time measured."""
        return (extent.items / 1000) ** 3 / 20

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Sum the contributions of a profile's items, item by item in ascending order."""
        ratings = zero_filled(train, self.preference)
        scores = sums_of_dense_rows(users, Rows.of(ratings), self._learned["weights"])
        withhold_empty(scores, train, self.preference, users)
        return scores


def _inverse(matrix: Floats) -> Floats | None:
    """Invert a symmetric matrix in place; return None if it is not positive definite."""
    # Use one thread, because BLAS sums depend on the number of threads. The transpose is the same matrix in LAPACK's order.
    with threadpool_limits(limits=1, user_api="blas"):
        factor, failed = dpotrf(matrix.T, lower=True, overwrite_a=True)
        if failed:
            return None
        half, failed = dpotri(factor, lower=True, overwrite_c=True)
    if failed:
        return None
    inverse = half.T
    for first in range(0, len(inverse), _BLOCK):
        block = slice(first, first + _BLOCK)
        # LAPACK leaves the old values below the diagonal.
        inverse[block, :first] = inverse[:first, block].T
        inverse[block, block] = np.triu(inverse[block, block]) + np.triu(inverse[block, block], 1).T
    return np.asarray(inverse)
