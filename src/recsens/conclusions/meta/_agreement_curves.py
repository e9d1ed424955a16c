"""Agreement curves: for each metric, how well the orders of systems on a part of the test set and on the whole test set agree."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Literal, TypeVar

import numba
import numpy as np
from pydantic import Field
from scipy import special

from recsens.arrays import Bools, Floats, Ints
from recsens.conclusions.meta._base import Finding
from recsens.conclusions.meta._judged_rankings import Board
from recsens.metrics import MeasuredAt
from recsens.outcomes.rounding import rounded
from recsens.plugins import Plugin
from recsens.recommenders import progress
from recsens.study import MetricAnalysisTask


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


Emptied = Literal["zeros", "skip"]

QUANTITIES: Mapping[str, str] = {
    "tau": "Kendall's tau-b between the order of systems on a part of the test set and their order on the whole test set",
    "area": "area under the curve of tau, divided by the range of the axis, which is the mean height of the curve",
}

EMPTIED: Any = Field(
    "zeros",
    description="users who lost all relevant ratings: zeros gives them the metric's value for such a user, which is mostly 0, and "
    "skip leaves them out",
)

_CONFIDENCE = 0.95


T = TypeVar("T")

Result = TypeVar("Result")


def ascending_points(points: tuple[float, ...], what: str) -> tuple[float, ...]:
    """Return the points of an axis in ascending order; refuse a point that is listed twice.

    Raises
    ------
    ValueError
        The message names the point.
    """
    ordered = tuple(sorted(points))
    twice = next((point for point, other in pairwise(ordered) if point == other), None)
    if twice is not None:
        raise ValueError(f"the {what} {twice:g} is listed twice; a curve has one point at each {what}")
    return ordered


def rounded_share(share: float, numbers: Ints) -> Ints:
    """Return a percentage of each number, rounded to the nearest whole number; halves are rounded up."""
    # Round to nine decimals: 7 % of 50 is 3.5, but floating-point numbers may give slightly less.
    return np.floor(np.round(share * numbers / 100, 9) + 0.5).astype(np.int64)


def taus(board: Board, task: MetricAnalysisTask, curves: Sequence[Iterable[Bools | None]], emptied: Emptied, what: str) -> Floats:
    """Correlate, by metric and curve, the order of systems on each part of the test set with the order on the whole test set.

    Parameters
    ----------
    board, task
        The rankings, and the metrics.
    curves
        The parts of the test set along each curve, as masks over the board's rows; None is the whole test set. Masks may be created
        lazily.
    emptied
        The treatment of users without a relevant rating, both on the whole test set and on its parts.
    what
        The name of this work in the log.

    Returns
    -------
    numpy.ndarray
        Shape (n_curves, n_parts, n_metrics); NaN where tau is undefined.
    """
    skips = emptied == "skip"
    # Measure the whole test set on one thread first; the board then has all results that it computes only once.
    whole = board.totals(task.metrics, skip_emptied=skips)

    def follow(curve: Iterable[Bools | None]) -> Floats:
        parts = (whole if kept is None else board.totals(task.metrics, kept, skip_emptied=skips) for kept in curve)
        return np.stack([tau_b(part, whole) for part in parts])

    return np.stack(map_on_threads(follow, curves, what, n_threads_for(board, task.metrics)))


def findings(metrics: Sequence[MeasuredAt], points: Sequence[float], curves: Floats) -> Iterator[Finding]:
    """Summarise curves of shape (n_curves, n_points, n_metrics): for each metric, tau at each point, then the area.

    ``points`` must be ascending. A curve's area is Σ (x_{i+1} - x_i)(τ_i + τ_{i+1}) / 2, divided by the last x minus the first x.
    """
    # This is numpy.trapezoid, which numpy 1.26 lacks.
    areas = (np.diff(points)[:, None] * (curves[:, 1:] + curves[:, :-1]) / 2.0).sum(axis=1) / (points[-1] - points[0])
    for nth, metric in enumerate(metrics):
        for number, point in enumerate(points):
            yield average_finding("tau", curves[:, number, nth], metric, float(point))
        yield average_finding("area", areas[:, nth], metric)


def average_finding(quantity: str, values: Floats, metric: MeasuredAt, at: float = math.nan, *, least: float = -1.0) -> Finding:
    """Average the defined values, with their standard deviation and the Student interval of the mean, cut to [least, 1]."""
    defined = values[~np.isnan(values)]
    n = len(defined)
    mean = spread = reach = math.nan
    if n > 0:
        mean = defined.mean()
    if n > 1:
        spread = defined.std(ddof=1)
        reach = special.stdtrit(n - 1, (1 + _CONFIDENCE) / 2) * spread / np.sqrt(n)
    # A Student interval may extend beyond 1, but a share or tau cannot.
    value, low, high, spread = rounded([mean, max(mean - reach, least), min(mean + reach, 1.0), spread]).tolist()
    return Finding(quantity, value, metric, at=at, low=low, high=high, spread=spread, n=n)


def n_threads_for(board: Board, metrics: Sequence[MeasuredAt]) -> int:
    """Return how many threads may measure parts of a board at once: the job's number of threads (NUMBA_NUM_THREADS).

    The number is 1 if a metric or the aggregate is the user's own plug-in, because its class may keep state between calls. It is
    also 1 if numba's threading layer does not allow calls from several threads.
    """
    parts: list[Plugin] = [*(plugin.metric for plugin in metrics), board.rules.aggregate]
    if not all(type(plugin).__module__.startswith("recsens.") for plugin in parts):
        return 1
    # This starts numba's threads, which fixes the threading layer.
    numba.set_num_threads(numba.get_num_threads())
    return 1 if numba.threading_layer() == "workqueue" else int(numba.config.NUMBA_NUM_THREADS)


def map_on_threads(work: Callable[[T], Result], things: Sequence[T], what: str, n_threads: int) -> list[Result]:
    """Apply ``work`` to each thing on several threads, and return the results in order; ``what`` names this work in the log."""
    if n_threads == 1:
        return [work(thing) for thing in progress(things, what)]
    # Each worker uses one numba thread; otherwise, every parallel loop of a worker would use ``n_threads`` threads.
    with ThreadPoolExecutor(n_threads, initializer=numba.set_num_threads, initargs=(1,)) as pool:
        waiting = [pool.submit(work, thing) for thing in things]
        try:
            return [future.result() for future in progress(waiting, what)]
        finally:
            # After an error, cancel work that has not started.
            pool.shutdown(cancel_futures=True)
