"""Tie keys, and the order of items by value and key."""

import numpy as np

from recsens.compiled.machine_code import njit
from recsens.compiled.random_bits import mixed


@njit()
def tie_key(item, user, ties):
    """Return an item's tie key in the user's ranking; among ties, the item with the lower key comes first."""
    return mixed(user ^ ties.items[item]) if ties.is_random else ties.items[item]


@njit()
def order_of(falling, keys):
    """Return the order of items in the ranking, from their negated values and their keys."""
    by_key = np.argsort(keys)
    return by_key[np.argsort(falling[by_key], kind="mergesort")]
