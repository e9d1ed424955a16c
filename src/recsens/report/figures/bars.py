"""Bars: the values of a metric for each option, system or data set."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from pydantic import Field

from recsens.conclusions.dimensions import Name, Place
from recsens.report.figure_style import PAPER, TEXT
from recsens.report.figures._base import FigureData
from recsens.report.figures._canvas import label_edges, panels, row_height
from recsens.report.figures._chart import Chart
from recsens.report.figures._fitting import add_legend, breakable, in_lines, settle
from recsens.report.figures._naming import further_marks
from recsens.report.figures._series import Series, are_numbers, row_labels, second_axis, set_rows

_HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "----", "oooo", "++++")
"""Hatchings that distinguish bars in grey; the first bar has none."""

_MOST_SHRUNK = 2.0
"""The scale is shared only if the longer axis is at most this multiple of the shorter one."""

_FILLED = 0.8
"""Share of a row's height filled by its bars."""


class Bars(Chart):
    """Values of a metric as bars from zero, with one row per value of ``x``, and one bar in it per value of ``by``.

    The dimensions are the same as for `lines`. Values on the second axis are crosses.
    """

    x: Name = Field("system", description="what rows stand for: system, a decision such as nc, dataset, metric")
    by: Name = Field("none", description="what the bars in a row stand for; with none, there is one bar per row")

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each place."""
        selection = self.selection(data.experiment)
        places, panel_places = selection.places(0), selection.places(2)
        height = 0.8 + max(row_height(row_labels(places)), 0.14 + 0.13 * len(selection.places(1))) * len(places)
        figure, listed = panels([place.label for place in panel_places], self.columns, height)
        drawn: list[Series] = []
        for axes, place in zip(listed, panel_places, strict=True):
            series = self.series(data, selection, place)
            self._draw_panel(axes, places, series)
            for reference in self.references(data, selection, place):
                reference.draw(axes, places, over_rows=True)
            drawn += series
        along = selection.dimensions[0]
        numbered = along.title if along is not None and are_numbers(places) else ""
        label_edges(listed, self.measured(data.experiment), numbered, has_rows=True)
        bars = {bar.label: bar for bar in reversed(drawn) if not bar.is_second and bar.label}
        handles = [_patch(bars[place.label], n) for n, place in enumerate(selection.places(1)) if place.label in bars]
        marks = [*(handles if len(handles) > 1 else []), *further_marks(self, data, selection, drawn)]
        if marks:
            add_legend(figure, marks)
        settle(figure)
        return figure

    def _draw_panel(self, axes: Axes, places: tuple[Place, ...], series: list[Series]) -> None:
        set_rows(axes, [place.on_axis for place in places])
        firsts = [bar for bar in series if not bar.is_second]
        thickness = _FILLED / max(len(firsts), 1)
        other = second_axis(axes, places, self.second_measured, over_rows=True) if self.second else axes
        for number, bar in enumerate(firsts):
            rows = [places.index(place) - _FILLED / 2 + (number + 0.5) * thickness for place in bar.places]
            axes.barh(
                rows, bar.values, thickness * 0.92, color=bar.ink.colour, hatch=_HATCHES[number % len(_HATCHES)],
                edgecolor=PAPER, linewidth=0.4,
            )  # fmt: skip
            axes.errorbar(bar.values, rows, xerr=bar.spreads, linestyle="none", color=TEXT, linewidth=0.8)
            axes.plot(bar.published, rows, linestyle="none", marker="o", color=TEXT, markerfacecolor=PAPER, markersize=5)
            for further in (one for one in series[len(firsts) :] if one.label == bar.label):
                other.plot(further.values, rows, linestyle="none", marker="x", color=TEXT, markersize=4.5)
        if other is not axes and not any(value < 0 for bar in series if bar.is_second for value in bar.values):
            # Bars start at zero, so the axis of the crosses must too.
            other.set_xlim(left=0.0)
            _share_scale(axes, other)


def _share_scale(axes: Axes, other: Axes) -> None:
    """Use the same scale for bars and crosses, to make them comparable, unless either would shrink to less than half."""
    starts, ends = zip(axes.get_xlim(), other.get_xlim(), strict=True)
    if starts == (0.0, 0.0) and max(ends) <= _MOST_SHRUNK * min(ends):
        for one in (axes, other):
            one.set_xlim(0.0, max(ends))


def _patch(series: Series, number: int) -> Patch:
    label, hatch = in_lines(breakable(series.label)), _HATCHES[number % len(_HATCHES)]
    return Patch(facecolor=series.ink.colour, hatch=hatch, edgecolor=PAPER, linewidth=0.4, label=label)
