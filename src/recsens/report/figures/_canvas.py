"""The canvas of a figure: its panels and files."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Literal

from recsens.artefacts.storage import write_file
from recsens.conclusions.verdicts.components import ranks_systems
from recsens.report.figure_style import house_style
from recsens.report.lazy_matplotlib import Axes, Figure, FigureCanvasAgg
from recsens.study import Experiment
from recsens.study.ignored import ignored

Columns = Literal[1, 2]
"""Number of a paper's columns that a figure spans."""

WIDTHS = {1: 84, 2: 174}
"""Width of one and of two columns, in millimetres."""

_INCH = 25.4

_MOST_PANELS = {1: 1, 2: 3}
"""Largest number of panels side by side, by the number of columns."""

MAX_DATASETS = 4
"""Largest number of data sets in a grid, which shows the first data sets, one per row."""

_MAX_METRICS = 3
"""Largest number of metrics in a grid, which shows the first metrics, one per column; twice as many for a single data set."""

GRID_WIDTH = 7.2
"""Width of a grid with several columns, in inches."""

_GRID_COLUMN = 4.6

_LONGEST_TITLE = 28
"""Number of letters that fit on one line of a panel's title in a grid."""


def canvas(width: float, height: float) -> Figure:
    """Return an empty figure; lengths are in inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def panels(titles: Sequence[str], columns: Columns, row_height: float, *, most: int = 3) -> tuple[Figure, list[Axes]]:
    """Create a panel for each title, at most ``most`` side by side; row heights are in inches."""
    # Arrange four panels two by two.
    across = 2 if columns == 2 and len(titles) == 4 else min(_MOST_PANELS[columns], most, len(titles))
    return _laid_out(titles, across, WIDTHS[columns] / _INCH, row_height)


def _laid_out(titles: Sequence[str], across: int, width: float, row_height: float, head: float = 0.0) -> tuple[Figure, list[Axes]]:
    rows = math.ceil(len(titles) / across)
    figure = canvas(width, row_height * rows + head)
    listed = [figure.add_subplot(rows, across, number + 1) for number in range(len(titles))]
    for axes, title in zip(listed, titles, strict=True):
        axes.set_title(title)
    return figure, listed


def grid(
    experiment: Experiment, row_height: float, head: float, *, only_ranking: bool = False, varied: str = ""
) -> tuple[Figure, dict[tuple[str, str], Axes]]:
    """Create a panel for each data set and metric; titles say which metrics ignore ``varied``, the figure's decision."""
    unmoved = ignored(experiment).get(varied, ())
    metrics = [metric for metric in experiment.metrics if not only_ranking or ranks_systems(str(metric))][: max_metrics(experiment)]
    pairs = [(dataset, metric) for dataset in list(experiment.datasets)[:MAX_DATASETS] for metric in metrics]
    titles = []
    for dataset, metric in pairs:
        title = f"{dataset}, {metric.written}"
        # Break long titles, because in a grid they would overlap the title of the next panel.
        lines = [title] if len(title) <= _LONGEST_TITLE else [dataset, metric.written]
        titles.append("\n".join([*lines, *([f"ignores {varied}"] if metric in unmoved else [])]))
    across = 2 if len(pairs) == 4 else min(len(metrics), _MAX_METRICS)
    figure, listed = _laid_out(titles, across, GRID_WIDTH if across > 1 else _GRID_COLUMN, row_height, head)
    return figure, {(dataset, str(metric)): axes for (dataset, metric), axes in zip(pairs, listed, strict=True)}


def max_metrics(experiment: Experiment) -> int:
    """Return how many metrics of an experiment a grid shows."""
    return _MAX_METRICS if len(experiment.datasets) > 1 else 2 * _MAX_METRICS


def left_out_note(experiment: Experiment, most_metrics: float = math.inf) -> str:
    """Say, for a caption, that a figure shows only the first data sets or metrics; empty if it shows all."""
    notes = []
    if len(experiment.metrics) > most_metrics:
        notes.append(f"the first {most_metrics} of {len(experiment.metrics)} metrics")
    if len(experiment.datasets) > MAX_DATASETS:
        notes.append(f"the first {MAX_DATASETS} of {len(experiment.datasets)} data sets")
    return f" Only {' and '.join(notes)} are shown." if notes else ""


def row_height(labels: Sequence[str], n_marks: int = 0) -> float:
    """Return a row's height in inches: enough for the longest label and for all marks."""
    lines = max((label.count("\n") + 1 for label in labels), default=1)
    return max(0.14 * lines + 0.08, 0.2 + 0.05 * n_marks)


def label_edges(listed: Sequence[Axes], across: str, up: str, *, has_rows: bool = False) -> None:
    """Label the axes of panels: horizontal axes if no panel is below, and vertical axes at the left edge.

    If rows have text names, which are the same in every panel, the names also appear only at the left edge.
    """
    for number, axes in enumerate(listed):
        place = axes.get_subplotspec()
        assert place is not None
        is_bottom = number + place.get_gridspec().ncols >= len(listed)
        axes.set_xlabel(across if is_bottom else "")
        axes.set_ylabel(up if place.is_first_col() else "")
        if has_rows and not place.is_first_col():
            axes.tick_params(labelleft=False)


_UNDATED: Mapping[str, dict[str, None]] = {
    "svg": dict.fromkeys(["Date", "Creator"]),
    "png": dict.fromkeys(["Software"]),
    "pdf": dict.fromkeys(["CreationDate", "Creator", "Producer"]),
}
"""Metadata to leave out, by file format: the date and the software."""


def write_figure(figure: Figure, **files: str | Path) -> None:
    """Write a figure in every form of `FIGURE_FORMS`, at 300 dots per inch; the bytes depend only on the figure."""
    with house_style():
        for form, file in files.items():
            # Draw in memory first: if the disk is full, matplotlib's error about the half-written file hides the reason.
            drawn = _figure_bytes(figure, form)
            write_file(file, partial(Path.write_bytes, data=drawn))


def svg_of(figure: Figure) -> str:
    """Return a figure as the text of an SVG file."""
    with house_style():
        return _figure_bytes(figure, "svg").decode()


def _figure_bytes(figure: Figure, form: str) -> bytes:
    drawn = BytesIO()
    figure.savefig(drawn, format=form, dpi=300, metadata=_UNDATED[form])
    return drawn.getvalue()
