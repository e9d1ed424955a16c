"""The race of items to simulated users, which selects the items that each user rates."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from recsens.data.datasets._simulated_preferences import Codes, Preferences, open_interval
from recsens.seeds import Stream, mixed

_MANY = 10_000_000
"""Number of pairs of users and items from which kernels save more time than it takes to import numba and load them (0.4 s)."""

Terms = tuple[NDArray[np.float64], NDArray[np.float64]]
"""The uniform draws in the open interval (0, 1) and the sums to which their Gumbel variates are added, shape (n_users, n_items)."""


@dataclass(frozen=True)
class Race:
    """The keys of the race, which are item weights plus affinity plus a Gumbel variate; the items with the highest keys win.

    Attributes
    ----------
    stream
        Stream of the Gumbel variates.
    preferences
        Preferences of all users.
    weights
        Logs of the item weights, shape (n_items,).
    mnar
        Weight of personal taste.
    """

    stream: Stream
    preferences: Preferences
    weights: NDArray[np.float64]
    mnar: float

    def keys(self, user: Codes) -> NDArray[np.float64]:
        """Return the keys of all items for some users, shape (n_users, n_items)."""
        is_large = len(self.preferences.mainstream) * len(self.weights) >= _MANY
        draws, keys = self.compiled_terms(user) if is_large else self.terms(user)
        # Add -log(-log(draws)) in place. The logs remain numpy's, because those of other libraries differ in the last bit.
        np.log(draws, out=draws)
        np.negative(draws, out=draws)
        np.log(draws, out=draws)
        keys -= draws
        return keys

    def terms(self, user: Codes) -> Terms:
        """Return the terms of the keys for some users, computed by numpy."""
        user, item = user[:, None], np.arange(len(self.weights))
        draws = open_interval(self.stream.uniform(user, item))
        return draws, self.weights + self.preferences.affinity(user, item, self.mnar)

    def compiled_terms(self, user: Codes) -> Terms:
        """Return the same bytes as `terms`, computed by kernels in about an eighth of the time."""
        from recsens.data.datasets import _kernels  # noqa: PLC0415 - a small simulation should not wait for numba

        of, shape = self.preferences, (len(user), len(self.weights))
        draws, sums = np.empty(shape), np.empty(shape)
        _kernels.fill_draws(self.stream.hashes(user), self._items, draws)
        _kernels.fill_sums(user, self.weights, self.mnar, of.tastes, of.traits, of.mainstream, of.fame, sums)
        return draws, sums

    @cached_property
    def _items(self) -> NDArray[np.uint64]:
        """The mixed bits of each item, which are the same for every user."""
        return mixed(np.arange(len(self.weights)))
