"""The scores in a score file for a block of users; recsens's own kernels compute products and sums."""

import numpy as np
from scipy.sparse import csr_array

from recsens.arrays import Floats, Ints, Reals
from recsens.plugins.frozen import frozen
from recsens.recommenders import Arrays
from recsens.recommenders._kernels import Rows
from recsens.recommenders._products import factor_products, sums_of_rows


def scores_of_users(kind: str, arrays: Arrays, rows: Ints, profiles: csr_array | None = None) -> Reals:
    """Return some users' scores for all items, NaN where there is no score, shape (len(rows), n_items).

    Sums are in float64 and without BLAS, in ascending order of factors, or of a profile's items. Dense scores keep their type.

    Parameters
    ----------
    kind, arrays
        The kind and arrays of a `recsens.score_files.ScoreFile`.
    rows
        Indices of users in the file or, for weights between items, of rows of ``profiles``.
    profiles
        Ratings of the file's items, one row per user, with sorted indices. Only weights between items need them. A user without a
        profile has no scores.
    """
    if kind == "factors":
        return _factor_scores(arrays, rows)
    if kind == "dense":
        return np.asarray(arrays["scores"][rows])
    assert profiles is not None, "weights are summed over profiles"
    return _weight_scores(arrays, rows, profiles)


def _factor_scores(arrays: Arrays, rows: Ints) -> Floats:
    """Return p_u · q_i + b + b_u + b_i, with the biases that the file contains."""
    scores = factor_products(arrays["user_factors"][rows], arrays["item_factors"])
    of_users = np.full(len(rows), arrays.get("global_bias", 0.0), dtype=np.float64)
    if "user_biases" in arrays:
        of_users += arrays["user_biases"][rows]
    if of_users.any():
        scores += of_users[:, np.newaxis]
    if "item_biases" in arrays:
        scores += arrays["item_biases"].astype(np.float64)
    return scores


def _weight_scores(arrays: Arrays, rows: Ints, profiles: csr_array) -> Floats:
    """Return Σ_i r_ui w_ij over the items i in u's profile."""
    weights = Rows(arrays["indptr"], arrays["indices"], arrays["data"])
    given = profiles if arrays["profile"] == "ratings" else _ones_like(profiles)
    # Make ``rows`` read-only, as during ranking, because for the compiler a writable array has a different type.
    scores = sums_of_rows(frozen(rows), Rows.of(given), weights, len(weights.indptr) - 1)
    if arrays["unreached"] == "zero":
        has_profile = np.diff(profiles.indptr)[rows] > 0
        scores[has_profile] = np.nan_to_num(scores[has_profile], copy=False, nan=0.0)
    return scores


def _ones_like(profiles: csr_array) -> csr_array:
    return csr_array((np.ones_like(profiles.data, dtype=np.float64), profiles.indices, profiles.indptr), shape=profiles.shape)
