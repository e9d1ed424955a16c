"""Weighted means over the users that count."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def weighted_means(values: NDArray[np.float64], counts: NDArray[np.bool_], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average each row over the users that count in it, Σ w_u m_u / Σ w_u; NaN where the weights sum to nothing.

    ``values`` and ``counts`` have shape (n_systems, n_users), ``weights`` (n_users,).
    """
    # Sums over what counts alone: adding zeros for the rest would change the last bits of a mean.
    means = np.full(len(values), np.nan)
    for row, (value, mask) in enumerate(zip(values, counts, strict=True)):
        weight = weights[mask]
        total = weight.sum()
        if total > 0:
            means[row] = (weight * value[mask]).sum() / total
    return means
