"""The popularity curve, a shifted power law: number of ratings by popularity rank."""

import numpy as np
from numpy.typing import NDArray


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
