"""The style of figures: each system's colour, marker and line style are distinct in grey and for colour-blind readers."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from recsens.report.lazy_matplotlib import Axes, MaxNLocator, ValueTicks

Dashes = tuple[float, tuple[float, ...]]
"""A line style: an offset, then alternating lengths of dashes and gaps; a solid line has no lengths."""

TEXT = "#1f2328"
SOFT = "#6a737d"
GRID = "#e3e6ea"
BAND = "#eef0f3"
PAPER = "#ffffff"

# Okabe & Ito's colours, in an order in which neighbours also differ in lightness; without yellow, which is hardly visible on paper.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000001")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
_LINES: tuple[Dashes, ...] = ((0, ()), (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.2, 1.2, 1.2)))

_STYLE = {
    "axes.edgecolor": SOFT,
    "axes.labelcolor": TEXT,
    "axes.labelsize": 8.5,
    "axes.linewidth": 0.7,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": TEXT,
    "axes.titlelocation": "left",
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.axisbelow": True,
    "figure.facecolor": PAPER,
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    # Keep text as text, so that it can be searched, copied, and set in the fonts of a paper.
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    # Set a salt, because otherwise the names inside an SVG file differ from run to run.
    "svg.hashsalt": "recsens",
    "text.color": TEXT,
    "xtick.color": SOFT,
    "xtick.labelcolor": TEXT,
    "xtick.labelsize": 8,
    "ytick.color": SOFT,
    "ytick.labelcolor": TEXT,
    "ytick.labelsize": 8,
}


@dataclass(frozen=True, slots=True)
class Ink:
    """The style in which one system is drawn."""

    colour: str
    marker: str
    line: Dashes

    @property
    def stroke(self) -> dict[str, Any]:
        """Colour and dashes of the system's line."""
        return {"color": self.colour, "linestyle": self.line if self.line[1] else "-"}


def ink(number: int) -> Ink:
    """Return the ink of a system, given the system's number in the study's list, counted from 0; the first 28 inks are distinct."""
    return Ink(_COLOURS[number % len(_COLOURS)], _MARKERS[number % len(_MARKERS)], _LINES[number % len(_LINES)])


def inks(systems: Iterable[str]) -> dict[str, Ink]:
    """Return how each system in a study is drawn: its colour, marker and line."""
    return {system: ink(number) for number, system in enumerate(systems)}


@contextmanager
def house_style() -> Iterator[None]:
    """Within the block, figures are drawn and written in the house style, whatever the user's own settings are."""
    import matplotlib as mpl  # noqa: PLC0415 - as in lazy_matplotlib

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)  # type: ignore[arg-type]
        yield


def set_scores(axes: Axes, n_ticks: int = 5) -> None:
    """Format the vertical axis of a panel for scores."""
    axes.yaxis.set_major_locator(MaxNLocator(n_ticks))
    axes.yaxis.set_major_formatter(ValueTicks())
    axes.grid(axis="y")
