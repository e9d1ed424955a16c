"""How users and items are simulated: tastes and stars, activity, popularity, and the race that selects the rated items."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from recsens.seeds import Stream, mix_bits


def power_law_curve(n_items: int, n_ratings: int, *, alpha: float, c1: float, c2: float, highest: float) -> NDArray[np.float64]:
    """Return the unrounded number of ratings for the k-th most popular item, shape (n_items,).

    ``r(k) = c1 m + β (c2 + k)^-α`` for ``k = 1..n_items``, clipped to ``[1, highest]``, where ``m = n_ratings / n_items``, and β
    makes the curve add up to ``n_ratings``. With ``α = 0`` every item has ``m`` ratings. The unit of the shift ``c1`` is the mean
    number of ratings of an item, so the curve has the same shape for data of any size. Requires ``c1 < 1`` and ``1 <= m <
    highest``.

    Source: Bellogín (2012), section 4.5.2, where the unit of ``c1`` is ratings.
    """
    from scipy.optimize import brentq  # noqa: PLC0415 - a run with nothing to do should not wait for it

    mean = n_ratings / n_items
    steps = (c2 + np.arange(1.0, n_items + 1.0)) ** -alpha

    def curve(beta: float) -> NDArray[np.float64]:
        return np.clip(c1 * mean + beta * steps, 1.0, highest)

    enough = (highest - c1 * mean) / steps[-1]
    beta = brentq(lambda beta: float(curve(beta).sum()) - n_ratings, 0.0, enough, xtol=1e-14 * enough, maxiter=1000)
    return curve(beta)


def round_to_total(values: NDArray[np.float64], total: int) -> NDArray[np.int64]:
    """Round numbers so that they add up to exactly ``total``.

    The numbers with the largest remainders are rounded up; of equal remainders, the earlier ones.
    """
    whole = np.floor(values).astype(np.int64)
    missing = total - int(whole.sum())
    order = np.argsort(whole - values, kind="stable")
    share, rest = divmod(missing, len(values))
    whole += share
    whole[order[:rest]] += 1
    return whole


MIN_RATINGS = 20
"""Fewest ratings of a user, as in the MovieLens data sets."""

_MAX_SHARE = 0.45
"""Largest share of the items that any user rates."""

_TAIL = 1.3
"""Exponent to which an exponential variate is raised, which gives a Weibull tail of shape 1/1.3."""

_ROUNDS = 12


def activity_curve(n_users: int, n_items: int, n_ratings: int) -> NDArray[np.int64]:
    """Return each user's number of ratings, least active first, shape (n_users,): ``20 + s E^1.3`` at quantiles of E.

    E is exponentially distributed. The scale ``s`` makes the total exactly ``n_ratings``; no user rates more than 45 % of the items
    (rounded up). Requires ``20 n_users <= n_ratings <= n_users n_items / 4``.
    """
    from scipy.optimize import brentq  # noqa: PLC0415 - a run with nothing to do should not wait for it

    tail = (-np.log1p(-(np.arange(n_users) + 0.5) / n_users)) ** _TAIL
    most = _MAX_SHARE * n_items - MIN_RATINGS
    spare = n_ratings - MIN_RATINGS * n_users

    def extra(scale: float) -> NDArray[np.float64]:
        return np.minimum(scale * tail, most)

    scale = brentq(lambda scale: float(extra(scale).sum()) - spare, 0.0, most / tail[0], xtol=1e-12, maxiter=1000)
    return MIN_RATINGS + round_to_total(extra(scale), spare)


def log_weights(targets: NDArray[np.float64], activity: NDArray[np.float64], affinity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return item weights with which a race gives each item about its target number of ratings, shape (n_items,).

    In the race, item i reaches user u after an exponential time with rate ``a_i exp(affinity_ui)``, and u rates the first
    ``activity_u`` items to arrive. The probability that u rates item i is therefore about ``1 - exp(-λ_u a_i exp(affinity_ui))``.
    In a fixed number of rounds, ``λ_u`` is fitted to the users' numbers of ratings and then ``a_i`` to the items' numbers of
    ratings. The result is ``log a_i``.

    Parameters
    ----------
    targets
        Target number of ratings of each item, shape (n_items,), each below the number of users.
    activity, affinity
        Numbers of ratings of representative users, shape (n,), and their affinities, shape (n, n_items).
    """
    wanted = targets * (activity.sum() / targets.sum())
    rates = np.exp(affinity)
    weights = targets / targets.sum()
    lengths = activity.copy()
    for _ in range(_ROUNDS):
        lengths *= activity / -np.expm1(-(lengths[:, None] * (weights * rates))).sum(axis=1)
        weights *= wanted / -np.expm1(-(lengths[:, None] * (weights * rates))).sum(axis=0)
    return np.asarray(np.log(weights), dtype=np.float64)


def rate_all(user: NDArray[np.int64], item: NDArray[np.int64], priority: NDArray[np.float64], runner_up: NDArray[np.int64]) -> None:
    """Give each unrated item a rating, in place: its runner-up rates it, and gives up the rating of another item for it.

    The runner-up is the user who came closest to rating the item. The rating given up is the user's rating with the lowest priority
    among items with more than one rating. If the user has no such rating, the one with the lowest priority among all users is given
    up.

    Parameters
    ----------
    user, item, priority
        The ratings, sorted by user, shape (n,).
    runner_up
        For each item, the user who came closest to rating it, shape (n_items,).
    """
    counts = np.bincount(item, minlength=len(runner_up))
    for unrated in np.flatnonzero(counts == 0):
        first, end = np.searchsorted(user, [runner_up[unrated], runner_up[unrated] + 1])
        spare = first + np.flatnonzero(counts[item[first:end]] > 1)
        if len(spare) == 0:
            spare = np.flatnonzero(counts[item] > 1)
        last = spare[np.argmin(priority[spare])]
        counts[item[last]] -= 1
        item[last] = unrated
        counts[unrated] = 1


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


def draw_stars(latent: NDArray[np.float64], user: Codes, item: Codes, stream: Stream) -> NDArray[np.int64]:
    """Return stars from 1 to 5.

    Fixed cuts divide the line into five intervals. A pair's stars are the number of the interval that contains its latent
    preference plus its noise.
    """
    noise = ndtri(open_interval(stream.child("noise").uniform(user, item)))
    return 1 + np.searchsorted(_CUTS, latent + _NOISE * noise)


def expected_stars(latent: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the expectation of `draw_stars` over the noise: ``1 + Σ_c Φ((x - c) / σ)``, summed over the four cuts c."""
    total = np.ones(latent.shape)
    for cut in _CUTS:
        total += ndtr((latent - cut) / _NOISE)
    return total


def open_interval(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move 53-bit draws in [0, 1) to the middles of their steps; then neither 0 nor 1 occurs."""
    return np.asarray(draws * (1 - 2.0**-53) + 2.0**-54, dtype=np.float64)


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
        _kernels.fill_draws(self.stream.hashes(user), self._item_bits, draws)
        _kernels.fill_sums(user, self.weights, self.mnar, of.tastes, of.traits, of.mainstream, of.fame, sums)
        return draws, sums

    @cached_property
    def _item_bits(self) -> NDArray[np.uint64]:
        """The mixed bits of each item, which are the same for every user."""
        return mix_bits(np.arange(len(self.weights)))
