"""Cells shaded by value: higher values are darker, and numbers are inside if they fit."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from recsens.arrays import Floats
from recsens.report.figure_style import PAPER, TEXT
from recsens.report.figures._canvas import row_height
from recsens.report.figures._fitting import any_overlap, fit_text, text_boxes
from recsens.report.lazy_matplotlib import Axes, Figure, MaxNLocator, ValueTicks

_COLOURS = "Greys"
"""Colours from light to dark, which can be distinguished when printed in grey."""

_DARK = 0.55
"""Text is light in cells above this share of the range."""


_FILLED = 0.9
"""Largest share of a cell's width that a number may fill."""


def shade_cells(
    axes: Axes, values: Floats, rows: Sequence[str], across: Sequence[str], *, upright: bool, ends: tuple[float, float]
) -> None:
    """Shade a panel's cells, from ``ends[0]`` (light) to ``ends[1]`` (dark); a cell without a value stays blank.

    Parameters
    ----------
    axes
        The panel.
    values
        Shape (n_rows, n_columns).
    rows, across
        Names of the rows and of the columns.
    upright
        Whether to rotate the column names, because long names do not fit side by side.
    ends
        Values of the lightest and of the darkest shade.
    """
    axes.imshow(values, cmap=_COLOURS, aspect="auto", vmin=ends[0], vmax=ends[1])
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xticks(range(len(across)), across, rotation=90 if upright else 0)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


def value_range(values: Floats) -> tuple[float, float]:
    """Return the lowest and the highest value; 0 and 1 if there are no values."""
    valid = values[~np.isnan(values)]
    return (float(valid.min()), float(valid.max())) if len(valid) else (0.0, 1.0)


def panel_height(rows: Sequence[str], across: Sequence[str], *, upright: bool) -> float:
    """Return a panel's height in inches, given the row and column names."""
    longest = max(len(line) for label in across for line in label.split("\n"))
    return 0.9 + row_height(rows) * len(rows) + (0.075 * longest if upright else 0)


def number_cells(figure: Figure, panels: Sequence[tuple[Axes, Floats]], write: Callable[[float], str]) -> Figure:
    """Write the numbers into the cells of all panels if they fit; otherwise put a colour bar next to each panel."""
    fit_text(figure)
    if not all(_write_numbers(axes, values, write) for axes, values in panels):
        for axes, _ in panels:
            for text in list(axes.texts):
                text.remove()
            bar = figure.colorbar(axes.images[0], ax=axes, format=ValueTicks(), ticks=MaxNLocator(4))
            bar.outline.set_visible(False)
    return fit_text(figure)


def _write_numbers(axes: Axes, values: Floats, write: Callable[[float], str]) -> bool:
    """Write the numbers into the cells; return whether they fit."""
    low, high = axes.images[0].get_clim()
    for (row, column), value in np.ndenumerate(values):
        if not math.isnan(value):
            is_dark = high > low and (value - low) / (high - low) > _DARK
            colour = PAPER if is_dark else TEXT
            axes.text(column, row, write(float(value)), ha="center", va="center", fontsize=7, color=colour)
    texts, cell = text_boxes(axes.texts), axes.get_window_extent().width / values.shape[1]
    return not any_overlap(texts) and all(box.width <= _FILLED * cell for box in texts)
