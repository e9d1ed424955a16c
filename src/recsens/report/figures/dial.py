"""How each system's value changes with the number of negatives (items that are not relevant), from a few to all of them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pydantic import Field

from recsens.conclusions.dimensions import Name, Names, Place
from recsens.metrics import MeasuredAt
from recsens.report.figure_style import TEXT, inks, set_scores
from recsens.report.figures._base import ANALYSIS, COLUMNS, Drawing, FigureData, refuse_unknown
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._series import Series, draw_series, label_or_legend
from recsens.report.figures._shown_metric_analysis import ShownMetricAnalysis, analysed
from recsens.report.lazy_matplotlib import Axes, Figure, Line2D, NullLocator
from recsens.study import Experiment
from recsens.tables.numbers import tick

_ALL = "all"

_STEP = 0.15
"""Distance on the logarithmic axis from the largest number of negatives to the point for all, as a share of the axis."""

_LEAST_STEP = 2.0
"""Smallest factor between the largest number of negatives and the point for all negatives."""


class DialCurve(Drawing):
    """Expected value of each system by number of negatives, on a logarithmic axis that ends with the value for all negatives.

    There is one panel per data set. For each fold, a ring marks each point where two systems swap places. With one fold, the ring
    is where their lines cross; with several folds, it is near that point. The point for all negatives is not to scale.
    """

    source = "Krichene & Rendle (2020); Cañamares & Castells (2020)"

    analysis: Name = ANALYSIS
    metric: Name = Field("", description="a metric of the analysis; by default the first")
    systems: Names = Field((), description="the systems that are shown; by default all systems")
    crossings: bool = Field(True, description="whether rings mark where two systems swap places")
    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse references to anything that the experiment lacks."""
        self._metric(self._find_shown(experiment))
        refuse_unknown(self.systems, experiment)

    def heading(self, experiment: Experiment) -> str:
        """Return a title that says what the figure shows."""
        analysis = self._find_shown(experiment)
        return f"{self._metric(analysis).written} by {analysis.analysis.axis}"

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        rings = " Rings mark where two systems swap places on at least one fold." if self.crossings else ""
        return (
            f"{self.heading(experiment)}: expected values, computed without sampling. The rightmost points, which are "
            f"not to scale, use all candidates.{rings}"
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each data set."""
        experiment = data.experiment
        analysis, datasets = self._find_shown(experiment), list(experiment.datasets)
        metric, systems = self._metric(analysis), self.systems or tuple(experiment.systems)
        expected, full = (_rows_of_metric(analysis.rows(data, quantity), metric) for quantity in ("expected", "full"))
        crossings = _rows_of_metric(analysis.rows(data, "crossing", of_folds=True), metric)
        axis = _DialAxis(sorted(set(expected["at"].astype(float))))
        figure, listed = panels(datasets, self.columns, 2.5)
        drawn: list[tuple[Axes, Series]] = []
        n_rings = 0
        for axes, dataset in zip(listed, datasets, strict=True):
            axis.set(axes)
            lines = {system: axis.along(*(_at(rows, dataset, system) for rows in (expected, full))) for system in systems}
            for system, values in lines.items():
                nothing = [math.nan] * len(values)
                series = Series(system, inks(experiment.systems)[system], axis.places, values, nothing, nothing, ())
                draw_series(axes, axis.places, series, 0)
                drawn.append((axes, series))
            if self.crossings:
                n_rings += _draw_rings(axes, axis, lines, crossings[crossings["dataset"] == dataset])
        label_edges(listed, analysis.analysis.axis, metric.written)
        return label_or_legend(figure, drawn, [Line2D([], [], **_RING, label="change of places")] if n_rings else [])

    def _metric(self, analysis: ShownMetricAnalysis) -> MeasuredAt:
        return analysis.named([self.metric])[0] if self.metric else analysis.metrics[0]

    def _find_shown(self, experiment: Experiment) -> ShownMetricAnalysis:
        needed = {"full", "crossing"}
        return analysed(experiment, self.analysis, "expected", lambda found: bool(found.axis) and needed <= set(found.quantities))


_RING: dict[str, Any] = {"linestyle": "none", "marker": "o", "color": TEXT}
_RING |= {"markerfacecolor": "none", "markersize": 6, "markeredgewidth": 0.8}


@dataclass(frozen=True)
class _DialAxis:
    """The points on the axis: each number of negatives, then one point for all negatives."""

    numbers: list[float]

    @property
    def end(self) -> float:
        """The point of the axis for all negatives."""
        first, last = self.numbers[0], self.numbers[-1]
        return last * max(_LEAST_STEP, float((last / first) ** _STEP))

    @property
    def places(self) -> list[Place]:
        """All points of the axis, in order."""
        return [*(Place(tick(number), number) for number in self.numbers), Place(_ALL, self.end)]

    def set(self, axes: Axes) -> None:
        """Prepare a panel."""
        axes.set_xscale("log")
        axes.set_xticks([*self.numbers, self.end], [place.label for place in self.places])
        # The last point always has its label; labels of numbers that do not fit are hidden.
        axes.get_xticklabels()[-1].set_fontweight("bold")
        axes.xaxis.set_minor_locator(NullLocator())
        set_scores(axes)

    def along(self, expected: dict[float, float], full: dict[float, float]) -> list[float]:
        """Return a value for each point; NaN if a point has no value."""
        return [*(expected.get(number, math.nan) for number in self.numbers), next(iter(full.values()), math.nan)]

    def moved(self, number: float, low: float, high: float) -> float:
        """Return the position of a number between two points of the axis; the higher one may be the point for all candidates."""
        if high <= self.numbers[-1] or high <= low:
            return number
        share = math.log(number / low) / math.log(high / low)
        return float(low ** (1 - share) * self.end**share)

    def height(self, across: float, values: Sequence[float]) -> float:
        """Return the height at which the line through the values passes."""
        numbers = [*self.numbers, self.end]
        return float(np.interp(math.log(across), np.log(numbers), values))


def _rows_of_metric(rows: pd.DataFrame, metric: MeasuredAt) -> pd.DataFrame:
    return rows[rows["metric_full"] == str(metric)]


def _at(rows: pd.DataFrame, dataset: str, system: str) -> dict[float, float]:
    """Return the values of a system, by number of negatives."""
    row = rows[(rows["dataset"] == dataset) & (rows["system_a"] == system)]
    return dict(zip(row["at"].astype(float), row["value"].astype(float), strict=True))


def _draw_rings(axes: Axes, axis: _DialAxis, lines: Mapping[str, Sequence[float]], crossings: pd.DataFrame) -> int:
    """Mark the points where two of the shown systems swap places; return how many there are."""
    rings = []
    for a, b, value, low, high in zip(*(crossings[name] for name in ("system_a", "system_b", "value", "low", "high")), strict=True):
        if a in lines and b in lines:
            across = axis.moved(float(value), float(low), float(high))
            rings.append((across, (axis.height(across, lines[a]) + axis.height(across, lines[b])) / 2))
    if rings:
        axes.plot(*zip(*rings, strict=True), zorder=4, **_RING)
    return len(rings)
