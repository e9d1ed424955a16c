"""The series of a panel and its guide lines: how they are drawn and named."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recsens.conclusions.dimensions import Coordinates, Place
from recsens.report.figure_style import SOFT, TEXT, Ink, set_scores
from recsens.report.figures._fitting import add_legend, any_overlap, breakable, fit_text, in_lines, text_boxes, texts_of
from recsens.report.lazy_matplotlib import Axes, Figure, Line2D, MaxNLocator, NullLocator, ValueTicks
from recsens.tables.numbers import tick

_WIDE = 30
"""The axis is logarithmic if the largest number is at least this multiple of the smallest."""


@dataclass(frozen=True)
class Series:
    """Values by position (NaN if there is no value), and their style."""

    label: str
    ink: Ink
    places: Sequence[Place]
    values: Sequence[float]
    spreads: Sequence[float]
    published: Sequence[float]
    at: Sequence[Coordinates]
    is_second: bool = False


def set_places(axes: Axes, places: Sequence[Place]) -> None:
    """Prepare a panel's positions: a numeric axis below it, or a row for each option."""
    if are_numbers(places):
        numbers = [place.number or 0.0 for place in places]
        scale_numbers(axes, numbers)
        axes.set_xticks(numbers, list(map(tick, numbers)))
        set_scores(axes)
    else:
        set_rows(axes, [place.on_axis for place in places])


def scale_numbers(axes: Axes, numbers: Sequence[float]) -> bool:
    """Prepare a panel's horizontal axis for numbers; return whether it is logarithmic."""
    is_log = min(numbers) > 0 and max(numbers) / min(numbers) >= _WIDE
    if is_log:
        axes.set_xscale("log")
    axes.xaxis.set_minor_locator(NullLocator())
    return is_log


def mark_offset(nth: int, n: int) -> float:
    """Return how far to move one of several marks from the middle of its row, to keep equal values visible."""
    return 0.12 * (nth - (n - 1) / 2) / max(1, n / 4)


def row_labels(places: Sequence[Place]) -> list[str]:
    """Format a dimension's values as row labels; long labels cover several lines."""
    return [in_lines(breakable(place.on_axis)) for place in places]


