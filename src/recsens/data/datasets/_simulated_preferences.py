"""Preferences of simulated users: low-rank tastes, and the stars that follow from them."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from recsens.seeds import Stream

Codes = NDArray[np.int64]
"""Codes of users or items; a column of users and a row of items together stand for all their pairs."""

# Sizes in stars. With these, the shape of the default data set and the results of systems on it resemble those of MovieLens 100K;
# docs/simulated-data.md says how closely.
_TASTE = 0.6
_TASTE_DECAY = 0.25
_LENIENCY = 0.35
_QUALITY = 0.6
_NOISE = 0.87
_CUTS = (-0.87, -0.16, 0.78, 1.91)

_FAME_OF_QUALITY = 0.8
"""Correlation of an item's quality with the normal score of its popularity rank."""

_MAINSTREAM = 0.7
"""Each user has a slope of log-exposure on the normal score of popularity; this is the standard deviation of the slopes."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """The latent preferences ``x_ui = leniency_u + quality_i + Σ_f taste_fu trait_fi`` of users for items.

    Every sum is computed elementwise, factor by factor in the same order, without BLAS, so the bytes are the same for any number of
    threads and any division into blocks.

    Attributes
    ----------
    leniency
        Shape (n_users,).
    mainstream
        How strongly a user's exposure to items grows with the items' popularity, shape (n_users,).
    tastes
        Shape (factors, n_users).
    rank, fame
        Popularity rank of each item, counted from 0, and its normal score, shape (n_items,).
    quality
        Shape (n_items,).
    traits
        Shape (factors, n_items).
    """

    leniency: NDArray[np.float64]
    mainstream: NDArray[np.float64]
    tastes: NDArray[np.float64]
    rank: NDArray[np.int64]
    fame: NDArray[np.float64]
    quality: NDArray[np.float64]
    traits: NDArray[np.float64]

    @classmethod
    def draw(cls, n_users: int, n_items: int, factors: int, stream: Stream) -> Self:
        """Draw users and items. The first factors, except for a common scale, are the same for any number of factors."""
        users, items = stream.child("users").generator(), stream.child("items").generator()
        leniency = _LENIENCY * users.standard_normal(n_users)
        mainstream = _MAINSTREAM * users.standard_normal(n_users)
        rank = popularity_ranks(n_items, stream)
        fame = -ndtri((rank + 0.5) / n_items)
        own = items.standard_normal(n_items)
        shares = np.exp(-_TASTE_DECAY * np.arange(factors))
        scales = _TASTE * shares / math.sqrt(float((shares**2).sum()))
        return cls(
            leniency=leniency,
            mainstream=mainstream,
            tastes=users.standard_normal((factors, n_users)),
            rank=rank,
            fame=fame,
            quality=_QUALITY * (_FAME_OF_QUALITY * fame + math.sqrt(1 - _FAME_OF_QUALITY**2) * own),
            traits=scales[:, None] * items.standard_normal((factors, n_items)),
        )

    def personal(self, user: Codes, item: Codes) -> NDArray[np.float64]:
        """Return the part of the preferences that is specific to a user, in stars."""
        total = np.zeros(np.broadcast_shapes(user.shape, item.shape))
        for taste, trait in zip(self.tastes, self.traits, strict=True):
            total += taste[user] * trait[item]
        return total

    def latent(self, user: Codes, item: Codes) -> NDArray[np.float64]:
        """Return the latent preferences."""
        return self.personal(user, item) + (self.leniency[user] + self.quality[item])

    def affinity(self, user: Codes, item: Codes, mnar: float) -> NDArray[np.float64]:
        """Return the log of the relative rates at which users meet items, before item weights, which are the same for all users."""
        return mnar * self.personal(user, item) + self.mainstream[user] * self.fame[item]


def popularity_ranks(n_items: int, stream: Stream) -> NDArray[np.int64]:
    """Return each item's popularity rank, counted from 0 and unrelated to the item's code, shape (n_items,)."""
    return stream.child("popularity").generator().permutation(n_items)


def stars(latent: NDArray[np.float64], user: Codes, item: Codes, stream: Stream) -> NDArray[np.int64]:
    """Return stars from 1 to 5.

    Fixed cuts divide the line into five intervals. A pair's stars are the number of the interval that contains its latent
    preference plus its noise.
    """
    noise = ndtri(open_interval(stream.child("noise").uniform(user, item)))
    return 1 + np.searchsorted(_CUTS, latent + _NOISE * noise)


def expected_stars(latent: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the expectation of `stars` over the noise: ``1 + Σ_c Φ((x - c) / σ)``, summed over the four cuts c."""
    total = np.ones(latent.shape)
    for cut in _CUTS:
        total += ndtr((latent - cut) / _NOISE)
    return total


def open_interval(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move 53-bit draws in [0, 1) to the middles of their steps; then neither 0 nor 1 occurs."""
    return np.asarray(draws * (1 - 2.0**-53) + 2.0**-54, dtype=np.float64)
