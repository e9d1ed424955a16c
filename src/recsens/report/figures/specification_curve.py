"""The specification curve: every analysis of a pair by effect size, above the choices of each analysis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from recsens.arrays import Bools, Floats, Ints, in_order
from recsens.conclusions.verdicts.components import direction, measured, ranks_systems
from recsens.conclusions.verdicts.pairs import UNDECIDED, PairVerdicts, count_analyses
from recsens.outcomes.winner import FIRST, NOBODY, SECOND, Side
from recsens.report.figure_style import BAND, GRID, PAPER, SOFT, TEXT, ink, set_scores
from recsens.report.figures._base import FigureData, OfPairs
from recsens.report.figures._canvas import GRID_WIDTH, MAX_DATASETS, canvas, left_out_note
from recsens.report.figures._fitting import fit_text
from recsens.report.lazy_matplotlib import Axes, Figure, Line2D
from recsens.report.sentences.evidence import interval_name
from recsens.study import Experiment
from recsens.study.taxonomy import DECISIONS
from recsens.tables.numbers import SPACE, p_below, tick

_NO_CUTOFF = "none"
"""The text for the cut-off of a metric of the whole ranking."""

MANY = 150
"""A panel with more analyses than this has bands and bars instead of marks."""

_LONGEST = 34
"""Largest number of letters of an option; longer options are cut."""


@dataclass(frozen=True)
class Choices:
    """One decision's options, as rows of the matrix below the curve.

    Attributes
    ----------
    title
        The decision.
    labels
        Its options.
    base
        Index of the base design's option; -1 if it is not among the options.
    taken
        Whether each option is used by each analysis, or by an analysis with the same numbers; shape (n_options, n_analyses).
    colours
        A colour for each option; empty if all options have the usual colour.
    """

    title: str
    labels: tuple[str, ...]
    base: int
    taken: Bools
    colours: tuple[str, ...] = ()


@dataclass(frozen=True)
class Specifications:
    """Every analysis of one pair on one data set, smallest effect first; analyses with the same numbers are merged.

    Attributes
    ----------
    dataset, first, second
        Labels of the data set and of the systems; the system that is better under the base design comes first.
    effects, lows, highs
        Standardised effect sizes and their intervals, positive if the first system is better; shape (n_analyses,).
    winners
        The winner of each analysis (`recsens.outcomes.winner.Side`), shape (n_analyses,).
    base
        Index of the base analysis; None if it has no effect size.
    choices
        The decisions that differ between analyses.
    n_analyses
        Number of analyses, including those that repeat the numbers of another analysis.
    """

    dataset: str
    first: str
    second: str
    effects: Floats
    lows: Floats
    highs: Floats
    winners: Side
    base: int | None
    choices: tuple[Choices, ...]
    n_analyses: int

    @property
    def title(self) -> str:
        """The title of the panel."""
        return f"{self.dataset}: {self.first} over {self.second}"

    @property
    def is_crowded(self) -> bool:
        """Whether there are too many analyses to draw a mark for each."""
        return len(self.effects) > MANY


def trace_curves(summary: pd.DataFrame, verdicts: PairVerdicts, datasets: Sequence[str]) -> list[Specifications]:
    """Trace each data set's curve for the base design's two best systems or, if they were not compared, the best compared pair."""
    best = summary[summary["is_base"]]
    traced = []
    for dataset in datasets:
        pairs = [pair for pair in verdicts.base if pair[0] == dataset]
        if pairs:
            metric = verdicts.base[pairs[0]]["metric_full"]
            rows = best[(best["dataset"] == dataset) & (best["metric_full"] == metric)]
            traced.append(_trace_curve(verdicts, _best_pair(pairs, rows, direction(metric))))
    return [curve for curve in traced if len(curve.effects)]


def _best_pair(pairs: Sequence[tuple[str, str, str]], rows: pd.DataFrame, sign: int) -> tuple[str, str, str]:
    values = dict(zip(rows["system"], sign * rows["value"], strict=True))
    ranked = sorted(values, key=lambda system: -values[system] if not math.isnan(values[system]) else math.inf)
    # The best pair is the pair whose worse system ranks highest; among several such pairs, the better system's rank decides.
    return min(pairs, key=lambda pair: sorted((ranked.index(pair[1]), ranked.index(pair[2])), reverse=True))


def _trace_curve(verdicts: PairVerdicts, pair: tuple[str, str, str]) -> Specifications:
    dataset, a, b = pair
    rows = verdicts.rows
    named = rows[(rows["dataset"] == dataset) & (rows["system_a"] == a) & (rows["system_b"] == b) & rows["effect"].notna()]
    rows = named[named["original"] == named.index]
    base = verdicts.base[pair]
    is_turned = base["better"] == SECOND
    signs = rows["metric_full"].map(direction).to_numpy(dtype=np.float64) * (-1 if is_turned else 1)
    first, second = (b, a) if is_turned else (a, b)
    effects = signs * rows["effect"].to_numpy()
    ends = np.sort(np.stack([signs * rows["effect_low"].to_numpy(), signs * rows["effect_high"].to_numpy()]), axis=0)
    order = np.argsort(effects, kind="stable")
    winners = np.select([rows["winner"] == first, rows["winner"] == second], [FIRST, SECOND], NOBODY)
    is_base = (rows["is_base"] & rows["is_base_metric"]).to_numpy()[order]
    index_of = pd.Series(np.arange(len(order)), index=rows.index[order], dtype=np.int64)
    lows, highs = ends[:, order]
    base_index = int(np.flatnonzero(is_base)[0]) if is_base.any() else None
    choices = tuple(_choices(verdicts, named, index_of[named["original"]].to_numpy(), base))
    return Specifications(dataset, first, second, effects[order], lows, highs, winners[order], base_index, choices, len(named))


def _choices(verdicts: PairVerdicts, rows: pd.DataFrame, columns: Ints, base: Mapping[str, Any]) -> list[Choices]:
    """List the decisions in which analyses differ; ``columns`` has each row's index on the curve."""
    matrix, space = [], verdicts.space
    for varied in space.varied:
        swept = space.sweep(varied)
        lines = {option.text: line for line, option in enumerate(swept.options)}
        labels = [tick(option.number) if option.number is not None else _shorten(option.text) for option in swept.options]
        title, chosen = f"{varied.code} {swept.titled(varied.name)}", space.base[varied.column]
        matrix.append(_choices_of(title, labels, lines, rows[varied.column], columns, chosen))
    metrics = [metric.written for metric in verdicts.part.metrics if str(metric) in set(verdicts.rows["metric_full"])]
    for title, of in (("C2 Metric", _bare_metric), ("C2 Cut-off", _cutoff_label)):
        labels = in_order(map(of, metrics))
        if len(labels) > 1:
            if of is _cutoff_label:
                labels = sorted(labels, key=lambda label: math.inf if label == _NO_CUTOFF else int(label))
            lines = {label: line for line, label in enumerate(labels)}
            matrix.append(_choices_of(title, labels, lines, rows["metric"].map(of), columns, of(base["metric"])))
    order = {decision.code: rank for rank, decision in enumerate(DECISIONS)}
    return sorted(matrix, key=lambda choices: order[choices.title.partition(" ")[0]])


