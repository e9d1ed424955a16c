"""The scorecard of designs: how well each analysis agrees with the truth, condition by condition."""

from collections.abc import Mapping, Sequence

import numpy as np

from recsens.conclusions.scorecard import ScorecardLine, sort_by_tau
from recsens.report.figure_style import GRID, SOFT, TEXT, ink
from recsens.report.figures._canvas import canvas
from recsens.report.figures._fitting import in_lines
from recsens.report.lazy_matplotlib import Axes, Figure

MOST = 60
"""If a condition has more analyses than this, only designs with at most one change are shown; the table has all analyses."""

_WIDTH, _LINE, _GAP, _HEAD = 6.85, 0.1, 0.05, 0.85
"""In inches: width of the figure, height of a line of a label, space between rows, and space around the rows of a condition."""

_LETTERS = 46
"""Number of letters in a line of a label."""

_SHARES = (("right", ink(0).colour, ""), ("open", GRID, ""), ("wrong", ink(1).colour, "////"))
"""Shares of pairs, with the colour and hatching of each."""

Judged = Mapping[str, Sequence[ScorecardLine]]


def draw_scorecard(judged: Judged) -> Figure:
    """Draw tau with its interval, and the shares of pairs that are right, open or wrong; the base design's analyses are bold."""
    parts = {condition: sort_by_tau(_lines_shown(analyses)) for condition, analyses in judged.items()}
    labels = {condition: [in_lines(line.name, _LETTERS, 2) for line in listed] for condition, listed in parts.items()}
    n_lines = [max((label.count("\n") + 1 for label in listed), default=1) for listed in labels.values()]
    heights = [_HEAD + len(listed) * (_LINE * n + _GAP) for n, listed in zip(n_lines, labels.values(), strict=True)]
    figure = canvas(_WIDTH, sum(heights))
    grid = figure.add_gridspec(len(parts), 2, height_ratios=heights, width_ratios=(1, 1))
    for nth, (condition, listed) in enumerate(parts.items()):
        left, right = (figure.add_subplot(grid[nth, column]) for column in range(2))
        left.set_title(condition)
        _draw_tau(left, listed, labels[condition])
        _draw_shares(right, listed)
    return figure


def caption_of_scorecard(judged: Judged) -> str:
    """Return text that explains how to read the figure."""
    head = (
        "Kendall's tau-b between the order of the systems and their true order, with its 95 % interval; and, of the pairs that the "
        "truth decides, the shares with the same winner, no winner, and the opposite winner. The base design is in bold."
    )
    n, of = (sum(map(len, each.values())) for each in ({key: _lines_shown(rows) for key, rows in judged.items()}, judged))
    return (
        head
        if n == of
        else f"{head} Only designs with at most one change are shown ({n} of {of} analyses); truth.csv lists all analyses."
    )


def _lines_shown(analyses: Sequence[ScorecardLine]) -> list[ScorecardLine]:
    return list(analyses) if len(analyses) <= MOST else [line for line in analyses if len(line.change) < 2]


def _draw_tau(axes: Axes, analyses: Sequence[ScorecardLine], labels: Sequence[str]) -> None:
    values, lows, highs = (np.array([line.tau[nth] for line in analyses]) for nth in range(3))
    places = np.arange(len(analyses))
    axes.hlines(places, lows, highs, color=SOFT, linewidth=0.9)
    axes.plot(values, places, linestyle="none", marker="o", markersize=3, color=TEXT)
    axes.set_yticks(places, labels, fontsize=6)
    for tick, line in zip(axes.get_yticklabels(), analyses, strict=True):
        tick.set_fontweight("normal" if line.change else "bold")
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(analyses) - 0.5, -0.5)
    axes.set_xlim(-1.05, 1.05)
    axes.axvline(0, color=GRID, linewidth=0.8, zorder=0)
    axes.set_xlabel("tau-b with the truth")


def _draw_shares(axes: Axes, analyses: Sequence[ScorecardLine]) -> None:
    places, so_far = np.arange(len(analyses)), np.zeros(len(analyses))
    for name, colour, hatch in _SHARES:
        share = np.array([line.share(name) for line in analyses])
        axes.barh(places, share, left=so_far, color=colour, hatch=hatch, edgecolor="white", linewidth=0.2, label=name)
        so_far = so_far + np.nan_to_num(share)
    axes.set_yticks([])
    axes.set_ylim(len(analyses) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of the pairs that the truth decides")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
