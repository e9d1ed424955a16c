"""How far two metrics order systems alike."""

import numpy as np
from numpy.typing import NDArray

from recsens.conclusions.meta import _tau
from recsens.outcomes.rounding import rounded

Values = NDArray[np.float64]


def tau_b(first: Values, second: Values) -> float:
    """Return Kendall's τ_b of two orders of systems: pairs tied by either count for neither; NaN if one ties all.

    Parameters
    ----------
    first, second
        Value of each system, the more the better, shape (n_systems,). Systems with NaN in either are left out.
    """
    first, second = _with_both(first, second)
    if _orders_none(first) or _orders_none(second):
        return float("nan")
    return float(rounded(_tau.tau_b(first[np.newaxis], second[np.newaxis])[0]))


def tau_ap(judged: Values, true: Values) -> float:
    """Return τ_AP = 2 / (N - 1) Σ_{i=2..N} C(i) / (i - 1) - 1, with weight on the top of the order that is judged.

    C(i) of the systems above place i of the judged order stand above that system in the true one too. Systems tied by the judged
    order alone stand in random order, and the value is the mean over all of them; a pair tied by the true order alone counts as
    half, and one tied by both as right. NaN if one ties all.

    Parameters
    ----------
    judged, true
        Value of each system, the more the better, shape (n_systems,). Systems with NaN in either are left out.

    References
    ----------
    Yilmaz, Aslam & Robertson (2008), section 4. The mean over random orders of ties: Urbano & Marrero (2017).
    """
    judged, true = _with_both(judged, true)
    if _orders_none(judged) or _orders_none(true):
        return float("nan")
    # How far system y (row) belongs above system x (column).
    ahead, tied = judged[:, np.newaxis] > judged, judged[:, np.newaxis] == judged
    right = (1 + np.sign(true[:, np.newaxis] - true)) / 2
    right[tied & (right == 0.5)] = 1.0
    n_above, n_tied = ahead.sum(axis=0), tied.sum(axis=0)
    right_above = (right * ahead).sum(axis=0)
    # Of its own group, without itself.
    right_tied = (right * tied).sum(axis=0) - 1
    shares = [_share(*each) for each in zip(n_above, n_tied, right_above, right_tied, strict=True)]
    return float(rounded(2 / (len(judged) - 1) * sum(shares) - 1))


def _share(n_above: int, n_tied: int, right_above: float, right_tied: float) -> float:
    """Average C(i) / (i - 1) over the places that a system may take in its group of ties; nothing for the first place."""
    before = np.arange(n_tied)
    of_group = right_tied / (n_tied - 1) if n_tied > 1 else 0.0
    places = n_above + before
    return float(np.divide(right_above + before * of_group, places, out=np.zeros(n_tied), where=places > 0).mean())


def _with_both(first: Values, second: Values) -> tuple[Values, Values]:
    known = ~(np.isnan(first) | np.isnan(second))
    return first[known], second[known]


def _orders_none(values: Values) -> bool:
    return len(values) < 2 or np.ptp(values) == 0
