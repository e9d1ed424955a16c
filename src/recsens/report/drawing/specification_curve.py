"""The specification curve: every analysis of a pair of systems by its effect size, above the choices that make it."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from recsens.conclusions.verdicts.copies import counted
from recsens.conclusions.verdicts.metric_names import ranks_systems
from recsens.conclusions.verdicts.pairs import UNDECIDED
from recsens.outcomes.winner import FIRST, NOBODY, SECOND
from recsens.report.drawing.grid import MAX_DATASETS
from recsens.report.drawing.ink import BAND, GRID, PAPER, SOFT, TEXT, ScoreTicks, ink
from recsens.report.drawing.specifications import MANY, Choices, SpecificationCurve
from recsens.report.sentences.evidence import interval_name
from recsens.study import Experiment
from recsens.study.taxonomy import FULL_COLUMNS
from recsens.tables.numbers import SPACE, p_below

_BINS = 150
_WIDTH = 7.2
_ROW = 0.155
_CURVE = 1.75

# Dark, middle and hollow: told apart in grey, and by shape.
_MARKS = {FIRST: (ink(0).colour, "^", "first system wins"), SECOND: (ink(1).colour, "v", "second system wins")}


def draw_curves(study: Experiment, traced: Sequence[SpecificationCurve]) -> Figure:
    """Draw the curves above the choices that make them, up to two side by side."""
    n_columns = min(2, max(1, len(traced)))
    n_rows = max(1, math.ceil(len(traced) / n_columns))
    n_lines = max((sum(1 + len(choices.labels) for choices in _matrix(curve)) for curve in traced), default=0)
    height = _ROW * n_lines
    figure = Figure(figsize=(_WIDTH, (_CURVE + height + 0.45) * n_rows + 0.3), layout="constrained")
    FigureCanvasAgg(figure)
    if not traced:
        figure.text(0.5, 0.5, "No two systems were compared by a metric that ranks them.", ha="center", color=TEXT)
        return figure
    figure.set_layout_engine("constrained", h_pad=0.02, hspace=0)
    # One flat grid: only so have the columns the same width, though the labels stand on the left.
    grid = figure.add_gridspec(2 * n_rows, n_columns, height_ratios=[_CURVE, max(height, 0.01)] * n_rows)
    for number, curve in enumerate(traced):
        row, column = divmod(number, n_columns)
        upper = figure.add_subplot(grid[2 * row, column])
        upper.set_title(curve.title)
        _draw_effects(upper, curve)
        if column == 0:
            upper.set_ylabel("effect size $d_z$")
        if _matrix(curve):
            _draw_choices(figure.add_subplot(grid[2 * row + 1, column], sharex=upper), curve, labelled=column == 0)
    _legend(figure, study, traced)
    return figure


def caption_of_curves(study: Experiment, summary: pd.DataFrame) -> str:
    """Say how to read the figure."""
    n_analyses = summary.drop_duplicates([*FULL_COLUMNS, "metric_full"])["metric_full"].map(ranks_systems).sum()
    crowded = " Where there are many, bars show which share of nearby analyses takes an option, and the band is an average."
    left_out = f" Shown: the first {MAX_DATASETS} of {len(study.datasets)} data sets." if len(study.datasets) > MAX_DATASETS else ""
    return (
        "Every analysis (a design and a metric) of the two best systems of the base design, ordered by effect size: the mean of "
        "the users' differences over their standard deviation, positive where the first system is better, with its "
        f"{interval_name(study)}. The rows below show the choices that make each analysis; the base design's are in bold, and a "
        "dotted line marks its analysis. Analyses with the same numbers are drawn once, with the choices of all of them."
        f"{crowded * bool(n_analyses > MANY)}{left_out}"
    )


def _matrix(curve: SpecificationCurve) -> tuple[Choices, ...]:
    """Return what stands below the curve; verdicts have rows of their own where marks are too many to show them."""
    if not curve.is_crowded:
        return curve.choices
    labels = (f"{curve.first} wins", UNDECIDED, f"{curve.second} wins")
    lines = np.select([curve.winners == FIRST, curve.winners == NOBODY], [0, 1], 2)
    base = -1 if curve.base is None else int(lines[curve.base])
    taken = lines == np.arange(len(labels))[:, np.newaxis]
    return (Choices("Verdict", labels, base, taken, (_MARKS[FIRST][0], SOFT, _MARKS[SECOND][0])), *curve.choices)


def _draw_effects(axes: Axes, curve: SpecificationCurve) -> None:
    x = np.arange(len(curve.effects))
    axes.axhline(0, color=TEXT, linewidth=0.8, zorder=1.5)
    if curve.is_crowded:
        _draw_bands(axes, curve)
    else:
        known = ~np.isnan(curve.lows)
        width = 0.9 if len(x) <= 60 else 0.5
        axes.vlines(x[known], curve.lows[known], curve.highs[known], color=SOFT, linewidth=width, zorder=2)
        size = float(np.clip(180 / max(len(x), 1), 2.2, 5))
        for winner in (NOBODY, FIRST, SECOND):
            chosen = curve.winners == winner
            _marks(axes, x[chosen], curve.effects[chosen], winner, size)
    if curve.base is not None:
        axes.axvline(curve.base, color=TEXT, linewidth=0.7, linestyle=(0, (2, 2)), zorder=1)
        axes.annotate(
            "base", (curve.base, 1), xycoords=("data", "axes fraction"), xytext=(2, -1), textcoords="offset points",
            va="top", ha="left" if curve.base < 0.8 * len(x) else "right", fontsize=7.5, color=TEXT,
        )  # fmt: skip
    axes.set_xlim(-0.75 - len(x) / 100, len(x) - 0.25 + len(x) / 100)
    axes.grid(axis="y")
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_formatter(ScoreTicks())
    axes.tick_params(axis="x", bottom=False, labelbottom=False)
    axes.spines["bottom"].set_visible(False)


def _marks(axes: Axes, x: NDArray[np.int64], y: NDArray[np.float64], winner: int, size: float) -> None:
    if winner == NOBODY:
        axes.plot(
            x,
            y,
            linestyle="none",
            marker="o",
            color=SOFT,
            markerfacecolor=PAPER,
            markersize=0.8 * size,
            markeredgewidth=0.8,
            zorder=3,
        )
    else:
        colour, marker, _ = _MARKS[winner]
        axes.plot(x, y, linestyle="none", marker=marker, color=colour, markersize=size, markeredgewidth=0, zorder=4)


def _draw_bands(axes: Axes, curve: SpecificationCurve) -> None:
    """Draw many analyses: the line of effect sizes, the band of intervals, and how often each verdict is given."""
    edges = _edges(len(curve.effects))
    middles = (edges[:-1] + edges[1:] - 1) / 2
    with np.errstate(all="ignore"):
        low, high = (_binned(values, edges) for values in (curve.lows, curve.highs))
    axes.fill_between(middles, low, high, color=BAND, linewidth=0, zorder=1)
    axes.plot(np.arange(len(curve.effects)), curve.effects, color=TEXT, linewidth=1.1, zorder=3)


def _draw_choices(axes: Axes, curve: SpecificationCurve, *, labelled: bool) -> None:
    n = len(curve.effects)
    ticks: list[int] = []
    labels: list[str] = []
    bold: list[bool | None] = []
    row = 0
    size = float(np.clip(150 / max(n, 1), 1.6, 3.6))
    for choices in _matrix(curve):
        ticks.append(row)
        labels.append(choices.title)
        bold.append(None)
        row += 1
        for line, label in enumerate(choices.labels):
            axes.axhline(row, color=GRID, linewidth=0.5, zorder=0)
            chosen = np.flatnonzero(choices.taken[line])
            if curve.is_crowded:
                _bars(axes, chosen, n, row, choices.colours[line] if choices.colours else SOFT)
            else:
                _dots(axes, chosen, curve.winners[chosen], row, size)
            ticks.append(row)
            labels.append(label)
            bold.append(line == choices.base)
            row += 1
    if curve.base is not None:
        axes.axvline(curve.base, color=TEXT, linewidth=0.7, linestyle=(0, (2, 2)), zorder=1)
    axes.set_ylim(row - 0.4, -0.6)
    axes.set_yticks(ticks, labels if labelled else [""] * len(ticks))
    for text, weight in zip(axes.get_yticklabels(), bold, strict=True):
        text.set_fontsize(7.5)
        text.set_fontweight("bold" if weight else "normal")
        text.set_color(SOFT if weight is None else TEXT)
        text.set_fontstyle("italic" if weight is None else "normal")
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", bottom=False, labelbottom=False)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel(f"{counted(curve.n_analyses, n)}, by effect size")


def _dots(axes: Axes, chosen: NDArray[np.int64], winners: NDArray[np.int64], row: int, size: float) -> None:
    for winner in (NOBODY, FIRST, SECOND):
        x = chosen[winners == winner]
        _marks(axes, x, np.full(len(x), float(row)), winner, size)


def _bars(axes: Axes, chosen: NDArray[np.int64], n: int, row: int, colour: str) -> None:
    """Draw the share of nearby analyses that take an option, as the height of a bar."""
    edges = _edges(n)
    taken = np.zeros(n)
    taken[chosen] = 1
    share = _binned(taken, edges)
    tops = row + 0.4 - 0.85 * np.append(share, share[-1])
    axes.fill_between(edges - 0.5, row + 0.4, tops, step="post", color=colour, linewidth=0, zorder=2)


def _edges(n: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, n, min(_BINS, n) + 1).round().astype(np.int64))


def _binned(values: NDArray[np.float64], edges: NDArray[np.int64]) -> NDArray[np.float64]:
    known = ~np.isnan(values)
    sums = np.add.reduceat(np.where(known, values, 0.0), edges[:-1])
    counts = np.add.reduceat(known.astype(np.float64), edges[:-1])
    return np.asarray(np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0))


def _legend(figure: Figure, study: Experiment, traced: Sequence[SpecificationCurve]) -> None:
    if all(curve.is_crowded for curve in traced):
        return
    handles: list[Line2D] = []
    below = p_below(study.alpha)
    for winner in (FIRST, SECOND):
        colour, marker, text = _MARKS[winner]
        handles.append(Line2D([], [], linestyle="none", marker=marker, color=colour, markersize=5, label=f"{text}, {below}"))
    handles.append(
        Line2D([], [], linestyle="none", marker="o", color=SOFT, markerfacecolor=PAPER, markersize=4.5, label=f"undecided{SPACE}")
    )
    figure.legend(handles=handles, loc="outside upper left", ncols=len(handles), handlelength=1.2, columnspacing=1.4)
