"""The specification curve: every analysis of a pair by effect size, above the choices of each analysis."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from recsens.conclusions.verdicts.components import ranks_systems
from recsens.conclusions.verdicts.copies import counted
from recsens.conclusions.verdicts.pairs import UNDECIDED
from recsens.outcomes.winner import FIRST, NOBODY, SECOND
from recsens.report.figure_style import BAND, GRID, PAPER, SOFT, TEXT, ink, set_scores
from recsens.report.figures._base import Drawing, FigureData
from recsens.report.figures._canvas import GRID_WIDTH, MAX_DATASETS, canvas, left_out
from recsens.report.figures._fitting import settle
from recsens.report.figures._pairs import refuse_single_analysis
from recsens.report.figures._specifications import MANY, Choices, Specifications, curves
from recsens.report.sentences.evidence import interval_name
from recsens.study import Experiment
from recsens.tables.numbers import SPACE, p_below

_BINS = 150
_ROW = 0.155
_CURVE = 1.75

# Marks are dark, medium and hollow, with different shapes, so they also differ in grey.
_MARKS = {FIRST: (ink(0).colour, "^", "first system wins"), SECOND: (ink(1).colour, "v", "second system wins")}


class SpecificationCurve(Drawing):
    """Every analysis of the base design's two best systems by its effect size, above the choices of the analysis.

    It is one of the usual figures of a study with more than one analysis. The curves of up to two data sets are side by side.
    """

    source = "Simonsohn, Simmons & Nelson (2020), Specification curve analysis"

    def check(self, experiment: Experiment) -> None:
        """Refuse an experiment without pairs or with a single analysis."""
        refuse_single_analysis(experiment)

    def heading(self, experiment: Experiment) -> str:
        """Return the title."""
        return "Specification curve"

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        n_analyses = len(experiment.designs()) * sum(ranks_systems(str(metric)) for metric in experiment.metrics)
        crowded = (
            " With many analyses, bars show the share of nearby analyses that use an option, and the band shows interval ends "
            "averaged over nearby analyses."
        )
        return (
            "Every analysis (a design and a metric) that compares the two systems that are best under the base design, ordered by "
            "effect size. The effect size is the mean of the users' differences divided by their standard deviation; it is "
            f"positive if the first system is better, and is shown with its {interval_name(experiment)}. The rows below show the "
            "choices behind each analysis; the base design's choices are in bold, and a dotted line marks the analysis of the base "
            "design. Analyses with the same numbers are drawn once, with the choices of all these analyses."
            f"{crowded * (n_analyses > MANY)}{left_out(experiment)}"
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw the curves above the choices of the analyses, up to two curves side by side."""
        traced = curves(data.summary, data.verdicts, list(data.experiment.datasets)[:MAX_DATASETS])
        figure = _draw(traced, p_below(data.experiment.alpha))
        settle(figure)
        return figure


def _draw(traced: Sequence[Specifications], below: str) -> Figure:
    n_columns = min(2, max(1, len(traced)))
    n_rows = max(1, math.ceil(len(traced) / n_columns))
    n_lines = max((sum(1 + len(choices.labels) for choices in _matrix(curve)) for curve in traced), default=0)
    height = _ROW * n_lines
    figure = canvas(GRID_WIDTH, (_CURVE + height + 0.45) * n_rows + 0.3)
    if not traced:
        figure.text(0.5, 0.5, "No two systems were compared on a metric that ranks them.", ha="center", color=TEXT)
        return figure
    figure.set_layout_engine("constrained", h_pad=0.02, hspace=0)
    # Use a single grid, because it gives all columns the same width despite the labels on the left.
    places = figure.add_gridspec(2 * n_rows, n_columns, height_ratios=[_CURVE, max(height, 0.01)] * n_rows)
    for number, curve in enumerate(traced):
        row, column = divmod(number, n_columns)
        upper = figure.add_subplot(places[2 * row, column])
        upper.set_title(curve.title)
        _draw_effects(upper, curve)
        if column == 0:
            upper.set_ylabel("effect size $d_z$")
        if _matrix(curve):
            _draw_choices(figure.add_subplot(places[2 * row + 1, column], sharex=upper), curve, labelled=column == 0)
    if not all(curve.is_crowded for curve in traced):
        _add_legend(figure, below)
    return figure


def _matrix(curve: Specifications) -> tuple[Choices, ...]:
    """Return the rows below the curve; if there are too many marks to show verdicts, verdicts have their own rows."""
    if not curve.is_crowded:
        return curve.choices
    labels = (f"{curve.first} wins", UNDECIDED, f"{curve.second} wins")
    lines = np.select([curve.winners == FIRST, curve.winners == NOBODY], [0, 1], 2)
    base = -1 if curve.base is None else int(lines[curve.base])
    taken = lines == np.arange(len(labels))[:, np.newaxis]
    return (Choices("Verdict", labels, base, taken, (_MARKS[FIRST][0], SOFT, _MARKS[SECOND][0])), *curve.choices)


