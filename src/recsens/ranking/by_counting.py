"""Places of judged items among all items with a score. They are found as in `rank`, but without a fold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import read_only
from recsens.ranking._positions import TieKeys
from recsens.ranking.kernels import JudgedInLayer, Stands, rank_targets

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class PlacesAmongScored:
    """The places of some users' judged items among the items with a score.

    Attributes
    ----------
    above, tied, position
        For each judged item: the number of items with a higher score, the number of other items with the same score, and the
        position, counted from 1; shape (n,); 0 for an item without a score.
    ranked
        Number of items with a score, shape (n_users,).
    lowest, highest
        Lowest and highest score; inf and -inf for a user without scores, shape (n_users,).
    """

    above: NDArray[np.int32]
    tied: NDArray[np.int32]
    position: NDArray[np.int32]
    ranked: Ints
    lowest: Floats
    highest: Floats


def places_among_scored(scores: Floats, indptr: Ints, items: NDArray[np.int32], keys: NDArray[np.uint64]) -> PlacesAmongScored:
    """Find the places of judged items without sorting a user's scores.

    Infinite scores are ranked like others, and tie with each other.

    Parameters
    ----------
    scores
        Shape (n_users, n_items); NaN where an item has no score.
    indptr, items
        User b's judged items are ``items[indptr[b]:indptr[b + 1]]``; each occurs only once.
    keys
        Of two items with the same score, the one with the lower key comes first, shape (n_items,).
    """
    lowest = np.fmin.reduce(scores, axis=1, initial=np.inf)
    highest = np.fmax.reduce(scores, axis=1, initial=-np.inf)
    values = read_only(_with_finite_rows(scores, np.isinf(lowest) | np.isinf(highest)))
    judged = JudgedInLayer(indptr, items, np.ones(len(items), dtype=np.bool_))
    stands = Stands(*np.zeros((3, len(items)), dtype=np.int32))
    ranked, no_lists = np.zeros(len(scores), dtype=np.int64), np.empty((len(scores), 0), dtype=np.int32)
    ties = TieKeys(False, np.zeros(len(scores), dtype=np.uint64), keys)
    rank_targets(values, np.ones(scores.shape, dtype=np.bool_), judged, ties, stands, ranked, no_lists)
    return PlacesAmongScored(*stands, ranked, lowest, highest)


def _with_finite_rows(scores: Floats, is_infinite: NDArray[np.bool_]) -> Floats:
    """Replace rows with infinite scores by finite numbers in the same order; the kernels choose cells by differences of scores."""
    if not is_infinite.any():
        return scores
    finite = scores.copy()
    for row in np.flatnonzero(is_infinite):
        has_score = ~np.isnan(scores[row])
        finite[row, has_score] = np.unique(scores[row, has_score], return_inverse=True)[1]
    return finite
