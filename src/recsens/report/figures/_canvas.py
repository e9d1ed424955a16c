"""The canvas of a figure: panels at the width of one or two columns of a paper."""

import math
from collections.abc import Sequence
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

Columns = Literal[1, 2]
"""Columns of a paper that a figure spans."""

WIDTHS = {1: 84, 2: 174}
"""Width of one and of two columns, in millimetres."""

_INCH = 25.4

_MOST_PANELS = {1: 1, 2: 3}
"""Panels beside each other."""


def panels(titles: Sequence[str], columns: Columns, row_height: float, *, most: int = 3) -> tuple[Figure, list[Axes]]:
    """Lay out a panel for each title, no more than ``most`` beside each other; the height of a row is in inches."""
    # Four panels stand two by two.
    across = 2 if columns == 2 and len(titles) == 4 else min(_MOST_PANELS[columns], most, len(titles))
    rows = math.ceil(len(titles) / across)
    figure = Figure(figsize=(WIDTHS[columns] / _INCH, row_height * rows), layout="constrained")
    FigureCanvasAgg(figure)
    listed = [figure.add_subplot(rows, across, number + 1) for number in range(len(titles))]
    for axes, title in zip(listed, titles, strict=True):
        axes.set_title(title)
    return figure, listed


def row_height(labels: Sequence[str], n_marks: int = 0) -> float:
    """Return the height of a row, in inches, with room for the longest of these labels and for so many marks."""
    lines = max((label.count("\n") + 1 for label in labels), default=1)
    return max(0.14 * lines + 0.08, 0.2 + 0.05 * n_marks)


def label_edges(listed: Sequence[Axes], across: str, up: str, *, has_rows: bool = False) -> None:
    """Name the axes of panels: the horizontal one where no panel stands below, the vertical one at the left edge.

    Rows, whose names are text, are the same in every panel, and named at the left edge too.
    """
    for number, axes in enumerate(listed):
        place = axes.get_subplotspec()
        assert place is not None
        is_bottom = number + place.get_gridspec().ncols >= len(listed)
        axes.set_xlabel(across if is_bottom else "")
        axes.set_ylabel(up if place.is_first_col() else "")
        if has_rows and not place.is_first_col():
            axes.tick_params(labelleft=False)