def _draw_effects(axes: Axes, curve: Specifications) -> None:
    x = np.arange(len(curve.effects))
    axes.axhline(0, color=TEXT, linewidth=0.8, zorder=1.5)
    if curve.is_crowded:
        _draw_bands(axes, curve)
    else:
        has_interval = ~np.isnan(curve.lows)
        width = 0.9 if len(x) <= 60 else 0.5
        axes.vlines(x[has_interval], curve.lows[has_interval], curve.highs[has_interval], color=SOFT, linewidth=width, zorder=2)
        size = float(np.clip(180 / max(len(x), 1), 2.2, 5))
        _draw_marks(axes, x, curve.effects, curve.winners, size)
    if curve.base is not None:
        axes.axvline(curve.base, color=TEXT, linewidth=0.7, linestyle=(0, (2, 2)), zorder=1)
        side, gap = ("left", 2) if curve.base < 0.8 * len(x) else ("right", -2)
        axes.annotate(
            "base", (curve.base, 1), xycoords=("data", "axes fraction"), xytext=(gap, -1), textcoords="offset points",
            va="top", ha=side, fontsize=7.5, color=TEXT,
        )  # fmt: skip
    axes.set_xlim(-0.75 - len(x) / 100, len(x) - 0.25 + len(x) / 100)
    set_scores(axes)
    axes.tick_params(axis="x", bottom=False, labelbottom=False)
    axes.spines["bottom"].set_visible(False)


def _mark(winner: int, size: float) -> dict[str, Any]:
    """Return the mark for analyses with this winner, or without a winner."""
    if winner == NOBODY:
        return {"linestyle": "none", "marker": "o", "color": SOFT, "markerfacecolor": PAPER, "markersize": size}
    return {"linestyle": "none", "marker": _MARKS[winner][1], "color": _MARKS[winner][0], "markersize": size}


def _draw_marks(axes: Axes, x: NDArray[np.int64], y: NDArray[np.float64], winners: NDArray[np.int64], size: float) -> None:
    for winner, share, edge, order in ((NOBODY, 0.8, 0.8, 3), (FIRST, 1, 0, 4), (SECOND, 1, 0, 4)):
        chosen = winners == winner
        axes.plot(x[chosen], y[chosen], **_mark(winner, share * size), markeredgewidth=edge, zorder=order)


def _draw_bands(axes: Axes, curve: Specifications) -> None:
    """Draw many analyses as a line of effect sizes and a band of intervals."""
    edges = _edges(len(curve.effects))
    middles = (edges[:-1] + edges[1:] - 1) / 2
    with np.errstate(all="ignore"):
        low, high = (_binned(values, edges) for values in (curve.lows, curve.highs))
    axes.fill_between(middles, low, high, color=BAND, linewidth=0, zorder=1)
    axes.plot(np.arange(len(curve.effects)), curve.effects, color=TEXT, linewidth=1.1, zorder=3)


def _draw_choices(axes: Axes, curve: Specifications, *, labelled: bool) -> None:
    n = len(curve.effects)
    size = float(np.clip(150 / max(n, 1), 1.6, 3.6))
    # For each line of the matrix: its label, and whether the label is bold; None for the name of a decision.
    lines: list[tuple[str, bool | None]] = []
    for choices in _matrix(curve):
        lines.append((choices.title, None))
        for line, label in enumerate(choices.labels):
            row = len(lines)
            axes.axhline(row, color=GRID, linewidth=0.5, zorder=0)
            chosen = np.flatnonzero(choices.taken[line])
            if curve.is_crowded:
                _draw_bars(axes, chosen, n, row, choices.colours[line] if choices.colours else SOFT)
            else:
                _draw_marks(axes, chosen, np.full(len(chosen), float(row)), curve.winners[chosen], size)
            lines.append((label, line == choices.base))
    if curve.base is not None:
        axes.axvline(curve.base, color=TEXT, linewidth=0.7, linestyle=(0, (2, 2)), zorder=1)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.set_yticks(range(len(lines)), [label if labelled else "" for label, _ in lines])
    for text, (_, weight) in zip(axes.get_yticklabels(), lines, strict=True):
        text.set_fontsize(7.5)
        text.set_fontweight("bold" if weight else "normal")
        text.set_color(SOFT if weight is None else TEXT)
        text.set_fontstyle("italic" if weight is None else "normal")
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", bottom=False, labelbottom=False)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel(f"{counted(curve.n_analyses, n)}, by effect size")


def _draw_bars(axes: Axes, chosen: NDArray[np.int64], n: int, row: int, colour: str) -> None:
    """Draw bars whose heights are the shares of nearby analyses that use an option."""
    edges = _edges(n)
    taken = np.zeros(n)
    taken[chosen] = 1
    share = _binned(taken, edges)
    tops = row + 0.4 - 0.85 * np.append(share, share[-1])
    axes.fill_between(edges - 0.5, row + 0.4, tops, step="post", color=colour, linewidth=0, zorder=2)


def _edges(n: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, n, min(_BINS, n) + 1).round().astype(np.int64))


def _binned(values: NDArray[np.float64], edges: NDArray[np.int64]) -> NDArray[np.float64]:
    valid = ~np.isnan(values)
    sums = np.add.reduceat(np.where(valid, values, 0.0), edges[:-1])
    counts = np.add.reduceat(valid.astype(np.float64), edges[:-1])
    return np.asarray(np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0))


def _add_legend(figure: Figure, below: str) -> None:
    handles = [Line2D([], [], **_mark(winner, 5), label=f"{_MARKS[winner][2]}, {below}") for winner in (FIRST, SECOND)]
    handles.append(Line2D([], [], **_mark(NOBODY, 4.5), label=f"undecided{SPACE}"))
    figure.legend(handles=handles, loc="outside upper left", ncols=len(handles), handlelength=1.2, columnspacing=1.4)
