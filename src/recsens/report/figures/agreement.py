"""A heat map of how similarly metrics, or the cut-offs of a metric, order systems."""

import numpy as np
import pandas as pd

from recsens.arrays import Floats, grouped
from recsens.conclusions.dimensions import Name, Names
from recsens.metrics import MeasuredAt
from recsens.report.figures._base import ANALYSIS, COLUMNS, METRICS, Drawing, FigureData
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._fitting import breakable, in_lines
from recsens.report.figures._shades import number_cells, panel_height, shade_cells, value_range
from recsens.report.figures._shown_metric_analysis import ShownMetricAnalysis, analysed
from recsens.report.lazy_matplotlib import Figure
from recsens.study import Experiment
from recsens.tables.numbers import fixed

_MOST_PANELS = 6
"""If there are more panels than this, only the panels of the first metric, or of the deepest cut-off, are shown by default."""

_MOST_CELLS = 8
"""If a row has more cells than this, their numbers do not fit in three panels side by side."""

_QUANTITY = "agreement"


class Agreement(Drawing):
    """Correlation between the orders of systems by a metric (row) and another metric (column); darker cells are more similar.

    There is one panel per data set and cut-off, or per data set and metric if the analysis compares cut-offs. A shade means the
    same in all panels. Cells contain the numbers if all numbers fit; otherwise, each panel has a colour bar.
    """

    source = "Valcarce, Bellogín, Parapar & Castells (2018), figures 1 and 5"

    analysis: Name = ANALYSIS
    metrics: Names = METRICS
    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse references to anything that the experiment lacks."""
        self._groups(experiment)

    def heading(self, experiment: Experiment) -> str:
        """Return a title that says what the figure shows."""
        return f"Agreement of {'cut-offs' if self._is_of_cutoffs(experiment) else 'metrics'} on the order of systems"

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        analysis, groups, every = self._find_shown(experiment), self._groups(experiment), self._all_groups(experiment)
        meaning = analysis.analysis.quantities[_QUANTITY].partition(";")[0].rstrip(".")
        one = next(iter(groups)) if len(groups) == 1 else ""
        where = f" ({one})" if one else ""
        what = "metrics" if self._is_of_cutoffs(experiment) else "cut-offs"
        fewer = f"Only {one} is shown, one of {len(every)} {what}." if len(groups) < len(every) else ""
        head = (
            f"{meaning[:1].upper()}{meaning[1:]}{where}, over {len(experiment.systems)} systems. Darker cells mean more similar "
            "orders."
        )
        return f"{head} {fewer}".rstrip()

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each data set and group of metrics."""
        experiment = data.experiment
        groups, rows = self._groups(experiment), self._find_shown(experiment).rows(data, _QUANTITY)
        panels_of = [(dataset, group) for dataset in experiment.datasets for group in groups]
        labels = {group: [self._label(metric, experiment) for metric in metrics] for group, metrics in groups.items()}
        upright = not self._is_of_cutoffs(experiment)
        tallest = max(panel_height(names, names, upright=upright) for names in labels.values())
        titles = [f"{dataset}, {group}" if len(groups) > 1 else dataset for dataset, group in panels_of]
        most = 2 if max(map(len, groups.values())) > _MOST_CELLS else 3
        figure, listed = panels(titles, self.columns, tallest, most=most)
        values = [_finding_matrix(rows[rows["dataset"] == dataset], groups[group]) for dataset, group in panels_of]
        ends = value_range(np.concatenate([matrix.ravel() for matrix in values]))
        for axes, (_, group), matrix in zip(listed, panels_of, values, strict=True):
            shade_cells(axes, matrix, labels[group], labels[group], upright=upright, ends=ends)
        title = "cut-off" if self._is_of_cutoffs(experiment) else ""
        alike = len(set(map(tuple, labels.values()))) == 1
        label_edges(listed, title, title, has_rows=alike)
        panels_shaded = list(zip(listed, values, strict=True))
        return number_cells(figure, panels_shaded, lambda value: "1" if value == 1 else fixed(value, 2))

    def _label(self, metric: MeasuredAt, experiment: Experiment) -> str:
        return str(metric.cutoff) if self._is_of_cutoffs(experiment) and not metric.is_whole else in_lines(breakable(_name(metric)))

    def _groups(self, experiment: Experiment) -> dict[str, list[MeasuredAt]]:
        """Return each panel's metrics, by the panel's title."""
        every = self._all_groups(experiment)
        if self.metrics or len(every) * len(experiment.datasets) <= _MOST_PANELS:
            return every
        first = next(iter(every)) if self._is_of_cutoffs(experiment) else max(every, key=lambda title: every[title][0].cutoff)
        return {first: every[first]}

    def _all_groups(self, experiment: Experiment) -> dict[str, list[MeasuredAt]]:
        analysis = self._find_shown(experiment)
        shown = analysis.named(self.metrics) if self.metrics else analysis.metrics
        title_of = _name if self._is_of_cutoffs(experiment) else _depth_label
        groups = grouped((title_of(metric), metric) for metric in shown)
        # A single metric would only be compared with itself.
        return {title: metrics for title, metrics in groups.items() if len(metrics) > 1} or groups

    def _is_of_cutoffs(self, experiment: Experiment) -> bool:
        return self._find_shown(experiment).analysis.full_spec.get("of") == "cutoffs"

    def _find_shown(self, experiment: Experiment) -> ShownMetricAnalysis:
        return analysed(experiment, self.analysis, _QUANTITY, lambda analysis: not analysis.axis)


def _name(metric: MeasuredAt) -> str:
    return metric.spelling or str(metric.metric.spec)


def _depth_label(metric: MeasuredAt) -> str:
    return "whole ranking" if metric.is_whole else f"cut-off {metric.cutoff}"


def _finding_matrix(rows: pd.DataFrame, metrics: list[MeasuredAt]) -> Floats:
    """Return the findings for each metric (row) and each other metric (column); NaN if there is no finding."""
    values = {
        (row, column): value for row, column, value in zip(rows["metric_full"], rows["against_full"], rows["value"], strict=True)
    }
    return np.array([[values.get((str(row), str(column)), np.nan) for column in metrics] for row in metrics], dtype=np.float64)
