"""Compiled loops that compute the draws and sums of a race of simulated users in one pass each.

Draws and sums have the same bytes as in numpy, because each product and sum is rounded by itself, in the same order.
"""

import numpy as np

from recsens.compiled.machine_code import njit
from recsens.compiled.random_bits import mix_bits

TILE = 512
"""Number of items processed at once. The traits of so few items stay in the cache for all users of a block."""


@njit()
def fill_draws(users, items, draws):
    """Fill ``draws[u, i]``, shape (n_users, n_items), with draws in the open interval (0, 1).

    The draws are those of `recsens.seeds.Stream.uniform`, moved by `recsens.data.datasets._simulation.open_interval`.

    Parameters
    ----------
    users
        The stream's hash of each user, shape (n_users,).
    items
        The mixed bits of each item, shape (n_items,).
    draws
        Receives the draws.
    """
    for u in range(len(users)):
        row = draws[u]
        for i in range(len(items)):
            bits = mix_bits(users[u] ^ items[i]) >> np.uint64(11)
            row[i] = bits * 2.0**-53 * (1.0 - 2.0**-53) + 2.0**-54


@njit()
def fill_sums(user, weights, mnar, tastes, traits, mainstream, fame, sums):
    """Fill ``sums[u, i]``, shape (n_users, n_items), with ``weights_i + (mnar personal_ui + mainstream_u fame_i)``.

    Parameters
    ----------
    user
        Codes of the block's users, shape (n_users,).
    weights, fame
        Shape (n_items,).
    mnar
        Weight of ``personal_ui = Σ_f taste_fu trait_fi``.
    tastes, mainstream
        For all users, shapes (factors, all users) and (all users,).
    traits
        Shape (factors, n_items).
    sums
        Receives the sums.
    """
    for first in range(0, len(weights), TILE):
        tile = slice(first, min(first + TILE, len(weights)))
        for u in range(len(user)):
            row = sums[u, tile]
            row[:] = 0.0
            # The compiler can vectorise the inner loop because the loop over factors is outside.
            for factor in range(len(traits)):
                _add_scaled(tastes[factor, user[u]], traits[factor, tile], row)
            _weigh(weights[tile], mnar, mainstream[user[u]], fame[tile], row)


@njit()
def _add_scaled(taste, traits, row):
    for i in range(len(row)):
        row[i] += taste * traits[i]


@njit()
def _weigh(weights, mnar, mainstream, fame, row):
    for i in range(len(row)):
        row[i] = weights[i] + (mnar * row[i] + mainstream * fame[i])
