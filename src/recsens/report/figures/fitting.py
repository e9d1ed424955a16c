"""Texts of a figure made to fit: broken into lines, and ticks thinned out until no two overlap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from recsens.report.figures.panels import breakable, in_lines

_GAP = 2.0
"""Least distance between two texts, in points."""

_LONGEST = 80
"""Letters of the widest line that is tried."""

_SHORTEST = 8


def settle(figure: Figure) -> None:
    """Lay out a figure, break the titles and labels that are wider than their panel, and thin out crowded ticks."""
    # Broken titles take height from the panels, which then have another width.
    for _ in range(2):
        figure.canvas.draw()
        for axes in figure.axes:
            box = axes.get_window_extent()
            _break(axes.set_title(axes.get_title(loc="left")), box.width)
            _break(axes.xaxis.label, box.width)
            _break(axes.yaxis.label, box.height, vertical=True)
    figure.canvas.draw()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            _thin(axis)
    figure.canvas.draw()


def boxes(texts: Iterable[Text]) -> list[Bbox]:
    """Return where texts stand, in pixels; those without ink are left out."""
    return [text.get_window_extent() for text in texts if text.get_visible() and text.get_text().strip()]


def collide(found: Sequence[Bbox]) -> bool:
    """Say whether any two boxes overlap."""
    return any(one.overlaps(other) for number, one in enumerate(found) for other in found[:number])


def _thin(axis: Axis) -> None:
    """Hide the labels of ticks that would overlap one that stays: those in bold stay first, then the others from the start on."""
    kept: list[Bbox] = []
    for label in sorted(_shown(axis), key=lambda label: label.get_fontweight() != "bold"):
        box = label.get_window_extent().padded(_GAP)
        if any(box.overlaps(other) for other in kept):
            label.set_visible(False)
        else:
            kept.append(box)


def _shown(axis: Axis) -> list[Text]:
    low, high = sorted(axis.get_view_interval())
    # Where an axis ends, rounding may put a tick beside it.
    slack = 1e-9 * (high - low)
    shown = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=False)
    return [label for at, label in shown if low - slack <= at <= high + slack and label.get_visible() and label.get_text()]


def _break(text: Text, room: float, *, vertical: bool = False) -> None:
    whole = " ".join(text.get_text().split())
    if not whole:
        return
    for n_letters in range(_LONGEST, _SHORTEST - 1, -1):
        text.set_text(in_lines(breakable(whole), n_letters))
        box = text.get_window_extent()
        if (box.height if vertical else box.width) <= room:
            return


def texts_of(axes: Axes) -> list[Text]:
    """List the texts that a panel shows: title, labels of axes and ticks, and annotations."""
    title = axes.set_title(axes.get_title(loc="left"))
    return [title, axes.xaxis.label, axes.yaxis.label, *_shown(axes.xaxis), *_shown(axes.yaxis), *axes.texts]
