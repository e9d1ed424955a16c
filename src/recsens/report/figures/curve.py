"""The sorted p-values of all pairs, which show how well each metric distinguishes systems."""

import math
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import Field

from recsens.conclusions.dimensions import Name, Names, metrics_of
from recsens.conclusions.verdicts.components import measured
from recsens.errors import SpecError
from recsens.metrics import MeasuredAt
from recsens.report.figure_style import SOFT, ink
from recsens.report.figures._base import COLUMNS, Drawing, FigureData
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._fitting import add_legend, fit_text
from recsens.report.figures._shown_metric_analysis import ShownMetricAnalysis, analysed
from recsens.report.lazy_matplotlib import Figure, Line2D, MaxNLocator, ValueTicks
from recsens.study import Experiment
from recsens.tables.numbers import p_below

_LOWEST = 1e-16
"""Smaller p-values, including zero, are drawn at this p-value."""

_MOST_MARKS = 40
"""If there are more pairs than this, only some pairs have marks, which are different pairs on each line."""

_FEW_MARKS = 10
"""Number of pairs with marks in that case."""


class Curve(Drawing):
    """P-values under the base design in descending order, one line per metric.

    If the line of a metric falls early, the metric distinguishes more pairs. Pairs are sorted separately for each metric. The
    p-values come from the study's own comparisons or, with ``analysis``, from an analysis of discrimination, in which they are not
    corrected. With several folds, the k-th point is the mean of the folds' k-th largest p-values. If all folds test the same pairs,
    the area under a line is then the mean over folds of DP, the sum of p over pairs (see the analysis ``discrimination``).
    """

    source = "Sakai (2006); Valcarce, Bellogin, Parapar & Castells (2018), figures 4 and 8"

    analysis: Name = Field("", description="name of one of the study's analyses; by default, the study's own comparisons")
    metrics: Names = Field(
        (),
        description="metrics of the study or analysis; by default all metrics that rank systems or, if there are many, each metric "
        "at its deepest cut-off",
    )
    adjusted: bool = Field(True, description="whether the p-values of comparisons are corrected as the base design says")
    first: int | None = Field(None, ge=2, description="how many pairs are shown, the largest p-values first; by default all")
    scale: Literal["log", "linear"] = Field(
        "log", description="scale of the vertical axis: linear shows areas, and log shows small p-values"
    )
    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse an experiment with fewer than two pairs, or without the metrics."""
        self._ranking_metrics(experiment)
        if not self.analysis and len(experiment.pairs()) < 2:
            raise SpecError(f"the study compares {len(experiment.pairs())} pairs of systems", allowed="two pairs or more")

    def heading(self, experiment: Experiment) -> str:
        """Return a title that says what the figure shows."""
        n_pairs = "" if self.analysis else f"{len(experiment.pairs())} "
        return f"p-values of {n_pairs}pairs of systems, sorted"

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        pairs = "the pairs of systems" if self.analysis else f"all {len(experiment.pairs())} pairs of systems"
        lowest = "" if self.scale == "linear" else "; values below 1e-16 are drawn at 1e-16"
        head = f"The p-values of {pairs} under the base design, sorted separately for each metric{lowest}."
        notes = ["" if self.first is None else f"Only the {self.first} largest p-values of each metric are shown."]
        if self.analysis:
            analysis = self._analysed(experiment)
            notes += [
                "With several folds, the lines show the mean over folds at each place in the sorted order.",
                "" if self.metrics else analysis.shown(self._ranking_metrics(experiment)),
            ]
        return " ".join(filter(None, [head, *notes, f"The grey line marks α = {experiment.alpha:g}."]))

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each data set."""
        datasets, metrics = list(data.experiment.datasets), self._ranking_metrics(data.experiment)
        figure, listed = panels(datasets, self.columns, 2.3)
        for axes, dataset in zip(listed, datasets, strict=True):
            for number, metric in enumerate(metrics):
                values = self._found(data, dataset, metric) if self.analysis else self._compared_p_values(data, dataset, metric)
                values = values[: self.first]
                if self.scale == "log":
                    values = [max(value, _LOWEST) for value in values]
                style = ink(number)
                step = 1 if len(values) <= _MOST_MARKS else math.ceil(len(values) / _FEW_MARKS)
                every = (number * step // len(metrics), step)
                look = {**style.stroke, "linewidth": 1.2, "marker": style.marker, "markersize": 3.5, "markevery": every}
                axes.plot(np.arange(1, len(values) + 1), values, **look)
            axes.axhline(data.experiment.alpha, color=SOFT, linewidth=0.8)
            axes.set_yscale(self.scale)
            if self.scale == "linear":
                axes.yaxis.set_major_formatter(ValueTicks())
            axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
            axes.grid(axis="y")
        label_edges(listed, "pairs of systems", "p-value")
        handles = [
            Line2D([], [], **ink(number).stroke, marker=ink(number).marker, markersize=4, label=metric.written)
            for number, metric in enumerate(metrics)
        ]
        add_legend(figure, [*handles, Line2D([], [], color=SOFT, linewidth=0.8, label=p_below(data.experiment.alpha))])
        return fit_text(figure)

    def _compared_p_values(self, data: FigureData, dataset: str, metric: MeasuredAt) -> list[float]:
        rows = data.comparisons
        chosen = rows[(rows["dataset"] == dataset) & rows["is_base"] & (rows["fold"] == "all")]
        chosen = chosen[[str(measured(text)) == str(metric) for text in chosen["metric"]]]
        values = chosen["p_adjusted" if self.adjusted else "p_value"].dropna()
        return sorted(map(float, values), reverse=True)

    def _found(self, data: FigureData, dataset: str, metric: MeasuredAt) -> list[float]:
        rows = self._analysed(data.experiment).rows(data, "p", of_folds=True)
        chosen = rows[(rows["dataset"] == dataset) & (rows["metric_full"] == str(metric))].dropna(subset=["value"])
        by_fold = [each.sort_values(ascending=False).reset_index(drop=True) for _, each in chosen.groupby("fold")["value"]]
        return [float(value) for value in pd.concat(by_fold, axis=1).mean(axis=1)] if by_fold else []

    def _ranking_metrics(self, experiment: Experiment) -> list[MeasuredAt]:
        if self.analysis:
            return self._analysed(experiment).lines(self.metrics)
        if self.metrics:
            return [at for name in self.metrics for at in metrics_of(experiment, name)]
        return [at for at in experiment.metrics if not at.metric.is_descriptive]

    def _analysed(self, experiment: Experiment) -> ShownMetricAnalysis:
        return analysed(experiment, self.analysis, "p")
