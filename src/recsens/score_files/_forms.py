"""The content of a score file, after reading and checking."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Bools, Ids, Ints, equal_scores

ScoreFormat = Literal["npz", "npy"]
"""The format of compact scores: named arrays in NumPy's archive, or a matrix with two lists of names next to it."""

ScoreKind = Literal["factors", "dense", "item_weights"]
"""The form from which scores are computed."""

FORMS = ("factors", "dense", "item_weights", "lists", "judged_ranks")
"""The words that the array ``kind`` may contain."""


@dataclass(frozen=True)
class ScoreFile:
    """The data from which the scores of a block of users are computed.

    Attributes
    ----------
    source
        The file.
    kind
        The form of the arrays.
    users, items
        Distinct names of rows and columns. Weights between items have no users, because they apply to any profile.
    arrays
        The file's checked arrays, except those with names of users and items, by their name in the format. A large matrix may be
        mapped from disk.
    """

    source: str
    kind: ScoreKind
    users: Sequence[str]
    items: Sequence[str]
    arrays: Mapping[str, NDArray[Any]]

    @property
    def is_half_precision(self) -> bool:
        """Whether the file has 16-bit numbers as scores or for computing them; such precision can make different scores equal."""
        return any(array.dtype == np.float16 for array in self.arrays.values())


@dataclass(frozen=True)
class JudgedRanks:
    """The positions at which a system ranks judged items, without scores.

    Attributes
    ----------
    source
        The file.
    users, items
        Distinct names.
    user, item
        The judged pairs, as indices into ``users`` and ``items``, shape (n,).
    above
        Number of candidates with a higher score than the item, shape (n,).
    equal
        Number of other candidates with the same score as the item, shape (n,).
    candidates
        Number of candidates of each user, shape (n_users,); 0 for a user without a row.
    """

    source: str
    users: Sequence[str]
    items: Sequence[str]
    user: Ids
    item: Ids
    above: Ints
    equal: Ints
    candidates: Ints

    @cached_property
    def group(self) -> Ints:
        """The number of the group of equal scores to which each row belongs, shape (n,)."""
        return equal_scores(self.user, self.above)

    @cached_property
    def has_unnamed_equals(self) -> Bools:
        """Whether a candidate with the same score as the row has no row in the file, shape (n,)."""
        return self.equal + 1 > np.bincount(self.group)[self.group]

    def candidates_of(self, users: Ints) -> Ints:
        """Return the number of candidates of some users, given by their number in the file; 0 for -1, a user without a row."""
        return np.append(self.candidates, 0)[users]
