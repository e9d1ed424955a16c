"""A heat map: the values of a metric by two decisions, or by system and option."""

import numpy as np
from pydantic import Field

from recsens.conclusions.dimensions import Name, Names
from recsens.report.figures._base import COLUMNS, PANEL, SYSTEM, Drawing, FigureData, Y
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._selection import Chosen, measured_by, refuse_gaps, refuse_holes, select
from recsens.report.figures._series import are_numbers, row_labels
from recsens.report.figures._shades import number_cells, panel_height, shade_cells, value_range
from recsens.report.lazy_matplotlib import Figure
from recsens.study import Experiment
from recsens.tables.numbers import score


class Heatmap(Drawing):
    """Values of a metric over two dimensions; darker cells have higher values.

    Each cell contains its number if all numbers fit; otherwise each panel has a colour bar. If both dimensions are decisions, the
    study must combine their options (``combine: grid``), and the figure shows one system.
    """

    rows: Name = Field("system", description="what rows stand for: system, a decision or a parameter, as in lines")
    across: Name = Field("split", description="what columns stand for")
    y: Names = Y
    panel: Name = PANEL
    system: str = SYSTEM
    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse references to anything that the experiment lacks."""
        chosen = self._select_numbers(experiment)
        refuse_gaps(chosen, 0, experiment)
        refuse_gaps(chosen, 1, experiment)
        refuse_holes(chosen)

    def heading(self, experiment: Experiment) -> str:
        """Return the metric and the two dimensions."""
        rows, across = (dimension.title or "system" for dimension in self._select_numbers(experiment).dimensions[:2])
        return f"{measured_by(self._select_numbers(experiment))} by {rows} and {across}"

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        return f"{self.heading(experiment)}: darker cells have higher values. All other decisions are as in the base design."

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each place."""
        chosen = self._select_numbers(data.experiment)
        rows, across = chosen.places(0), chosen.places(1)
        named, upright = (row_labels(rows), row_labels(across)), not are_numbers(across)
        figure, listed = panels([place.label for place in chosen.places(2)], self.columns, panel_height(*named, upright=upright))
        grids = [
            np.array([[data.number(chosen.at[row, column, place]) for column in across] for row in rows])
            for place in chosen.places(2)
        ]
        for axes, values in zip(listed, grids, strict=True):
            shade_cells(axes, values, *named, upright=upright, ends=value_range(values))
        label_edges(listed, chosen.dimensions[1].title, "", has_rows=True)
        return number_cells(figure, list(zip(listed, grids, strict=True)), score)

    def _select_numbers(self, experiment: Experiment) -> Chosen:
        return select(experiment, self.y, (self.rows, self.across, self.panel), system=self.system)
