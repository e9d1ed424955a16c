"""Variance components: how much of the uncertainty of a difference comes from users, from splits and from fits.

d_usf = μ + user_u + split_s + fit_f(s) + (user x split)_us + rest_usf is the difference between two systems for user u on draw s of
the split, after fit f. Users cross splits, and fits are nested in splits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recsens.arrays import Floats
from recsens.comparison.aggregation import Aggregate
from recsens.outcomes.paired import Paired
from recsens.outcomes.panels import Panel
from recsens.outcomes.summary import Outcomes
from recsens.seeds import Stream
from recsens.study.design import FEWEST_SPLITS, Design, draws_of, has_components

FACTORS: Mapping[str, tuple[int, ...]] = {"user": (0,), "split": (1,), "fit": (1, 2), "user x split": (0, 1), "rest": (0, 1, 2)}
"""The axes of d that number the levels of each source, in the order of a table."""

OF_USERS = ("user", "user x split", "rest")
"""The sources that average out over users."""

OTHERS = {
    "other users": OF_USERS,
    "other users and fits": (*OF_USERS, "fit"),
    "other users, splits and fits": tuple(FACTORS),
}
"""To what the mean difference is to generalise, and the sources of its error then."""

_SAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class VarianceComponent:
    """One source of uncertainty.

    Attributes
    ----------
    variance
        The estimate, which may be negative; NaN if there are too few levels.
    low, high
        95 % interval, from 0 on.
    levels
        Number of users, splits or fits, or of their combinations.
    error
        Standard error of the mean difference from this source alone; a negative estimate counts as 0.
    """

    variance: float
    low: float
    high: float
    levels: int
    error: float


def components(d: Floats, weights: Floats, rng: np.random.Generator) -> dict[str, VarianceComponent]:
    """Estimate the components by the method of moments.

    With the sums T_A = Σ_a (Σ_a w d)² / Σ_a w over the levels a of each source A, E T_A = μ² Σ w + Σ_C σ²_C Σ_a Σ_c w_ac² / w_a.
    These equations are solved for the σ²_C (Henderson 1953, method 1). If every user counts equally in every fold, the estimates
    are those of the analysis of variance; otherwise they are unbiased too. Intervals are generalised confidence intervals
    (Weerahandi 1993), from χ² with the degrees of freedom that match the variance between users' own sums of squares.

    With one split, user includes user x split. With one fit, split includes fit, and user x split includes the rest; these are then
    the names of both. With fewer than three splits, split is NaN.

    Parameters
    ----------
    d, weights
        Differences and the users' weights, shape (n_users, n_splits, n_fits); 0 weighs a user who does not count in a fold. The
        weights of a fold sum to 1.
    rng
        Draws the intervals.
    """
    # A source is told apart from another if it has levels of its own: its last axis is longer than 1.
    present = [source for source, axes in FACTORS.items() if d.shape[axes[-1]] > 1]
    factors: dict[str, tuple[int, ...]] = {"": (), **{source: FACTORS[source] for source in present}}
    counts = (weights > 0).astype(np.float64)
    # Rows and values of the equations, effects and degrees of freedom: each is what the sources within a source leave of it.
    terms: list[dict[str, Any]] = [{}, {}, {}, {}]
    equations, sums, freedom, effects = terms
    for source, axes in factors.items():
        total = _sum_except(weights, axes)
        means = np.divide(_sum_except(weights * d, axes), total, out=np.zeros_like(total), where=total > 0)
        equations[source] = np.array([_expected_weight(weights, axes, FACTORS[other]) for other in present])
        sums[source] = (total * means**2).sum()
        freedom[source], effects[source] = float((_sum_except(counts, axes) > 0).sum()), means
        for within in (other for other in effects if other != source and set(factors[other]) < set(axes)):
            for term in terms:
                term[source] = term[source] - term[within]
    squares, nominal = np.array([sums[source] for source in present]), np.array([freedom[source] for source in present])
    if (nominal < 1).any():
        return {}
    solve = np.linalg.inv(np.stack([equations[source] for source in present]))
    effective = [
        _effective_freedom((weights * effects[source] ** 2).sum(axis=(1, 2))) if source in OF_USERS else own
        for source, own in zip(present, nominal, strict=True)
    ]
    pivots = squares * effective / rng.chisquare(effective, (_SAMPLES, len(present))) @ solve.T
    low, high = np.maximum(np.quantile(pivots, (0.025, 0.975), axis=0), 0.0)
    found: dict[str, VarianceComponent] = {}
    for nth, (source, variance) in enumerate(zip(present, solve @ squares, strict=True)):
        own = _sum_except(weights / (d.shape[1] * d.shape[2]), FACTORS[source])
        numbers, n_levels = (float(variance), float(low[nth]), float(high[nth])), int((own > 0).sum())
        error = float(np.sqrt((own**2).sum() * max(variance, 0.0)))
        if source == "split" and d.shape[1] < FEWEST_SPLITS:
            numbers, error = (np.nan, np.nan, np.nan), np.nan
        found[source] = VarianceComponent(*numbers, n_levels, error)
    return found


def component_rows(outcomes: Outcomes) -> Iterator[dict[str, Any]]:
    """Yield the components of each pair, metric and data set under a base design with draws, and the errors that follow.

    The parts of a k-fold are not draws: a user's values are averaged over the parts of each draw. There are no rows for metrics
    that are pooled over users, nor under P1R, where a user's value depends on all users, nor for a pair that no draw can change.
    """
    for shared in outcomes.panels(of_base=True):
        design, panel = outcomes.designs[shared.label][0], shared.panel
        if not has_components(design) or not isinstance(panel, Panel):
            continue
        aggregate, names = Aggregate.build(design.aggregate), list(shared.experiment.systems)
        on_folds = [Paired.of(scores, aggregate.tested(scores), aggregate) for scores in panel.by_fold]
        for a, b in shared.experiment.pairs() if on_folds[0].offsets is None else ():
            d, weights = _arrange_differences(on_folds, (names.index(a), names.index(b)), design)
            found = components(d, weights, Stream.of(design.seed, "components").generator()) if max(d.shape[1:]) > 1 else {}
            total = sum(each.error**2 for each in found.values() if each.error > 0)
            head = {**shared.head, "system_a": a, "system_b": b}
            for source, each in found.items():
                numbers = {name: getattr(each, name) for name in ("variance", "low", "high", "levels", "error")}
                yield {**head, "component": source, **numbers, "share": each.error**2 / total if total > 0 else np.nan}
            for others, sources in OTHERS.items():
                is_asked = others == "other users" or found.get(sources[-1] if "split" not in sources else "split")
                errors = [found[source].error for source in sources if source in found]
                if found and is_asked and not np.isnan(errors).any():
                    yield {**head, "component": others, "error": float(np.sqrt(np.square(errors).sum()))}


def _arrange_differences(on_folds: Sequence[Paired], pair: tuple[int, int], design: Design) -> tuple[Floats, Floats]:
    """Arrange a pair's differences and the users' weights by user, draw and fit; one fit if all fits have the same differences."""
    a, b = pair
    counts = np.stack([fold.counts[a] & fold.counts[b] for fold in on_folds])
    given = np.stack([np.ones(len(fold.counts[a])) if fold.weights is None else fold.weights for fold in on_folds]) * counts
    totals = given.sum(axis=1, keepdims=True)
    weights = np.divide(given, totals, out=np.zeros_like(given), where=totals > 0)
    d = np.where(counts, np.stack([fold.values[a] - fold.values[b] for fold in on_folds]), 0.0)
    draws, fits = draws_of(design)
    by_part = (draws, -1, fits, d.shape[1])
    joint = weights.reshape(by_part).sum(axis=1)
    sums = (weights * d).reshape(by_part).sum(axis=1)
    means = np.divide(sums, joint, out=np.zeros_like(sums), where=joint > 0)
    counted = joint.sum(axis=(0, 1)) > 0
    axes, n_parts = (2, 0, 1), len(on_folds) / (draws * fits)
    means, joint = np.transpose(means, axes)[counted], np.transpose(joint, axes)[counted] / n_parts
    alike = bool((means == means[:, :, :1]).all()) and bool((joint == joint[:, :, :1]).all())
    return (means[:, :, :1], joint[:, :, :1]) if alike else (means, joint)


def _sum_except(values: Floats, axes: tuple[int, ...]) -> Floats:
    """Sum over all other axes, which stay with length 1."""
    return np.asarray(values.sum(axis=tuple(axis for axis in range(3) if axis not in axes), keepdims=True))


def _expected_weight(weights: Floats, axes: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Return Σ_a Σ_c w_ac² / w_a, for the levels a of the source with these axes, and c of the other source."""
    total, both = _sum_except(weights, axes), _sum_except(weights, tuple({*axes, *other}))
    squares = _sum_except(both**2, axes)
    return float(np.divide(squares, total, out=np.zeros_like(total), where=total > 0).sum())


def _effective_freedom(of_users: Floats) -> float:
    """Return the degrees of freedom of χ² with the same ratio of variance and mean as a sum of users' own sums of squares."""
    variance = len(of_users) * of_users.var(ddof=1)
    return float(2 * of_users.sum() ** 2 / variance) if variance > 0 else float(_SAMPLES**2)
