"""Shares of the variance over a full grid of analyses that are due to each decision and to interactions between decisions."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Share:
    """The share of the variance that some decisions explain together, beyond what subsets of them explain.

    Attributes
    ----------
    of
        The axes of the grid: one axis for a main effect, two for an interaction, and none for all interactions of three or more
        axes together.
    share
        The effect's share of the sum of squares about the mean.
    """

    of: tuple[int, ...]
    share: float


def variance_shares(grid: NDArray[np.float64]) -> list[Share]:
    """Split the variance over a full grid into orthogonal parts: main effects, interactions of two axes, and the remainder.

    The effect of a set S of axes is f_S = Σ_{T ⊆ S} (-1)^{|S| - |T|} m_T, where m_T is the mean over all axes except T. Its share
    is Σ f_S² / Σ (x - m)² over the cells. Shares add up to 1; all are NaN if all cells are equal.

    Parameters
    ----------
    grid
        A number for each combination of options, with one axis per decision; no number is missing.

    References
    ----------
    Hoeffding (1948), section 4, the finite case of functional analysis of variance: a balanced design with one number per cell.
    """
    axes = tuple(range(grid.ndim))
    centred = grid - grid.mean()
    total = float(np.square(centred).sum())
    # The cells differ only by rounding errors.
    is_flat = total <= 1e-24 * max(float(np.square(grid).sum()), 1e-300)
    main = {axis: _mean_over(centred, (axis,)) for axis in axes}
    squares: dict[tuple[int, ...], float] = {(axis,): _sum_of_squares(main[axis], grid) for axis in axes}
    for a, b in combinations(axes, 2):
        squares[a, b] = _sum_of_squares(_mean_over(centred, (a, b)) - main[a] - main[b], grid)
    shares = [Share(of, float("nan") if is_flat else part / total) for of, part in squares.items()]
    if grid.ndim > 2:
        rest = float("nan") if is_flat else max(1.0 - sum(each.share for each in shares), 0.0)
        shares.append(Share((), rest))
    return shares


def _mean_over(values: NDArray[np.float64], kept: Sequence[int]) -> NDArray[np.float64]:
    """Average over all axes except those in ``kept``; the array keeps all its axes."""
    others = tuple(axis for axis in range(values.ndim) if axis not in kept)
    return np.asarray(values.mean(axis=others, keepdims=True))


def _sum_of_squares(effect: NDArray[np.float64], grid: NDArray[np.float64]) -> float:
    """Sum an effect's squares over all cells of the grid; each cell has the effect of its options."""
    return float(np.square(effect).sum()) * (grid.size / effect.size)
