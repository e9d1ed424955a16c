"""A heat map: a metric under two decisions, or of each system under each option."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray
from pydantic import Field

from recsens.figures._base import Drawing, FigureData
from recsens.figures._canvas import Columns, label_edges, panels, row_height
from recsens.figures._chart import measured_by
from recsens.figures._fields import COLUMNS, PANEL, SYSTEM, Y
from recsens.figures._selection import Chosen, refuse_gaps, refuse_holes, select
from recsens.figures._series import row_labels
from recsens.report.figures.fitting import boxes, collide, settle
from recsens.report.figures.ink import PAPER, TEXT, ScoreTicks
from recsens.report.numbers import score
from recsens.report.space.dimensions import Place
from recsens.report.space.naming import Name, Names
from recsens.study import Experiment

_COLOURS = "Greys"
"""From light to dark: legible in grey as it is."""

_DARK = 0.55
"""Share of the range from which on text is light."""


class Heatmap(Drawing):
    """Values of a metric over two dimensions: the darker, the higher.

    Each cell holds its number where all of them fit; otherwise a bar of shades stands beside the panel. Two decisions need a study
    that combines their options (``combine: grid``), and one system.
    """

    rows: Name = Field("system", description="what has a row each: system, a decision or a parameter, as in lines")
    across: Name = Field("split", description="what has a column each")
    y: Names = Y
    panel: Name = PANEL
    system: str = SYSTEM
    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse what the experiment lacks."""
        chosen = self._chosen(experiment)
        refuse_gaps(chosen, 0, experiment)
        refuse_gaps(chosen, 1, experiment)
        refuse_holes(chosen)

    def heading(self, experiment: Experiment) -> str:
        """Return the metric and the two dimensions."""
        rows, across = (each.title or "system" for each in self._chosen(experiment).dimensions[:2] if each is not None)
        return f"{measured_by(self._chosen(experiment))} by {rows} and {across}"

    def caption(self, experiment: Experiment) -> str:
        """Say how to read the figure."""
        return f"{self.heading(experiment)}: the darker, the higher. All other decisions are the base design's."

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each place."""
        chosen = self._chosen(data.experiment)
        rows, across = chosen.places(0), chosen.places(1)
        figure, listed = panels([place.label for place in chosen.places(2)], self.columns, _height(rows, across))
        values = {
            place: np.array([[data.value(chosen.at[row, column, place]) for column in across] for row in rows])
            for place in chosen.places(2)
        }
        for axes, panel in zip(listed, values, strict=True):
            _shade(axes, values[panel], rows, across)
        along = chosen.dimensions[1]
        label_edges(listed, along.title if along is not None else "", "", has_rows=True)
        settle(figure)
        if not all(_numbered(axes, each) for axes, each in zip(listed, values.values(), strict=True)):
            for axes in listed:
                for text in list(axes.texts):
                    text.remove()
                bar = figure.colorbar(axes.images[0], ax=axes, format=ScoreTicks(), ticks=MaxNLocator(4))
                bar.outline.set_visible(False)
        settle(figure)
        return figure

    def _chosen(self, experiment: Experiment) -> Chosen:
        return select(experiment, self.y, (self.rows, self.across, self.panel), system=self.system)


def _shade(axes: Axes, values: NDArray[np.float64], rows: tuple[Place, ...], across: tuple[Place, ...]) -> None:
    axes.imshow(values, cmap=_COLOURS, aspect="auto")
    axes.set_yticks(range(len(rows)), row_labels(rows))
    axes.set_xticks(range(len(across)), row_labels(across), rotation=90 if _is_upright(across) else 0)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


def _is_upright(across: tuple[Place, ...]) -> bool:
    """Say whether the names of columns stand upright: those that are no numbers have no room side by side."""
    return any(place.number is None for place in across)


def _height(rows: tuple[Place, ...], across: tuple[Place, ...]) -> float:
    longest = max(len(line) for label in row_labels(across) for line in label.split("\n"))
    return 0.9 + row_height(row_labels(rows)) * len(rows) + (0.075 * longest if _is_upright(across) else 0)


def _numbered(axes: Axes, values: NDArray[np.float64]) -> bool:
    """Write the numbers into the cells; say whether they fit."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    for (row, column), value in np.ndenumerate(values):
        if not math.isnan(value):
            is_dark = high > low and (value - low) / (high - low) > _DARK
            colour = PAPER if is_dark else TEXT
            axes.text(column, row, score(float(value)), ha="center", va="center", fontsize=7, color=colour)
    return not collide(boxes(axes.texts))
