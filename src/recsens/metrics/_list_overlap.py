"""Similarity between two recommenders' lists."""

from typing import NamedTuple

import numpy as np

from recsens.arrays import Floats, Ids, Ints, read_only
from recsens.metrics._base import capped
from recsens.metrics._kernels import count_joint

PERSISTENCE = 0.9
"""φ of RBO, which gives the first ten items .86 of the weight."""


class Heads(NamedTuple):
    """The top of every user's ranking, best first.

    Attributes
    ----------
    item
        The items, user by user, shape (n,).
    starts
        Index of each user's first item in ``item``, then the length of ``item``, shape (n_users + 1,).
    """

    item: Ids
    starts: Ints


class Overlap(NamedTuple):
    """Similarities between each user's two lists at a cut-off, all of shape (n_users,); NaN for a user who lacks a list.

    Attributes
    ----------
    overlap
        |A ∩ B| / min(n, max(|A|, |B|)): the number of items in both lists, divided by n or, if both lists are shorter than n, by
        the length of the longer list.
    jaccard
        |A ∩ B| / |A ∪ B|.
    rbo
        Rank-biased overlap, extrapolated from the first n items: 1 if both lists have the same order, 0 if they share no item.
    """

    overlap: Floats
    jaccard: Floats
    rbo: Floats


def overlaps(a: Heads, b: Heads, cutoffs: tuple[int, ...], *, phi: float = PERSISTENCE) -> list[Overlap]:
    """Compare two recommenders' lists for the same users, at each cut-off.

    RBO is RBO_ext of Webber, Moffat & Zobel (2010); if one list is shorter, it is computed by their equation 32.
    """
    depth = max(cutoffs)
    joint = np.empty((len(a.starts) - 1, depth), dtype=np.int32)
    n_items = int(max(a.item.max(initial=-1), b.item.max(initial=-1))) + 1
    count_joint(read_only(a.item), a.starts, read_only(b.item), b.starts, np.zeros(n_items, dtype=np.int64), joint)
    return [_at(joint, np.diff(a.starts), np.diff(b.starts), n, phi) for n in cutoffs]


def _at(joint: Ids, length_a: Ints, length_b: Ints, n: int, phi: float) -> Overlap:
    is_both = (length_a > 0) & (length_b > 0)
    a, b = (np.minimum(length[is_both], n) for length in (length_a, length_b))
    shorter, longer = np.minimum(a, b), np.maximum(a, b)
    shared = joint[is_both, :n].astype(np.float64)
    rows, d = np.arange(len(a)), np.arange(1, n + 1)
    all_shared, early = shared[rows, longer - 1], shared[rows, shorter - 1]
    # Beyond the end of the shorter list, the share of common items is assumed to stay the same.
    missing = early[:, np.newaxis] * np.maximum(d - shorter[:, np.newaxis], 0) / shorter[:, np.newaxis]
    agreement = np.where(d <= longer[:, np.newaxis], (shared + missing) / d, 0.0)
    rbo = (1 - phi) / phi * (agreement @ phi**d) + ((all_shared - early) / longer + early / shorter) * phi**longer
    measures = np.full((3, len(is_both)), np.nan)
    measures[:, is_both] = all_shared / longer, all_shared / (a + b - all_shared), capped(rbo, 1.0)
    return Overlap(*measures)
