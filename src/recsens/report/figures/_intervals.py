"""Rows of a panel with remarks at the margin, and intervals that are compared with a reference."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes

from recsens.report.figure_style import PAPER, SOFT, TEXT, Ink
from recsens.report.figures._series import set_rows


@dataclass(frozen=True, slots=True)
class Interval:
    """A labelled value with an interval (NaN if unknown), and a remark at the margin."""

    label: str
    value: float
    low: float
    high: float
    remark: str
    ink: Ink


def draw_intervals(axes: Axes, intervals: Sequence[Interval], reference: float) -> None:
    """Draw a row for each interval, and a guide line at the reference, unless the reference is NaN."""
    set_remarked_rows(axes, [each.label for each in intervals], [each.remark for each in intervals])
    if not math.isnan(reference):
        axes.axvline(reference, color=SOFT, linewidth=0.8, zorder=1)
    for row, each in enumerate(intervals):
        if not math.isnan(each.low):
            axes.hlines(row, each.low, each.high, color=each.ink.colour, linewidth=1.6, zorder=2)
        axes.plot([each.value], [row], **dot(each.ink, filled=True))


def set_remarked_rows(axes: Axes, labels: Sequence[str], remarks: Sequence[str]) -> None:
    """Prepare a panel with one row per label, and a remark at the margin."""
    set_rows(axes, labels)
    axes.spines["left"].set_visible(False)
    for row, remark in enumerate(remarks):
        axes.annotate(
            remark, (1.0, row), xycoords=("axes fraction", "data"), xytext=(4, 0), textcoords="offset points",
            va="center", fontsize=7.5, color=TEXT, annotation_clip=False,
        )  # fmt: skip


def dot(style: Ink, *, filled: bool) -> dict[str, Any]:
    """Return the look of a system's mark."""
    face = style.colour if filled else PAPER
    look = {"marker": style.marker, "color": style.colour, "markerfacecolor": face, "markersize": 5, "markeredgewidth": 1.1}
    return {**look, "zorder": 3 + filled}
