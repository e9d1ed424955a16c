"""How many ratings each simulated user gives (activity), and weights with which items reach the intended popularity."""

import numpy as np
from numpy.typing import NDArray

from recsens.data.datasets._simulated_popularity import round_to_total

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
