"""Rated pairs and sampled unrated pairs, for models that learn to distinguish the two."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from recsens.recommenders import Ints


class Labelled(NamedTuple):
    """Labelled pairs of users and items in random order.

    Attributes
    ----------
    user, item
        Codes of the pairs, shape (n,), int64.
    label
        Target output of a network for the pair, shape (n,), float32: here 1 for a rated pair, and 0 for a sampled pair.
    rated
        Number of the rated pair for which a pair was drawn (for a rated pair, its own number), shape (n,), int64; None if not
        requested.
    """

    user: Ints
    item: Ints
    label: NDArray[np.float32]
    rated: Ints | None = None


class RatedPairs:
    """A train set's rated pairs, for which every draw samples new unrated pairs.

    Parameters
    ----------
    matrix
        A stored entry for each pair that counts as rated, shape (n_users, n_items), with sorted indices.
    """

    def __init__(self, matrix: csr_array) -> None:
        counts = np.diff(matrix.indptr).astype(np.int64)
        self.user = np.repeat(np.arange(len(counts)), counts)
        self.item = matrix.indices.astype(np.int64)
        rated = np.bincount(self.item, minlength=matrix.shape[1]) > 0
        self._met = np.flatnonzero(rated)
        self._first = matrix.indptr.astype(np.int64)
        self._unrated = len(self._met) - counts
        # Count the unrated items before each rated item; the resulting keys ascend over all users.
        nth = np.arange(len(self.item)) - self._first[self.user]
        before = (np.cumsum(rated) - 1)[self.item] - nth
        self._before = self._key(self.user, before)

    def _key(self, user: Ints, unrated: Ints) -> Ints:
        return np.asarray(user * (len(self._met) + 1) + unrated)

    def drawn(self, negatives: int, rng: np.random.Generator, *, numbered: bool = False) -> Labelled:
        """Return, shuffled, all rated pairs, and for each of them ``negatives`` unrated pairs of the same user.

        An unrated item is drawn uniformly, with replacement, from the items that only other users rated. A user who rated all items
        has only rated pairs. With ``numbered``, every pair has the number of the rated pair for which it was drawn.
        """
        user = np.repeat(self.user, negatives)
        meets_new = self._unrated[user] > 0
        user = user[meets_new]
        nth = rng.integers(self._unrated[user])
        # The nth unrated item comes after all rated items that have at most n unrated items before them.
        passed = np.searchsorted(self._before, self._key(user, nth), side="right") - self._first[user]
        order = rng.permutation(len(self.user) + len(user))
        label = np.zeros(len(order), dtype=np.float32)
        label[: len(self.user)] = 1.0
        item = np.concatenate((self.item, self._met[nth + passed]))
        rated = None
        if numbered:
            number = np.arange(len(self.user))
            rated = np.concatenate((number, np.repeat(number, negatives)[meets_new]))[order]
        return Labelled(np.concatenate((self.user, user))[order], item[order], label[order], rated)
