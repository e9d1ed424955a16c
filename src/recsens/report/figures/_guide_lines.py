"""Guide lines with which a panel's values are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from recsens.conclusions.dimensions import Place
from recsens.report.figure_style import SOFT, TEXT, Ink
from recsens.report.figures._fitting import in_lines
from recsens.report.figures._series import are_numbers

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
