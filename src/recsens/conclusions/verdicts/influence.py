"""Which decisions matter: how much variance between analyses each decision explains, and how often it changes verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from recsens.arrays import Floats, Ints
from recsens.conclusions.design_space import DesignSpace
from recsens.conclusions.verdicts.components import direction
from recsens.conclusions.verdicts.pairs import PAIR, UNINFORMATIVE, PairVerdicts
from recsens.study.taxonomy import DECISIONS, Decision, decision


def variance_shares(grid: Floats) -> dict[tuple[int, ...], float]:
    """Split the variance over a full grid into orthogonal parts: main effects, interactions of two axes, and the remainder.

    The effect of a set S of axes is f_S = Σ_{T ⊆ S} (-1)^{|S| - |T|} m_T, where m_T is the mean over all axes except T. Its share
    is Σ f_S² / Σ (x - m)² over the cells. Shares add up to 1; all are NaN if all cells are equal.

    Parameters
    ----------
    grid
        A number for each combination of options, with one axis per decision; no number is missing.

    Returns
    -------
    dict
        Each effect's share of the sum of squares about the mean, by the axes of the grid: one axis for a main effect, two for an
        interaction, and none for all interactions of three or more axes together.

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
    shares = {of: math.nan if is_flat else part / total for of, part in squares.items()}
    if grid.ndim > 2:
        shares[()] = math.nan if is_flat else max(1.0 - sum(shares.values()), 0.0)
    return shares


def _mean_over(values: Floats, kept: Sequence[int]) -> Floats:
    """Average over all axes except those in ``kept``; the array keeps all its axes."""
    others = tuple(axis for axis in range(values.ndim) if axis not in kept)
    return np.asarray(values.mean(axis=others, keepdims=True))


def _sum_of_squares(effect: Floats, grid: Floats) -> float:
    """Sum an effect's squares over all cells of the grid; each cell has the effect of its options."""
    return float(np.square(effect).sum()) * (grid.size / effect.size)


_METRICS = decision("metrics")
_METRIC = f"{_METRICS.column}_full"


def influences(verdicts: PairVerdicts) -> list[dict[str, Any]]:
    """List, for each pair of systems, how much each varied decision, the metric, and each combination of them matters.

    The effect of an analysis is d_z, positive if the first system is better. On a full grid the variance decomposes exactly
    (`recsens.conclusions.verdicts.influence`); metrics without differences between users are left out, and so is a metric by which
    the systems cannot differ in some analysis. A decision's lowest and
    highest effects are taken over the base design and the designs in which only this decision changes. Its ``flip_rate`` is the
    share of pairs with different verdicts among all pairs of analyses that differ only in this decision.
    """
    rows = verdicts.rows[verdicts.rows["verdict"] != UNINFORMATIVE].reset_index(drop=True)
    varied = [decision for decision in (*DECISIONS, _METRICS) if len(rows[_option_column(decision)].unique()) > 1]
    if not varied:
        return []
    pairs = np.asarray(rows.groupby(list(PAIR), sort=False).ngroup(), dtype=np.int64)
    directions = rows["metric_full"].map({metric: direction(metric) for metric in rows["metric_full"].unique()})
    effects = np.asarray(rows["effect"] * directions, dtype=np.float64)
    alone = [_influence_alone(rows, pairs, effects, varied, decision) for decision in varied]
    heads = rows.loc[~rows.duplicated(list(PAIR)), list(PAIR)].itertuples(index=False, name=None)
    options = np.column_stack([_option_codes(rows[_option_column(decision)]) for decision in varied])
    shares = _variance_shares(pairs, effects, options, _option_codes(rows[_METRIC]))
    return [
        {**dict(zip(PAIR, map(str, head), strict=True)), **line}
        for number, (head, of_pair) in enumerate(zip(heads, shares, strict=True))
        for line in _influence_lines(varied, of_pair, [effect[number] for effect in alone])
    ]


