"""How alike the lists of two recommenders are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recsens.metrics._list_kernels import count_joint
from recsens.metrics._shares import capped

Floats = NDArray[np.float64]

PERSISTENCE = 0.9
"""φ of RBO, with which the first ten items weigh .86."""


class Heads(NamedTuple):
    """The top of every user's ranking, best first.

    Attributes
    ----------
    item
        Items, user by user, shape (n,).
    starts
        First place of each user in ``item``, and the length of it after all of them, shape (n_users + 1,).
    """

    item: NDArray[np.int32]
    starts: NDArray[np.int64]


class Overlap(NamedTuple):
    """How alike each user's two lists are at a cut-off, each of shape (n_users,); NaN for a user without either of them.

    Attributes
    ----------
    overlap
        |A ∩ B| / min(n, max(|A|, |B|)): of n items, or of the longer list where both end before n, the share that both hold.
    jaccard
        |A ∩ B| / |A ∪ B|.
    rbo
        Rank-biased overlap, extrapolated from the lists as far as they go down to n: 1 for the same order, 0 without a common item.
    """

    overlap: Floats
    jaccard: Floats
    rbo: Floats


def overlaps(a: Heads, b: Heads, cutoffs: tuple[int, ...], *, phi: float = PERSISTENCE) -> list[Overlap]:
    """Compare the lists that two recommenders give the same users, at each cut-off.

    RBO is RBO_ext of Webber, Moffat & Zobel (2010), equation 32 where one list is shorter.
    """
    depth = max(cutoffs)
    joint = np.empty((len(a.starts) - 1, depth), dtype=np.int32)
    n_items = int(max(a.item.max(initial=-1), b.item.max(initial=-1))) + 1
    count_joint(a.item, a.starts, b.item, b.starts, np.zeros(n_items, dtype=np.int64), joint)
    return [_at(joint, np.diff(a.starts), np.diff(b.starts), n, phi) for n in cutoffs]


def _at(joint: NDArray[np.int32], length_a: NDArray[np.int64], length_b: NDArray[np.int64], n: int, phi: float) -> Overlap:
    is_both = (length_a > 0) & (length_b > 0)
    a, b = (np.minimum(length[is_both], n) for length in (length_a, length_b))
    shorter, longer = np.minimum(a, b), np.maximum(a, b)
    shared = joint[is_both, :n].astype(np.float64)
    rows, d = np.arange(len(a)), np.arange(1, n + 1)
    all_shared, early = shared[rows, longer - 1], shared[rows, shorter - 1]
    # Below the end of the shorter list, what it would share is taken to go on as it was there.
    missing = early[:, np.newaxis] * np.maximum(d - shorter[:, np.newaxis], 0) / shorter[:, np.newaxis]
    agreement = np.where(d <= longer[:, np.newaxis], (shared + missing) / d, 0.0)
    rbo = (1 - phi) / phi * (agreement @ phi**d) + ((all_shared - early) / longer + early / shorter) * phi**longer
    found = all_shared / longer, all_shared / (a + b - all_shared), capped(rbo, 1.0)
    return Overlap(*(_spread(values, is_both) for values in found))


def _spread(values: Floats, kept: NDArray[np.bool_]) -> Floats:
    found = np.full(len(kept), np.nan)
    found[kept] = values
    return found
