"""Rows of a panel with remarks at the margin, and intervals that are compared with a reference."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recsens.arrays import Floats
from recsens.report.figure_style import PAPER, SOFT, TEXT, Ink, ink
from recsens.report.figures._canvas import panels
from recsens.report.figures._fitting import add_legend, fit_text
from recsens.report.figures._series import set_rows
from recsens.report.lazy_matplotlib import Axes, Figure


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
        axes.plot([each.value], [row], **mark_style(each.ink, filled=True))


def set_remarked_rows(axes: Axes, labels: Sequence[str], remarks: Sequence[str]) -> None:
    """Prepare a panel with one row per label, and a remark at the margin."""
    set_rows(axes, labels)
    axes.spines["left"].set_visible(False)
    for row, remark in enumerate(remarks):
        axes.annotate(
            remark, (1.0, row), xycoords=("axes fraction", "data"), xytext=(4, 0), textcoords="offset points",
            va="center", fontsize=7.5, color=TEXT, annotation_clip=False,
        )  # fmt: skip


def mark_style(style: Ink, *, filled: bool) -> dict[str, Any]:
    """Return the look of a system's mark."""
    face = style.colour if filled else PAPER
    look = {"marker": style.marker, "color": style.colour, "markerfacecolor": face, "markersize": 5, "markeredgewidth": 1.1}
    return {**look, "zorder": 3 + filled}


Estimate = tuple[str, float, float, float, str]
"""Label, value, both ends of its interval (NaN if unknown), and a remark."""


def draw_estimates(rows: Sequence[Estimate], *, along: str, reference: float = math.nan) -> Figure:
    """Draw each row's label, value, interval and remark, and a reference line."""
    figure, [axes] = panels([""], 2, 0.75 + 0.3 * len(rows))
    draw_intervals(axes, [Interval(*row, ink(0)) for row in rows], reference)
    axes.set_xlabel(along)
    return fit_text(figure)


def draw_shares(values: Mapping[str, Floats]) -> Figure:
    """Draw, for each metric and value, the share of users with at least this value; the lines fall from left to right."""
    figure, [axes] = panels([""], 2, 2.6)
    for number, (label, of_users) in enumerate(values.items()):
        known = np.sort(of_users[~np.isnan(of_users)])
        share = 1 - np.arange(len(known)) / max(len(known), 1)
        axes.step(known, share, where="pre", label=label, **ink(number).stroke)
    axes.set_xlabel("at least this value")
    axes.set_ylabel("share of users")
    axes.set_ylim(0, 1.02)
    add_legend(figure, axes.get_legend_handles_labels()[0])
    return fit_text(figure)
