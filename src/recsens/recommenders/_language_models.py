"""Profiles as texts, in which a rating r means r occurrences of a word, and their language models.

Smoothing assigns probability to unseen columns.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions
from recsens.plugins import Plugin
from recsens.recommenders import Floats
from recsens.recommenders._preference import LEAVE_NEGATIVE_OUT, refuse_negative


def occurrences(train: Interactions, recommender: Plugin) -> csr_array:
    """Return the ratings from which probabilities are estimated, shape (n_users, n_items), with sorted indices.

    Raises DesignError if a rating is negative, because probabilities would be negative too.
    """
    problem = "a probability in proportion to ratings is not defined for the negative rating {:g}"
    refuse_negative(train.values, recommender, problem, LEAVE_NEGATIVE_OUT)
    return train.matrix


def column_shares(ratings: csr_array) -> Floats:
    """Return p(c|C), a column's share in the sum of all ratings; NaN for columns without a rating above 0."""
    sums = np.bincount(ratings.indices, weights=ratings.data, minlength=ratings.shape[1])
    total = float(sums.sum())
    return np.where(sums > 0, sums, np.nan) / (total if total > 0 else 1.0)


def row_sums(ratings: csr_array) -> Floats:
    """Return each row's rating sum, adding columns in ascending order."""
    rows = np.repeat(np.arange(ratings.shape[0]), np.diff(ratings.indptr))
    return np.bincount(rows, weights=ratings.data, minlength=ratings.shape[0]).astype(np.float64)


Smoothing = Literal["dirichlet", "jelinek_mercer", "absolute_discounting"]


class Smoothed(NamedTuple):
    """p(c|v) = (x_vc + m_v p(c|C)) / n_v for rows v and columns c of a matrix, where p(c|C) is the share of c in all rows together.

    Attributes
    ----------
    kept
        x_vc of the stored values, in the order of storage.
    spread
        m_v, shape (n_rows,).
    whole
        n_v = Σ_c x_vc + m_v, shape (n_rows,).
    """

    kept: Floats
    spread: Floats
    whole: Floats

    @classmethod
    def of(cls, ratings: csr_array, smoothing: Smoothing, mu: float, mixing: float, discount: float) -> Smoothed:
        """Divide every row's ratings between the row and the background, as in Zhai & Lafferty (2004), table 1.

        Parameters
        ----------
        ratings
            r >= 0, with sorted indices.
        smoothing
            ``dirichlet``: x = r, m = μ. ``jelinek_mercer``: x = (1 - λ) r, m_v = λ Σ_c r_vc. ``absolute_discounting``: x = max(r -
            δ, 0), m_v = Σ_c min(r_vc, δ), which is δ times the number of ratings unless some ratings are below δ.
        mu, mixing, discount
            μ, λ and δ.
        """
        lengths = row_sums(ratings)
        if smoothing == "dirichlet":
            return cls(ratings.data, np.full(len(lengths), mu), lengths + mu)
        if smoothing == "jelinek_mercer":
            return cls((1.0 - mixing) * ratings.data, mixing * lengths, lengths)
        taken = csr_array((np.minimum(ratings.data, discount), ratings.indices, ratings.indptr), shape=ratings.shape)
        return cls(np.maximum(ratings.data - discount, 0.0), row_sums(taken), lengths)