def set_rows(axes: Axes, labels: Sequence[str]) -> None:
    """Prepare a panel with a row for each label, the first on top."""
    axes.set_yticks(range(len(labels)), [in_lines(breakable(label)) for label in labels])
    axes.set_ylim(max(len(labels), 1) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(ValueTicks())
    axes.grid(axis="both")


def draw_series(axes: Axes, places: Sequence[Place], series: Series, step: float) -> None:
    """Draw one series; ``step`` moves its marks from the middle of rows, to keep equal values visible."""
    style = series.ink
    if series.is_second:
        _draw_second(axes, places, series, step)
        return
    ends = list(zip(series.values, series.spreads, strict=True))
    low, high = ([value + sign * spread for value, spread in ends] for sign in (-1, 1))
    if are_numbers(places):
        across = [place.number or 0.0 for place in series.places]
        axes.plot(across, series.values, **style.stroke, marker=style.marker, markersize=4, linewidth=1.2)
        axes.fill_between(across, low, high, color=style.colour, alpha=0.18, linewidth=0)
        axes.plot(across, series.published, **_open_marker(style))
        return
    rows = [list(places).index(place) + step for place in series.places]
    axes.plot(series.values, rows, linestyle="none", color=style.colour, marker=style.marker, markersize=5)
    axes.hlines(rows, low, high, color=style.colour, linewidth=0.9)
    axes.plot(series.published, rows, **_open_marker(style))


def _draw_second(axes: Axes, places: Sequence[Place], series: Series, step: float) -> None:
    """Draw a series on the second axis: thin and dotted, with crosses."""
    look: dict[str, Any] = {"color": series.ink.colour, "marker": "x", "markersize": 4, "linewidth": 0.8}
    if are_numbers(places):
        axes.plot([place.number or 0.0 for place in series.places], series.values, linestyle=":", **look)
    else:
        axes.plot(series.values, [list(places).index(place) + step for place in series.places], linestyle="none", **look)


def second_axis(axes: Axes, places: Sequence[Place], title: str, *, over_rows: bool = False) -> Axes:
    """Return a panel's second axis: on the right or, if the panel has rows, on top."""
    numbers = are_numbers(places) and not over_rows
    other = axes.twinx() if numbers else axes.twiny()
    axis = other.yaxis if numbers else other.xaxis
    other.spines["right" if numbers else "top"].set_visible(True)
    axis.set_major_locator(MaxNLocator(4))
    axis.set_major_formatter(ValueTicks())
    subplot = axes.get_subplotspec()
    axis.set_label_text(title if not numbers or subplot is None or subplot.is_last_col() else "")
    return other


def are_numbers(places: Sequence[Place]) -> bool:
    """Whether all values are numbers, and so lie on a numeric axis."""
    return all(place.number is not None for place in places)


def _open_marker(style: Ink) -> dict[str, Any]:
    look = {"linestyle": "none", "marker": "o", "color": style.colour}
    return {**look, "markerfacecolor": "none", "markersize": 8, "markeredgewidth": 1.1}


EXPECTED_RANDOM = "expected_random"
"""Name of the guide line for a random order of the targets, which is also the name of the column in the summary."""

_BY_ANALYSIS = "random, by formula"
"""The words in figures for the average over random orders of the targets."""

_HALF_ROW = 0.42
"""Distance from the middle of a row to the ends of a guide mark in it."""


@dataclass(frozen=True)
class GuideLine:
    """A guide line in a panel.

    Attributes
    ----------
    label
        The label in the legend.
    values
        The line's value at each point along x.
    ink
        The ink of the line's system; None if the line is not a system.
    is_expected
        Whether the line shows the expected value of a random order.
    """

    label: str
    values: Sequence[float]
    ink: Ink | None = None
    is_expected: bool = False

    @classmethod
    def expected(cls, values: Sequence[float]) -> GuideLine:
        """Return the guide line for a random order of the targets."""
        return cls(_BY_ANALYSIS, values, is_expected=True)

    def draw(self, axes: Axes, places: Sequence[Place], *, over_rows: bool) -> None:
        """Draw the line across a panel; if its value changes along x, draw it from point to point."""
        if len({f"{value:.6g}" for value in self.values}) == 1:
            (axes.axvline if over_rows else axes.axhline)(self.values[0], **self.look)
        elif over_rows:
            rows = range(len(places))
            low, high = [row - _HALF_ROW for row in rows], [row + _HALF_ROW for row in rows]
            look = {("colors" if key == "color" else f"{key}s"): value for key, value in self.look.items()}
            axes.vlines(self.values, low, high, zorder=3, **look)
        else:
            assert are_numbers(places)
            axes.plot([place.number or 0.0 for place in places], self.values, **self.look)

    @property
    def look(self) -> dict[str, Any]:
        """Colour, dashes and width of the line: as for its system or, without one, dots (dark for an expected value, else grey)."""
        if self.ink is not None:
            return {**self.ink.stroke, "linewidth": 1.0}
        dots = (0, (3.0, 1.2, 1.0, 1.2)) if self.is_expected else (0, (1.2, 1.2))
        return {"color": TEXT if self.is_expected else SOFT, "linestyle": dots, "linewidth": 1.0}

    @property
    def handle(self) -> Line2D:
        """The legend's entry."""
        return Line2D([], [], label=in_lines(self.label), **self.look)


_MOST_LABELS = 5
"""Largest number of lines without a legend."""

_ROOM_FOR_LABELS = 0.6
"""If labels at the ends of lines leave a panel less than this share of its width, a legend replaces them."""


def label_or_legend(figure: Figure, drawn: Sequence[tuple[Axes, Series]], further: Sequence[Line2D] = ()) -> Figure:
    """Name a figure's series: at the ends of their lines if there is room, otherwise in a legend."""
    by_label: dict[str, Series] = {}
    for _, series in drawn:
        by_label.setdefault(series.label, series)
    handles = [_legend_handle(series) for series in by_label.values() if series.label]
    # If labels overlap, they are removed again, and a legend is added.
    is_named = len(handles) > 1 or further
    if is_named and (further or len(handles) > _MOST_LABELS or not _label_ends(figure, drawn)):
        add_legend(figure, [*handles, *further])
    return fit_text(figure)


def _label_ends(figure: Figure, drawn: Sequence[tuple[Axes, Series]]) -> bool:
    fit_text(figure)
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
        fit_text(figure)
        wide = all(axes.get_window_extent().width >= _ROOM_FOR_LABELS * before[id(axes)] for axes, _ in drawn)
        if wide and not any_overlap(text_boxes(text for axes in figure.axes for text in texts_of(axes))):
            return True
    for label in labels:
        label.remove()
    return False


def _legend_handle(series: Series) -> Line2D:
    look = {**series.ink.stroke, **({} if are_numbers(series.places) else {"linestyle": "none"})}
    return Line2D([], [], **look, marker=series.ink.marker, markersize=5, label=in_lines(breakable(series.label)))
