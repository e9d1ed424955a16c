"""Ratings shared out among topics, as pLSA and LDA do in every step."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from recsens.errors import DesignError
from recsens.interactions import Interactions
from recsens.recommenders._compiled import compiled
from recsens.recommenders._preference import Preference, preferences
from recsens.recommenders._rows import Rows

_SHARES = 64
"""Portions of rows handed to threads; row r is in portion r mod 64, which spreads long rows evenly."""

_TINY = 1e-200
"""What a product is raised to, so that a rating to which no topic gives any probability is left out instead of divided by 0."""


def counts_of(train: Interactions, preference: Preference, recommender: str) -> tuple[Rows, Rows]:
    """Return how often each user met each item, by users and by items: a rating r counts as r meetings.

    Raises
    ------
    DesignError
        If a rating that counts is negative.
    """
    matrix = preferences(train, preference)
    lowest = matrix.data.min(initial=0.0)
    if lowest < 0:
        raise DesignError(
            f"the rating {lowest:g} is no number of meetings",
            where=f"recommender '{recommender}'",
            allowed="ratings of 0 and above",
            remedy="choose preference=binary or preference=positive, or leave negative ratings out with a filter",
        )
    return Rows.of(matrix), Rows.of_columns(matrix)


def sums_of(rows: Rows) -> NDArray[np.float64]:
    """Return how many meetings each row counts, shape (n_rows,)."""
    n_rows = len(rows.indptr) - 1
    row_of_entry = np.repeat(np.arange(n_rows), np.diff(rows.indptr))
    return np.bincount(row_of_entry, weights=rows.values, minlength=n_rows).astype(np.float64)


@compiled(parallel=True, reorders_sums=True)
def share_out(rows: Rows, own: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Σ_c x_rc a_rz b_cz / (Σ_y a_ry b_cy), the part of row r that goes to topic z, shape (n_rows, n_topics).

    The entries x of a row r and its columns c are shared out in proportion to a_rz b_cz; no share is ever stored. That is the
    multiplicative update of Lee and Seung (2001), and the E and the M step of Hofmann (2004) at once; it costs 4 K flops an entry.

    Parameters
    ----------
    rows
        x >= 0.
    own
        a >= 0, shape (n_rows, n_topics).
    other
        b >= 0, shape (n_columns, n_topics).
    """
    n_rows, n_topics = own.shape
    shares = np.zeros((n_rows, n_topics))
    for portion in numba.prange(_SHARES):
        for row in range(portion, n_rows, _SHARES):
            out, mine = shares[row], own[row]
            for entry in range(rows.indptr[row], rows.indptr[row + 1]):
                theirs = other[rows.indices[entry]]
                product = 0.0
                for z in range(n_topics):
                    product += mine[z] * theirs[z]
                factor = rows.values[entry] / max(product, _TINY)
                for z in range(n_topics):
                    out[z] += factor * theirs[z]
            for z in range(n_topics):
                out[z] *= mine[z]
    return shares