def _influence_lines(
    varied: Sequence[Decision], shares: Mapping[tuple[int, ...], float], alone: Sequence[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    for axis, (entry, numbers) in enumerate(zip(varied, alone, strict=True)):
        yield {"code": entry.code, "decision": entry.name, "share": shares.get((axis,), math.nan), **numbers}
    for of, share in shares.items():
        if len(of) == 2:
            yield {"code": varied[of[0]].code, "decision": varied[of[0]].name, "together_with": varied[of[1]].name, "share": share}
    if () in shares:
        yield {"code": "", "decision": "three or more together", "share": shares[()]}


def _option_column(decision: Decision) -> str:
    return _METRIC if decision is _METRICS else decision.full_column


def _option_codes(column: pd.Series[str]) -> Ints:
    return np.asarray(pd.factorize(column, use_na_sentinel=False)[0], dtype=np.int64)


def _influence_alone(
    rows: pd.DataFrame, pairs: Ints, effects: Floats, varied: Sequence[Decision], decision: Decision
) -> list[dict[str, Any]]:
    """Measure a decision's influence on every pair of systems when only this decision changes."""
    of_pair = pd.Series(effects, index=rows.index).loc[_changing_only(rows, decision).index]
    reach = of_pair.groupby(pd.Series(pairs, index=rows.index)).agg(["min", "max"]).reindex(range(int(pairs.max()) + 1))
    others = [_option_column(other) for other in varied if other is not decision]
    keys = rows[others].assign(pair=pairs)[["pair", *others]]
    n_compared = _n_equal_pairs(keys)
    n_same = _n_equal_pairs(keys.assign(verdict=rows["verdict"]))
    of_pairs = zip(reach["min"].tolist(), reach["max"].tolist(), n_compared.tolist(), n_same.tolist(), strict=True)
    return [
        {"lowest": low, "highest": high, "flip_rate": (n - same) / n if n else math.nan, "compared": n}
        for low, high, n, same in of_pairs
    ]


def _changing_only(rows: pd.DataFrame, decision: Decision) -> pd.DataFrame:
    """Select the base analyses, and the analyses that differ from a base analysis only in this decision."""
    if decision is _METRICS:
        return rows[rows["is_base"]]
    return DesignSpace(rows[rows["is_base_metric"]]).along(decision).rows


def _n_equal_pairs(keys: pd.DataFrame) -> Ints:
    """Count, for each pair of systems (the first column), the pairs of analyses with equal values in all columns."""
    sizes = keys.groupby(list(keys), sort=False).size()
    return np.asarray((sizes * (sizes - 1) // 2).groupby(level=0).sum(), dtype=np.int64)


def _variance_shares(pairs: Ints, effects: Floats, options: Ints, metrics: Ints) -> Iterator[dict[tuple[int, ...], float]]:
    """Yield each pair's variance shares by axes of its grid; yield an empty dictionary if the grid is not full."""
    order = np.argsort(pairs, kind="stable")
    for own in np.split(order, np.cumsum(np.bincount(pairs))[:-1]):
        measured = own[np.bincount(metrics[own], weights=~np.isnan(effects[own]))[metrics[own]] > 0]
        n_analyses = np.bincount(metrics[measured])[metrics[measured]]
        measured = measured[n_analyses == n_analyses.max(initial=0)]
        grid = _effect_grid(effects[measured], options[measured])
        yield {} if grid is None else variance_shares(grid)


def _effect_grid(effects: Floats, options: Ints) -> Floats | None:
    """Arrange the effects in an array with one axis per decision; None unless every combination of options has an effect."""
    if not effects.size or np.isnan(effects).any():
        return None
    names, codes = zip(*(np.unique(column, return_inverse=True) for column in options.T), strict=True)
    shape = tuple(map(len, names))
    grid = np.full(shape, np.nan)
    if effects.size != grid.size:
        return None
    grid[codes] = effects
    return None if np.isnan(grid).any() else grid
