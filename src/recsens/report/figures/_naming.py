"""Names of series: at the ends of their lines if there is room, otherwise in a legend."""

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from recsens.report.figure_style import PAPER, SOFT, TEXT
from recsens.report.figures._base import FigureData
from recsens.report.figures._chart import Chart
from recsens.report.figures._fitting import add_legend, boxes, breakable, collide, in_lines, settle, texts_of
from recsens.report.figures._selection import Chosen
from recsens.report.figures._series import Series, are_numbers

_MOST_LABELS = 5
"""Largest number of lines without a legend."""

_ROOM_FOR_LABELS = 0.6
"""If labels at the ends of lines leave a panel less than this share of its width, a legend replaces them."""


def further_marks(chart: Chart, data: FigureData, selection: Chosen, drawn: Sequence[Series]) -> list[Line2D]:
    """Return the legend entries other than the series: guide lines, the second axis, and published values."""
    listed = chart.references(data, selection, selection.places(2)[0])
    marks = [mark.handle for mark in listed]
    if chart.second:
        marks.append(_second_mark(chart.second_measured))
    if any(not math.isnan(value) for series in drawn for value in series.published):
        marks.append(_published_mark())
    return marks


def label_or_legend(figure: Figure, drawn: Sequence[tuple[Axes, Series]], further: Sequence[Line2D] = ()) -> None:
    """Name a figure's series: at the ends of their lines if there is room, otherwise in a legend."""
    by_label: dict[str, Series] = {}
    for _, series in drawn:
        by_label.setdefault(series.label, series)
    handles = [_handle(series) for series in by_label.values() if series.label]
    if len(handles) < 2 and not further:
        settle(figure)
        return
    # If labels overlap, they are removed again, and a legend is added.
    if further or len(handles) > _MOST_LABELS or not _label_ends(figure, drawn):
        add_legend(figure, [*handles, *further])
    settle(figure)


def _label_ends(figure: Figure, drawn: Sequence[tuple[Axes, Series]]) -> bool:
    settle(figure)
    before = {id(axes): axes.get_window_extent().width for axes, _ in drawn}
    labels = []
    for axes, series in drawn:
        ends = [(place.number, value) for place, value in zip(series.places, series.values, strict=True) if not math.isnan(value)]
        if series.is_second or not ends or ends[-1][0] is None:
            break
        label = axes.annotate(
            in_lines(series.label, 18), (ends[-1][0], ends[-1][1]), xytext=(6, 0), textcoords="offset points", va="center",
            color=TEXT, fontsize=7.5, annotation_clip=False,
        )  # fmt: skip
        labels.append(label)
    if len(labels) == len(drawn):
        settle(figure)
        wide = all(axes.get_window_extent().width >= _ROOM_FOR_LABELS * before[id(axes)] for axes, _ in drawn)
        if wide and not collide(boxes(text for axes in figure.axes for text in texts_of(axes))):
            return True
    for label in labels:
        label.remove()
    return False


def _handle(series: Series) -> Line2D:
    look = {**series.ink.stroke, **({} if are_numbers(series.places) else {"linestyle": "none"})}
    return Line2D([], [], **look, marker=series.ink.marker, markersize=5, label=in_lines(breakable(series.label)))


def _second_mark(title: str) -> Line2D:
    """Return the legend entry for series on the second axis."""
    return Line2D([], [], linestyle=":", linewidth=0.8, marker="x", markersize=4, color=SOFT, label=f"{title} (second axis)")


def _published_mark() -> Line2D:
    """Return the legend's entry for published values."""
    return Line2D([], [], linestyle="none", marker="o", color=SOFT, markerfacecolor=PAPER, markersize=7, label="published")
