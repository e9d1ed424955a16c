"""Tie keys, computed in kernels."""

from recsens.compiled.machine_code import njit
from recsens.compiled.random_bits import mixed


@njit()
def tie_key(item, user, ties):
    """Return an item's tie key in the user's ranking; among ties, the item with the lower key comes first."""
    return mixed(user ^ ties.items[item]) if ties.is_random else ties.items[item]