def _choices_of(
    title: str, labels: Sequence[str], lines: Mapping[str, int], options: pd.Series[str], columns: Ints, base: str
) -> Choices:
    taken = np.zeros((len(labels), len(set(columns.tolist()))), dtype=np.bool_)
    taken[np.asarray(options.map(dict(lines)), dtype=np.int64), columns] = True
    return Choices(title, tuple(labels), lines.get(base, -1), taken)


def _bare_metric(metric: str) -> str:
    return measured(metric).spelling


def _cutoff_label(metric: str) -> str:
    at = measured(metric)
    return _NO_CUTOFF if at.is_whole else str(at.cutoff)


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


_BINS = 150
_ROW = 0.155
_CURVE = 1.75

# Marks are dark, medium and hollow, with different shapes, so they also differ in grey.
_MARKS = {FIRST: (ink(0).colour, "^", "first system wins"), SECOND: (ink(1).colour, "v", "second system wins")}


class SpecificationCurve(OfPairs):
    """Every analysis of the base design's two best systems by its effect size, above the choices of the analysis.

    It is one of the usual figures of a study with more than one analysis. The curves of up to two data sets are side by side.
    """

    title = "Specification curve"
    source = "Simonsohn, Simmons & Nelson (2020), Specification curve analysis"

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
            f"{crowded * (n_analyses > MANY)}{left_out_note(experiment)}"
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw the curves above the choices of the analyses, up to two curves side by side."""
        traced = trace_curves(data.summary, data.verdicts, list(data.experiment.datasets)[:MAX_DATASETS])
        return fit_text(_draw_traced(traced, p_below(data.experiment.alpha)))


def _draw_traced(traced: Sequence[Specifications], below: str) -> Figure:
    n_columns = min(2, max(1, len(traced)))
    n_rows = max(1, math.ceil(len(traced) / n_columns))
    n_lines = max((sum(1 + len(choices.labels) for choices in _choice_rows(curve)) for curve in traced), default=0)
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
        if _choice_rows(curve):
            _draw_choices(figure.add_subplot(places[2 * row + 1, column], sharex=upper), curve, labelled=column == 0)
    if not all(curve.is_crowded for curve in traced):
        handles = [Line2D([], [], **_mark_style(winner, 5), label=f"{_MARKS[winner][2]}, {below}") for winner in (FIRST, SECOND)]
        handles.append(Line2D([], [], **_mark_style(NOBODY, 4.5), label=f"undecided{SPACE}"))
        figure.legend(handles=handles, loc="outside upper left", ncols=len(handles), handlelength=1.2, columnspacing=1.4)
    return figure


def _choice_rows(curve: Specifications) -> tuple[Choices, ...]:
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


def _mark_style(winner: int, size: float) -> dict[str, Any]:
    """Return the mark for analyses with this winner, or without a winner."""
    if winner == NOBODY:
        return {"linestyle": "none", "marker": "o", "color": SOFT, "markerfacecolor": PAPER, "markersize": size}
    return {"linestyle": "none", "marker": _MARKS[winner][1], "color": _MARKS[winner][0], "markersize": size}


def _draw_marks(axes: Axes, x: Ints, y: Floats, winners: Ints, size: float) -> None:
    for winner, share, edge, order in ((NOBODY, 0.8, 0.8, 3), (FIRST, 1, 0, 4), (SECOND, 1, 0, 4)):
        chosen = winners == winner
        axes.plot(x[chosen], y[chosen], **_mark_style(winner, share * size), markeredgewidth=edge, zorder=order)


def _draw_bands(axes: Axes, curve: Specifications) -> None:
    """Draw many analyses as a line of effect sizes and a band of intervals."""
    edges = _bin_edges(len(curve.effects))
    middles = (edges[:-1] + edges[1:] - 1) / 2
    with np.errstate(all="ignore"):
        low, high = (_mean_of_bins(values, edges) for values in (curve.lows, curve.highs))
    axes.fill_between(middles, low, high, color=BAND, linewidth=0, zorder=1)
    axes.plot(np.arange(len(curve.effects)), curve.effects, color=TEXT, linewidth=1.1, zorder=3)


def _draw_choices(axes: Axes, curve: Specifications, *, labelled: bool) -> None:
    n = len(curve.effects)
    size = float(np.clip(150 / max(n, 1), 1.6, 3.6))
    # For each line of the matrix: its label, and whether the label is bold; None for the name of a decision.
    lines: list[tuple[str, bool | None]] = []
    for choices in _choice_rows(curve):
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
    axes.set_xlabel(f"{count_analyses(curve.n_analyses, n)}, by effect size")


def _draw_bars(axes: Axes, chosen: Ints, n: int, row: int, colour: str) -> None:
    """Draw bars whose heights are the shares of nearby analyses that use an option."""
    edges = _bin_edges(n)
    taken = np.zeros(n)
    taken[chosen] = 1
    share = _mean_of_bins(taken, edges)
    tops = row + 0.4 - 0.85 * np.append(share, share[-1])
    axes.fill_between(edges - 0.5, row + 0.4, tops, step="post", color=colour, linewidth=0, zorder=2)


def _bin_edges(n: int) -> Ints:
    return np.unique(np.linspace(0, n, min(_BINS, n) + 1).round().astype(np.int64))


def _mean_of_bins(values: Floats, edges: Ints) -> Floats:
    valid = ~np.isnan(values)
    sums = np.add.reduceat(np.where(valid, values, 0.0), edges[:-1])
    counts = np.add.reduceat(valid.astype(np.float64), edges[:-1])
    return np.asarray(np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0))
