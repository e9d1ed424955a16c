"""Curves of metrics along an analysis's axis: for example, agreement on the order of systems by the share of ratings left out."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import Field

from recsens.conclusions.dimensions import Name, Names, Place
from recsens.errors import SpecError, nearest
from recsens.metrics import MeasuredAt
from recsens.report.figure_style import ink, set_scores
from recsens.report.figures._base import ANALYSIS, COLUMNS, METRICS, Drawing, FigureData
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._series import Series, draw_series, label_or_legend
from recsens.report.figures._shown_metric_analysis import ShownMetricAnalysis, analysed
from recsens.report.lazy_matplotlib import Axes, Figure, MaxNLocator, NullLocator
from recsens.study import Experiment
from recsens.tables.numbers import tick

_MOST_TICKS = 6

_TITLES = {"tau": "Kendall's τ"}

_BANDS = {
    "interval": "Bands show the 95 % interval, if the analysis computes one.",
    "spread": "Bands show one standard deviation to each side, if the analysis computes one.",
    "none": "",
}


class Robustness(Drawing):
    """A quantity of an analysis over its axis, one line per metric; by default, Kendall's tau with the order on the whole test set.

    There is one panel per data set. The whole test set is on the left. If the line of a metric stays high, the metric still orders
    the systems as with the whole test set. The vertical axis of a panel ends where the lines end; a band may extend beyond the
    axis.
    """

    source = "Valcarce, Bellogín, Parapar & Castells (2018), figures 2, 3, 6 and 7"

    analysis: Name = ANALYSIS
    metrics: Names = METRICS
    quantity: str = Field("tau", description="what is drawn: any quantity that the analysis finds along its axis")
    scale: Literal["linear", "log"] = Field("linear", description="scale of the horizontal axis")
    band: Literal["none", "interval", "spread"] = Field(
        "none",
        description="what bands show: nothing, the interval of the value, or its standard deviation; bands are only drawn "
        "if there are few lines",
    )
    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse references to anything that the experiment lacks."""
        analysis = self._find_shown(experiment)
        analysis.lines(self.metrics)
        if self.quantity == analysis.analysis.headline:
            along = [quantity for quantity in analysis.analysis.quantities if quantity != self.quantity]
            raise SpecError(
                f"quantity: '{self.quantity}' has one number per metric, not a curve{nearest(self.quantity, along)}",
                allowed=", ".join(along),
            )

    def heading(self, experiment: Experiment) -> str:
        """Return a title that says what the figure shows."""
        return f"{self._quantity_title} by {self._find_shown(experiment).analysis.axis}"

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        analysis = self._find_shown(experiment)
        meaning = analysis.analysis.quantities[self.quantity].rstrip(".")
        head = f"{meaning[:1].upper()}{meaning[1:]}, by {analysis.analysis.axis}, with one line for each metric"
        fewer = "" if self.metrics else analysis.shown(analysis.lines(()))
        return " ".join(filter(None, [f"{head}, over {len(experiment.systems)} systems.", _BANDS[self.band], fewer]))

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each data set."""
        analysis, datasets = self._find_shown(data.experiment), list(data.experiment.datasets)
        lines = analysis.lines(self.metrics)
        rows = analysis.rows(data, self.quantity).dropna(subset=["at"])
        if rows.empty:
            raise SpecError(
                f"analysis '{analysis.name}' found no '{self.quantity}' along its axis", remedy="choose another quantity"
            )
        figure, listed = panels(datasets, self.columns, 2.3)
        drawn: list[tuple[Axes, Series]] = []
        for axes, dataset in zip(listed, datasets, strict=True):
            of_panel = rows[rows["dataset"] == dataset].sort_values("at", ascending=not analysis.analysis.axis_falls)
            self._set_axes(axes, of_panel, falls=analysis.analysis.axis_falls)
            for number, metric in enumerate(lines):
                series = self._series(of_panel[of_panel["metric_full"] == str(metric)], metric, number)
                draw_series(axes, series.places, series, 0)
                drawn.append((axes, series))
            _cut_axis(axes, of_panel[of_panel["metric_full"].isin(list(map(str, lines)))]["value"])
        label_edges(listed, analysis.analysis.axis, self._quantity_title)
        return label_or_legend(figure, drawn)

    def _series(self, rows: pd.DataFrame, metric: MeasuredAt, number: int) -> Series:
        reach = {"interval": rows["high"] - rows["value"], "spread": rows["spread"], "none": rows["value"] * np.nan}[self.band]
        places = [Place(tick(at), at) for at in rows["at"].astype(float)]
        nothing = [math.nan] * len(places)
        return Series(
            metric.written, ink(number), places, list(rows["value"].astype(float)), list(reach.astype(float)), nothing, ()
        )

    def _set_axes(self, axes: Axes, rows: pd.DataFrame, *, falls: bool) -> None:
        points = sorted(set(rows["at"].astype(float)))
        axes.set_xscale(self.scale)
        if len(points) <= _MOST_TICKS or self.scale == "log":
            axes.set_xticks(points, list(map(tick, points)))
            axes.xaxis.set_minor_locator(NullLocator())
        else:
            axes.xaxis.set_major_locator(MaxNLocator(_MOST_TICKS))
        set_scores(axes)
        if falls:
            axes.invert_xaxis()

    @property
    def _quantity_title(self) -> str:
        return _TITLES.get(self.quantity, self.quantity.replace("_", " "))

    def _find_shown(self, experiment: Experiment) -> ShownMetricAnalysis:
        return analysed(experiment, self.analysis, self.quantity, lambda analysis: bool(analysis.axis))


def _cut_axis(axes: Axes, values: pd.Series[float]) -> None:
    """End the vertical axis where the lines end, plus a margin, because the interval of a mean of two values may be very wide."""
    low, high = values.min(), values.max()
    if not np.isnan(low):
        margin = 0.05 * ((high - low) or 1.0)
        axes.set_ylim(low - margin, high + margin)
