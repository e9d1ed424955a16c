"""A metric over a number, such as a split ratio, a cut-off, or a parameter of a system."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from recsens.conclusions.dimensions import Place
from recsens.report.figures._base import FigureData
from recsens.report.figures._canvas import label_edges, panels, row_height
from recsens.report.figures._chart import Chart
from recsens.report.figures._naming import further_marks, label_or_legend
from recsens.report.figures._series import Series, are_numbers, draw_series, row_labels, second_axis, set_places, step_aside


class Lines(Chart):
    """Values of a metric along ``x``: lines over numbers, or a row of marks for each option that is not a number.

    ``x``, ``by`` and ``panel`` are dimensions of the experiment:

    - ``system``, ``dataset``, ``metric``; ``cutoff``, where ``y`` is a metric without a cut-off;
    - a decision (such as ``view``) or a parameter of its options (such as ``split.ratio``);
    - a parameter of systems (such as ``user_knn.overlap``), of data sets (``simulated.users``) or of metrics (``RBP.phi``).

    All other decisions are as in the base design. If a dimension is a parameter of systems, ``system`` means each group of systems
    that differ only in this parameter; systems of other recommenders may be guide lines (``reference``).
    """

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each place."""
        selection = self.selection(data.experiment)
        places, panel_places = selection.places(0), selection.places(2)
        n_rows = 0 if are_numbers(places) else len(places)
        of_row = row_height(row_labels(places), len(selection.places(1)))
        height = 0.8 + of_row * n_rows if n_rows else 2.1
        figure, listed = panels([place.label for place in panel_places], self.columns, height)
        named = []
        for axes, place in zip(listed, panel_places, strict=True):
            series = self.series(data, selection, place)
            self._draw_panel(axes, places, series)
            for reference in self.references(data, selection, place):
                reference.draw(axes, places, over_rows=n_rows > 0)
            named += [(axes, line) for line in series]
        along = selection.dimensions[0]
        measured = self.measured(data.experiment)
        if n_rows:
            label_edges(listed, measured, "", has_rows=True)
        else:
            label_edges(listed, along.title if along else "", measured)
        label_or_legend(figure, named, further_marks(self, data, selection, [line for _, line in named]))
        return figure

    def _draw_panel(self, axes: Axes, places: tuple[Place, ...], series: list[Series]) -> None:
        set_places(axes, places)
        firsts = [drawn for drawn in series if not drawn.is_second]
        other = second_axis(axes, places, self.second_measured) if self.second else axes
        for number, drawn in enumerate(firsts):
            draw_series(axes, places, drawn, step_aside(number, len(firsts)))
        for drawn in series[len(firsts) :]:
            draw_series(other, places, drawn, 0.0)
