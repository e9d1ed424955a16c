"""The grid of panels of a figure, one a data set and metric."""

import math
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from recsens.conclusions.verdicts.metric_names import ranks_systems
from recsens.study import Experiment
from recsens.study.ignored import ignored

_LONGEST_TITLE = 28
"""Letters of a panel's title that fit on one line."""

MAX_DATASETS = 4
"""A figure shows the first data sets of a study, each in a row."""

MAX_METRICS = 3
"""It shows the first metrics, each in a column; for a single data set twice as many, in two rows."""

_WIDTH = 7.2


@dataclass(frozen=True, slots=True)
class GridPanel:
    """One panel: its axes, data set, metric, and whether it stands at the left or bottom edge."""

    axes: Axes
    dataset: str
    metric: str
    is_left: bool
    is_bottom: bool

    def label_rows(self) -> None:
        """Name the rows at the left edge of the figure only."""
        self.axes.tick_params(labelleft=self.is_left)


def grid(
    study: Experiment, row_height: float, *, head: float, only_ranking: bool = False, varied: str = ""
) -> tuple[Figure, list[GridPanel]]:
    """Lay out the panels; ``varied`` is the decision that the figure varies: titles name the metrics that ignore it."""
    unmoved = ignored(study).get(varied, ())
    metrics = [metric for metric in study.metrics if not only_ranking or ranks_systems(str(metric))][: max_metrics(study)]
    pairs = [(dataset, metric) for dataset in list(study.datasets)[:MAX_DATASETS] for metric in metrics]
    n_columns = 2 if len(pairs) == 4 else min(len(metrics), MAX_METRICS)
    n_rows = math.ceil(len(pairs) / n_columns)
    figure = Figure(figsize=(_WIDTH if n_columns > 1 else 4.6, row_height * n_rows + head), layout="constrained")
    FigureCanvasAgg(figure)
    panels = []
    for number, (dataset, metric) in enumerate(pairs):
        axes = figure.add_subplot(n_rows, n_columns, number + 1)
        title = f"{dataset}, {metric.written}"
        # Beside others, a long one would run into the next panel's.
        lines = [title] if len(title) <= _LONGEST_TITLE else [dataset, metric.written]
        axes.set_title("\n".join([*lines, *([f"ignores {varied}"] if metric in unmoved else [])]))
        panels.append(GridPanel(axes, dataset, str(metric), number % n_columns == 0, number + n_columns >= len(pairs)))
    return figure, panels


def max_metrics(study: Experiment) -> int:
    """Return how many metrics a figure of the study shows."""
    return MAX_METRICS if len(study.datasets) > 1 else 2 * MAX_METRICS


def left_out(study: Experiment) -> str:
    """Say for a caption that a figure shows the first data sets or metrics only; empty where it shows all."""
    notes = []
    if len(study.metrics) > max_metrics(study):
        notes.append(f"the first {max_metrics(study)} of {len(study.metrics)} metrics")
    if len(study.datasets) > MAX_DATASETS:
        notes.append(f"the first {MAX_DATASETS} of {len(study.datasets)} data sets")
    return f" Shown: {' and '.join(notes)}." if notes else ""
