"""Kendall's tau-b between two orders of systems, for all metrics at once."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def tau_b(first: Floats, second: Floats) -> Floats:
    """Correlate two orders of the same systems, (C - D) / √((T - t₁)(T - t₂)), for each metric.

    There are T pairs of systems. The orders agree on C pairs and disagree on D pairs. The first order ties t₁ pairs, and the second
    order ties t₂ pairs. The results equal `scipy.stats.kendalltau` to the last bit, but all metrics are computed in one pass.

    Parameters
    ----------
    first, second
        Each system's value, shape (n_metrics, n_systems).

    Returns
    -------
    numpy.ndarray
        In [-1, 1], shape (n_metrics,). NaN if either order ties all systems, or if a system has no value.

    Source: Kendall (1945), The treatment of ties in ranking problems, Biometrika 33, 239-251.
    """
    above, below = np.triu_indices(first.shape[1], 1)
    signs = [np.sign(values[:, above] - values[:, below]) for values in (first, second)]
    differ = [np.count_nonzero(each, axis=1) for each in signs]
    # Use NaN instead of zero, because NumPy before 2 may ignore `errstate` in threads, and then warns.
    roots = [np.where(n > 0, np.sqrt(n), np.nan) for n in differ]
    # Take two square roots, as scipy does; the square root of the product differs in its last bit.
    taus = (signs[0] * signs[1]).sum(axis=1) / roots[0] / roots[1]
    return np.asarray(np.clip(taus, -1.0, 1.0))
