"""Make the text in a figure fit: break labels into lines, hide overlapping ticks, and place the legend."""

import math
import re
from collections.abc import Iterable, Sequence
from textwrap import wrap

from recsens.report.lazy_matplotlib import Artist, Axes, Bbox, Figure, Text, XAxis, YAxis

_GAP = 2.0
"""Smallest distance between two texts, in points."""

_SHORTEST = 8
"""Smallest number of letters in a line."""

_MOST_COLUMNS = 5
"""Largest number of columns of a legend that does not fit on one line."""


def add_legend(figure: Figure, handles: Sequence[Artist]) -> None:
    """Add a legend above the panels, read row by row, in as many columns as fit; make the figure taller by the legend's height."""
    for n_columns in (len(handles), *range(min(len(handles) - 1, _MOST_COLUMNS), 0, -1)):
        # matplotlib fills a legend column by column; with the handles in this order, it reads row by row.
        by_row = [handle for column in range(n_columns) for handle in handles[column::n_columns]]
        legend = figure.legend(handles=by_row, loc="outside upper left", ncols=n_columns, handlelength=2.6, columnspacing=1.4)
        size = legend.get_window_extent()
        if size.width <= 0.98 * figure.bbox.width or n_columns == 1:
            break
        legend.remove()
    # The panels keep their height, whatever the number of rows of the legend.
    figure.set_figheight(figure.get_figheight() + size.height / figure.dpi)


def breakable(label: str, longest: int = 26) -> str:
    """Insert spaces into a spec of more than ``longest`` letters after commas and before its bracket, to let lines break there."""
    return re.sub(r"(?<! )\(", " (", re.sub(r",(?! )", ", ", label), count=1) if len(label) > longest else label


def in_lines(label: str, n_letters: int = 26, n_lines: int | None = None) -> str:
    """Break a label into lines of at most ``n_letters`` letters, between words if possible; an ellipsis replaces the rest.

    A word longer than a line, such as a nested spec, breaks before a bracket if possible, otherwise anywhere.
    """
    words = (re.sub(r"(?<=\w)\(", " (", word) if len(word) > n_letters else word for word in label.split(" "))
    return "\n".join(wrap(" ".join(words), n_letters, max_lines=n_lines, placeholder="…", break_on_hyphens=False))


def fit_text(figure: Figure) -> Figure:
    """Lay out a figure, break titles and labels that are wider than their panel, and thin out crowded ticks; return the figure."""
    from matplotlib.ticker import FixedLocator  # noqa: PLC0415 - as in lazy_matplotlib

    # Broken titles reduce the panels' height, which changes their width.
    for _ in range(2):
        figure.draw_without_rendering()
        for axes in figure.axes:
            box = axes.get_window_extent()
            _break_text(_left_title(axes), box.width)
            _break_text(axes.xaxis.label, box.width)
            _break_text(axes.yaxis.label, box.height, vertical=True)
    figure.draw_without_rendering()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            # Show all names of rows, because no name follows from the others; thin out only other ticks.
            if axis is axes.xaxis or not isinstance(axis.get_major_locator(), FixedLocator):
                _thin_ticks(axis)
    figure.draw_without_rendering()
    return figure


def text_boxes(texts: Iterable[Text]) -> list[Bbox]:
    """Return the boxes of visible, non-empty texts, in pixels."""
    return [text.get_window_extent() for text in texts if text.get_visible() and text.get_text().strip()]


def any_overlap(boxed: Sequence[Bbox]) -> bool:
    """Whether any two boxes overlap."""
    return any(one.overlaps(other) for number, one in enumerate(boxed) for other in boxed[:number])


def _thin_ticks(axis: XAxis | YAxis) -> None:
    """Hide overlapping tick labels. Bold labels have precedence, then the labels at both ends, then the others in order."""
    kept: list[Bbox] = []
    labels = _visible_labels(axis)
    ends = {id(label) for label in (*labels[:1], *labels[-1:])}
    for label in sorted(labels, key=lambda label: (label.get_fontweight() != "bold", id(label) not in ends)):
        box = label.get_window_extent().padded(_GAP)
        if any(box.overlaps(other) for other in kept):
            label.set_visible(False)
        else:
            kept.append(box)


def _visible_labels(axis: XAxis | YAxis) -> list[Text]:
    low, high = sorted(axis.get_view_interval())
    # Rounding may put a tick just beyond the end of an axis.
    slack = 1e-9 * (high - low)
    ticks = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=False)
    return [label for at, label in ticks if low - slack <= at <= high + slack and label.get_visible() and label.get_text()]


def _break_text(text: Text, room: float, *, vertical: bool = False) -> None:
    lines = text.get_text().split("\n")
    length = _text_length(text, vertical=vertical) if any(lines) else 0.0
    # Letters differ in width, so the first try may be too long.
    n_letters = math.ceil(max(map(len, lines)) * room / length) if length > room else 0
    while _text_length(text, vertical=vertical) > room and n_letters >= _SHORTEST:
        text.set_text("\n".join(in_lines(breakable(line, n_letters), n_letters) for line in lines))
        n_letters -= 1


def _text_length(text: Text, *, vertical: bool) -> float:
    box = text.get_window_extent()
    return float(box.height if vertical else box.width)


def texts_of(axes: Axes) -> list[Text]:
    """List the texts in a panel: title, axis and tick labels, and annotations."""
    named = [axis for axis in (axes.xaxis, axes.yaxis) if axis.get_visible()]
    labels = [text for axis in named for text in (axis.label, *_visible_labels(axis))]
    return [_left_title(axes), *labels, *axes.texts]


def _left_title(axes: Axes) -> Text:
    # Our titles are at the left, and matplotlib has no public access to a left title.
    return axes._left_title  # type: ignore[attr-defined,no-any-return]  # noqa: SLF001
