"""Curves of agreement: how far a metric orders the systems on a part of the test set as it does on the whole."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Literal, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy import special

from recsens.conclusions.meta._base import Finding
from recsens.conclusions.meta._judged_rankings import Board
from recsens.conclusions.meta._kendall_tau import tau_b
from recsens.metrics import MeasuredAt
from recsens.outcomes.rounding import rounded
from recsens.plugins import Plugin
from recsens.recommenders import progress
from recsens.study import Asked

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Emptied = Literal["zeros", "skip"]

QUANTITIES: Mapping[str, str] = {
    "tau": "Kendall's tau-b of the systems' order on the part of the test set and on the whole of it",
    "area": "mean height of the curve of tau over the axis: the area under it, divided by the range of the axis",
}

EMPTIED: Any = Field(
    "zeros",
    description="users left without a relevant rating: they keep what the metric gives such a user, 0 for most (zeros), or are "
    "left out (skip)",
)

_CONFIDENCE = 0.95


T = TypeVar("T")

Result = TypeVar("Result")


def distinct(points: tuple[float, ...], what: str) -> tuple[float, ...]:
    """Refuse a point of an axis that is listed twice; return the points in ascending order.

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


def half_up(share: float, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a percentage of each number, rounded to the nearest whole number, halves upwards."""
    # Round to nine decimals: 7 % of 50 is 3.5, but floats may come to a little less.
    return np.floor(np.round(share * numbers / 100, 9) + 0.5).astype(np.int64)


def taus(board: Board, asked: Asked, curves: Sequence[Iterable[Mask | None]], emptied: Emptied, what: str) -> NDArray[np.float64]:
    """Follow curves: for each part of the test set, correlate the systems' order on it with that on the whole, by every metric.

    Parameters
    ----------
    board, asked
        What is thinned, and the metrics.
    curves
        The parts along each curve, as masks over the board's rows; None for the whole. Each may draw its masks when it is asked.
    emptied
        What becomes of users without a relevant rating: the same on the whole test set as on its parts.
    what
        Name of the work in the log.

    Returns
    -------
    numpy.ndarray
        Shape (n_curves, n_parts, n_metrics); NaN where tau is not defined.
    """
    skips = emptied == "skip"
    # First of all, on one thread: what the board works out once is there when threads ask for it.
    whole = board.totals(asked.metrics, skip_emptied=skips)

    def follow(curve: Iterable[Mask | None]) -> Floats:
        parts = (whole if kept is None else board.totals(asked.metrics, kept, skip_emptied=skips) for kept in curve)
        return np.stack([tau_b(part, whole) for part in parts])

    return np.stack(on_threads(follow, curves, what, n_threads_for(board, asked.metrics)))


def findings(metrics: Sequence[MeasuredAt], points: Sequence[float], curves: Floats) -> Iterator[Finding]:
    """Summarise curves of shape (n_curves, n_points, n_metrics), metric by metric: tau at each point, then the area.

    ``points`` ascend. A curve's area is Σ (x_{i+1} - x_i)(τ_i + τ_{i+1}) / 2, divided by the last x less the first.
    """
    # numpy.trapezoid, which numpy 1.26 lacks.
    areas = (np.diff(points)[:, None] * (curves[:, 1:] + curves[:, :-1]) / 2.0).sum(axis=1) / (points[-1] - points[0])
    for nth, metric in enumerate(metrics):
        for place, point in enumerate(points):
            yield _summary("tau", curves[:, place, nth], metric, float(point))
        yield _summary("area", areas[:, nth], metric)


def _summary(quantity: str, values: Floats, metric: MeasuredAt, at: float = float("nan")) -> Finding:
    """Average over the samples for which the value is defined, with standard deviation and Student's interval, cut to [-1, 1]."""
    defined = values[~np.isnan(values)]
    n = len(defined)
    mean = spread = reach = float("nan")
    if n > 0:
        mean = defined.mean()
    if n > 1:
        spread = defined.std(ddof=1)
        reach = special.stdtrit(n - 1, (1 + _CONFIDENCE) / 2) * spread / np.sqrt(n)
    # No tau is beyond 1, though an interval of Student's t may be.
    value, low, high, spread = rounded([mean, max(mean - reach, -1.0), min(mean + reach, 1.0), spread]).tolist()
    return Finding(quantity, value, metric, at=at, low=low, high=high, spread=spread, n=n)


def n_threads_for(board: Board, metrics: Sequence[MeasuredAt]) -> int:
    """Return on how many threads parts of a board can be measured at the same time: as many as the job has (NUMBA_NUM_THREADS).

    One if a metric or the aggregate is the user's own, as its class may keep what it works on between calls; or if this computer's
    threads of numba cannot be started by several threads.
    """
    parts: list[Plugin] = [*(each.metric for each in metrics), board.rules.aggregate]
    if not all(type(each).__module__.startswith("recsens.") for each in parts):
        return 1
    # Starts numba's threads, which settles what they are made of.
    numba.set_num_threads(numba.get_num_threads())
    return 1 if numba.threading_layer() == "workqueue" else int(numba.config.NUMBA_NUM_THREADS)


def on_threads(work: Callable[[T], Result], things: Sequence[T], what: str, n_threads: int) -> list[Result]:
    """Return what ``work`` makes of each thing, in their order, whichever thread was at it; ``what`` names the work in the log."""
    if n_threads == 1:
        return [work(thing) for thing in progress(things, what)]
    # One thread each: parallel loops within would start as many again.
    with ThreadPoolExecutor(n_threads, initializer=numba.set_num_threads, initargs=(1,)) as pool:
        waiting = [pool.submit(work, thing) for thing in things]
        try:
            return [each.result() for each in progress(waiting, what)]
        finally:
            # Nothing left if all is well; after an error, what has not begun never does.
            pool.shutdown(cancel_futures=True)
