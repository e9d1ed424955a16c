"""The content of a score file, once it is read and checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Ids, Ints

ScoreFormat = Literal["npz", "npy"]
"""How compact scores are stored: named arrays in numpy's archive, or a matrix beside two lists of names."""

ScoreKind = Literal["factors", "dense", "item_weights"]
"""What scores are computed from."""

FORMS = ("factors", "dense", "item_weights", "lists", "judged_ranks")
"""The words that the array ``kind`` may hold."""


@dataclass(frozen=True)
class ScoreFile:
    """Scores from which those for a block of users are computed.

    Attributes
    ----------
    source
        The file.
    kind
        What the arrays are.
    users, items
        Names of rows and columns, distinct. Weights between items have no users: a profile takes their place.
    arrays
        The arrays of the file other than names, by the names of the format, checked; a large matrix may be mapped from the disk.
    """

    source: str
    kind: ScoreKind
    users: Sequence[str]
    items: Sequence[str]
    arrays: Mapping[str, NDArray[Any]]

    @property
    def is_half_precision(self) -> bool:
        """Whether scores, or the values behind them, are 16-bit numbers, which can make different scores equal."""
        return any(array.dtype == np.float16 for array in self.arrays.values())


@dataclass(frozen=True)
class JudgedRanks:
    """Where a system ranks judged items, without the scores.

    Attributes
    ----------
    source
        The file.
    users, items
        Names, distinct.
    user, item
        The judged pairs, as indices of these, shape (n,).
    above
        Candidates with a higher score than the item, shape (n,).
    equal
        Other candidates with the same score, shape (n,).
    candidates
        Candidates of each user, shape (n_users,); 0 for a user without a row.
    """

    source: str
    users: Sequence[str]
    items: Sequence[str]
    user: Ids
    item: Ids
    above: Ints
    equal: Ints
    candidates: Ints
