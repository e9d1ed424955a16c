"""The corrected metric: what a sampled place says about the value of the full ranking."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve
from threadpoolctl import threadpool_limits

from recsens.conclusions.meta._sampling_kernels import chance_table

Floats = NDArray[np.float64]

_BLOCK = 4096
"""Rows of the table of chances that are held at a time."""


def corrected(values: Floats, pool: int, n: int, gamma: float, *, replacement: bool) -> Floats:
    """Return the estimate f̂(h) of the full metric where h of n drawn candidates stand above, shape (n + 1, n_columns).

    f̂ minimises, over all places with the same weight, E_a[(E[f̂(H) | a] - g(1 + a))² + γ Var(f̂(H) | a)]:
    ``f̂ = ((1 - γ) AᵀA + γ diag(c))⁻¹ Aᵀ b`` with ``A[a, h] = √p(a) P(H = h | a)``, ``b[a] = √p(a) g(1 + a)``,
    ``c[h] = Σ_a p(a) P(H = h | a)`` and ``p(a) = 1 / (pool + 1)``, for a = 0 .. pool candidates above.

    Parameters
    ----------
    values
        ``values[a]`` is g(1 + a), shape (at least pool + 1, n_columns).
    pool
        Number of candidates; at least ``n`` without replacement.
    n
        Number drawn.
    gamma
        Weight of the variance, above 0 and at most 1.
    replacement
        Whether H is binomial, as in the paper, or hypergeometric.

    References
    ----------
    Krichene & Rendle (2020), On sampled metrics for item recommendation, KDD: the estimator with the bias-variance trade-off.
    """
    squares, sums, products = np.zeros((n + 1, n + 1)), np.zeros(n + 1), np.zeros((n + 1, values.shape[1]))
    # One thread, as the last bits of a product depend on their number.
    with threadpool_limits(limits=1, user_api="blas"):
        for start in range(0, pool + 1, _BLOCK):
            table = np.empty((min(_BLOCK, pool + 1 - start), n + 1))
            chance_table(start, pool, n, replacement, table)
            squares += table.T @ table
            sums += table.sum(axis=0)
            products += table.T @ values[start : start + len(table)]
        # The weight p(a) is the same on both sides.
        return np.ascontiguousarray(solve((1 - gamma) * squares + gamma * np.diag(sums), products, assume_a="pos"))
