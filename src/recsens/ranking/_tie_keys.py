"""Tie keys, computed in kernels."""

import numpy as np

from recsens.compiled.machine_code import njit
from recsens.compiled.random_bits import mixed
from recsens.ranking._ties import TieKeys


@njit()
def tie_key(item: np.int64, user: np.uint64, ties: TieKeys) -> np.uint64:
    """Return an item's tie key in the user's ranking; among ties, the item with the lower key comes first."""
    return mixed(user ^ ties.items[item]) if ties.is_random else ties.items[item]
