"""The series of a panel: a line with marks for numbers, or only marks for options that have no order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, NullLocator

from recsens.conclusions.dimensions import Coordinates, Place
from recsens.report.figure_style import Ink, ValueTicks, set_scores
from recsens.report.figures._fitting import breakable, in_lines
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


def step_aside(nth: int, n: int) -> float:
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
    if are_numbers(places):
        across = [place.number or 0.0 for place in series.places]
        axes.plot(across, series.values, **style.stroke, marker=style.marker, markersize=4, linewidth=1.2)
        low, high = _band(series)
        axes.fill_between(across, low, high, color=style.colour, alpha=0.18, linewidth=0)
        axes.plot(across, series.published, **_open(style))
        return
    rows = [list(places).index(place) + step for place in series.places]
    axes.plot(series.values, rows, linestyle="none", color=style.colour, marker=style.marker, markersize=5)
    low, high = _band(series)
    axes.hlines(rows, low, high, color=style.colour, linewidth=0.9)
    axes.plot(series.published, rows, **_open(style))


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


def _band(series: Series) -> tuple[list[float], list[float]]:
    ends = list(zip(series.values, series.spreads, strict=True))
    return [value - spread for value, spread in ends], [value + spread for value, spread in ends]


def _open(style: Ink) -> dict[str, Any]:
    look = {"linestyle": "none", "marker": "o", "color": style.colour}
    return {**look, "markerfacecolor": "none", "markersize": 8, "markeredgewidth": 1.1}
