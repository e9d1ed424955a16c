"""The specification curve: every analysis of a pair of systems by its effect size, and the choices that make it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from recsens.config import Study
from recsens.studies.copies import counted
from recsens.studies.ink import BAND, GRID, PAPER, SOFT, TEXT, Scores, ink, tick
from recsens.studies.judging import UNDECIDED, Judgement, judge
from recsens.studies.naming import improvement, in_order, measured
from recsens.studies.printed import SPACE, p_below
from recsens.studies.sweep import sweep
from recsens.studies.taxonomy import DECISIONS

_NO_CUTOFF = "none"
"""Stands for the cut-off of a metric of the whole ranking."""

MANY = 150
"""Beyond this number of analyses in a panel, the marks become bands and bars."""

_BINS = 150
_WIDTH = 7.2
_ROW = 0.155
_CURVE = 1.75
_LONGEST = 34

FIRST, SECOND, NOBODY = 1, -1, 0
"""Who wins an analysis: the first system of the pair, the second, or nobody."""

# Dark, middle and hollow: told apart in grey, and by shape.
_MARKS = {FIRST: (ink(0).colour, "^", "first system wins"), SECOND: (ink(1).colour, "v", "second system wins")}


@dataclass(frozen=True)
class Choices:
    """The options of one decision, as rows of the matrix.

    Attributes
    ----------
    title
        The decision.
    labels
        Its options.
    base
        Place of the base design's option.
    taken
        Whether an analysis, or one with the same numbers, takes each option; shape (n_options, n_analyses).
    colours
        A colour for each option; none for the common one.
    """

    title: str
    labels: tuple[str, ...]
    base: int
    taken: NDArray[np.bool_]
    colours: tuple[str, ...] = ()


@dataclass(frozen=True)
class Curve:
    """Every analysis of one pair on one data set, the smallest effect first; those with the same numbers are one.

    Attributes
    ----------
    dataset, first, second
        Labels of the data set and of the systems: the better one of the base design first.
    effects, lows, highs
        Standardised effect sizes and their intervals, positive where the first system is better; shape (n_analyses,).
    winners
        `FIRST`, `SECOND` or `NOBODY`, shape (n_analyses,).
    base
        Place of the base analysis; None where it has no effect size.
    choices
        The decisions that differ between analyses.
    n_analyses
        How many there are by name, copies among them.
    """

    dataset: str
    first: str
    second: str
    effects: NDArray[np.float64]
    lows: NDArray[np.float64]
    highs: NDArray[np.float64]
    winners: NDArray[np.int64]
    base: int | None
    choices: tuple[Choices, ...]
    n_analyses: int

    @property
    def title(self) -> str:
        """What the panel shows."""
        return f"{self.dataset}: {self.first} over {self.second}"

    @property
    def is_crowded(self) -> bool:
        """Whether there are too many analyses for a mark each."""
        return len(self.effects) > MANY

    @property
    def rows(self) -> tuple[Choices, ...]:
        """What stands below the curve; where marks are too many to tell the verdict, its own rows do."""
        if not self.is_crowded:
            return self.choices
        labels = (f"{self.first} wins", UNDECIDED, f"{self.second} wins")
        places = np.select([self.winners == FIRST, self.winners == NOBODY], [0, 1], 2)
        base = -1 if self.base is None else int(places[self.base])
        taken = places == np.arange(len(labels))[:, np.newaxis]
        return (Choices("Verdict", labels, base, taken, (_MARKS[FIRST][0], SOFT, _MARKS[SECOND][0])), *self.choices)


def curves(study: Study, summary: pd.DataFrame, comparisons: pd.DataFrame, datasets: Sequence[str]) -> list[Curve]:
    """Trace the curve of the two best systems of the base design on each data set; if not compared, of the best pair that was."""
    judged = judge(study, summary, comparisons)
    best = summary[summary["is_base"]]
    found = []
    for dataset in datasets:
        pairs = [pair for pair in judged.base if pair[0] == dataset]
        if pairs:
            metric = judged.base[pairs[0]]["metric"]
            rows = best[(best["dataset"] == dataset) & (best["metric"] == metric)]
            found.append(_curve(study, judged, _best_pair(pairs, rows, improvement(metric))))
    return [curve for curve in found if len(curve.effects)]


def draw_curves(study: Study, found: Sequence[Curve]) -> Figure:
    """Draw the curves above the choices that make them, up to two side by side."""
    n_columns = min(2, max(1, len(found)))
    n_rows = max(1, math.ceil(len(found) / n_columns))
    n_lines = max((sum(1 + len(choice.labels) for choice in curve.rows) for curve in found), default=0)
    matrix = _ROW * n_lines
    figure = Figure(figsize=(_WIDTH, (_CURVE + matrix + 0.45) * n_rows + 0.3), layout="constrained")
    FigureCanvasAgg(figure)
    if not found:
        figure.text(0.5, 0.5, "No two systems were compared by a metric that ranks them.", ha="center", color=TEXT)
        return figure
    figure.set_layout_engine("constrained", h_pad=0.02, hspace=0)
    # One flat grid: only so have the columns the same width, though the labels stand on the left.
    grid = figure.add_gridspec(2 * n_rows, n_columns, height_ratios=[_CURVE, max(matrix, 0.01)] * n_rows)
    for place, curve in enumerate(found):
        row, column = divmod(place, n_columns)
        upper = figure.add_subplot(grid[2 * row, column])
        upper.set_title(curve.title)
        _draw_effects(upper, curve)
        if column == 0:
            upper.set_ylabel("effect size $d_z$")
        if curve.rows:
            _draw_choices(figure.add_subplot(grid[2 * row + 1, column], sharex=upper), curve, labelled=column == 0)
    _legend(figure, study, found)
    return figure


def _best_pair(pairs: Sequence[tuple[str, str, str]], rows: pd.DataFrame, sign: int) -> tuple[str, str, str]:
    values = dict(zip(rows["system"], sign * rows["value"], strict=True))
    ranked = sorted(values, key=lambda system: -values[system] if not math.isnan(values[system]) else math.inf)
    # The best pair is the one whose worse system stands highest, then whose better one does.
    return min(pairs, key=lambda pair: sorted((ranked.index(pair[1]), ranked.index(pair[2])), reverse=True))


def _curve(study: Study, judged: Judgement, pair: tuple[str, str, str]) -> Curve:
    dataset, a, b = pair
    rows = judged.rows
    named = rows[(rows["dataset"] == dataset) & (rows["system_a"] == a) & (rows["system_b"] == b) & rows["effect"].notna()]
    rows = named[named["original"] == named.index]
    base = judged.base[pair]
    turned = base["better"] < 0
    signs = rows["metric"].map(improvement).to_numpy(dtype=np.float64) * (-1 if turned else 1)
    first, second = (b, a) if turned else (a, b)
    effects = signs * rows["effect"].to_numpy()
    ends = np.sort(np.stack([signs * rows["effect_low"].to_numpy(), signs * rows["effect_high"].to_numpy()]), axis=0)
    order = np.argsort(effects, kind="stable")
    winners = np.select([rows["verdict"] == f"{first} wins", rows["verdict"] == UNDECIDED], [FIRST, NOBODY], SECOND)
    is_base = (rows["is_base"] & rows["is_base_metric"]).to_numpy()[order]
    place_of = pd.Series(np.arange(len(order)), index=rows.index[order], dtype=np.int64)
    return Curve(
        dataset,
        first,
        second,
        effects[order],
        ends[0][order],
        ends[1][order],
        winners[order],
        int(np.flatnonzero(is_base)[0]) if is_base.any() else None,
        tuple(_choices(study, judged, named, place_of[named["original"]].to_numpy(), base)),
        len(named),
    )


def _choices(
    study: Study, judged: Judgement, rows: pd.DataFrame, columns: NDArray[np.int64], base: Mapping[str, Any]
) -> list[Choices]:
    """List what differs between analyses; ``columns`` holds the place on the curve of each row."""
    found, options = [], judged.options
    for varied in DECISIONS:
        texts = in_order(judged.rows[varied.column])
        if len(texts) > 1:
            swept = sweep(varied, texts, options[varied.column])
            places = {option.text: place for place, option in enumerate(swept.options)}
            labels = [tick(option.number) if option.number is not None else _cut(option.text) for option in swept.options]
            name = f"{varied.name}: {swept.parameter}" if swept.parameter not in {"", varied.key} else varied.name
            found.append(_group(f"{varied.code} {name}", labels, places, rows[varied.column], columns, options[varied.column]))
    metrics = [str(metric) for metric in study.metrics if str(metric) in set(judged.rows["metric"])]
    for title, of in (("C2 Metric", _bare), ("C2 Cut-off", _cutoff)):
        labels = in_order(map(of, metrics))
        if len(labels) > 1:
            if of is _cutoff:
                labels = sorted(labels, key=lambda label: math.inf if label == _NO_CUTOFF else int(label))
            places = {label: place for place, label in enumerate(labels)}
            found.append(_group(title, labels, places, rows["metric"].map(of), columns, of(base["metric"])))
    order = {decision.code: place for place, decision in enumerate(DECISIONS)}
    return sorted(found, key=lambda choices: order[choices.title.partition(" ")[0]])


def _group(
    title: str, labels: Sequence[str], places: Mapping[str, int], options: pd.Series[str], columns: NDArray[np.int64], base: str
) -> Choices:
    taken = np.zeros((len(labels), len(set(columns.tolist()))), dtype=np.bool_)
    taken[np.asarray(options.map(dict(places)), dtype=np.int64), columns] = True
    return Choices(title, tuple(labels), places.get(base, -1), taken)


def _bare(metric: str) -> str:
    return str(measured(metric).metric.spec)


def _cutoff(metric: str) -> str:
    found = measured(metric)
    return _NO_CUTOFF if found.is_whole else str(found.cutoff)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _draw_effects(axes: Axes, curve: Curve) -> None:
    places = np.arange(len(curve.effects))
    axes.axhline(0, color=TEXT, linewidth=0.8, zorder=1.5)
    if curve.is_crowded:
        _draw_bands(axes, curve)
    else:
        known = ~np.isnan(curve.lows)
        width = 0.9 if len(places) <= 60 else 0.5
        axes.vlines(places[known], curve.lows[known], curve.highs[known], color=SOFT, linewidth=width, zorder=2)
        size = float(np.clip(180 / max(len(places), 1), 2.2, 5))
        for winner in (NOBODY, FIRST, SECOND):
            chosen = curve.winners == winner
            _marks(axes, places[chosen], curve.effects[chosen], winner, size)
    if curve.base is not None:
        axes.axvline(curve.base, color=TEXT, linewidth=0.7, linestyle=(0, (2, 2)), zorder=1)
        axes.annotate(
            "base", (curve.base, 1), xycoords=("data", "axes fraction"), xytext=(2, -1), textcoords="offset points",
            va="top", ha="left" if curve.base < 0.8 * len(places) else "right", fontsize=7.5, color=TEXT,
        )  # fmt: skip
    axes.set_xlim(-0.75 - len(places) / 100, len(places) - 0.25 + len(places) / 100)
    axes.grid(axis="y")
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_formatter(Scores())
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


def _draw_bands(axes: Axes, curve: Curve) -> None:
    """Draw many analyses: the line of effect sizes, the band of intervals, and how often each verdict is given."""
    edges = _edges(len(curve.effects))
    middles = (edges[:-1] + edges[1:] - 1) / 2
    with np.errstate(all="ignore"):
        low, high = (_binned(values, edges) for values in (curve.lows, curve.highs))
    axes.fill_between(middles, low, high, color=BAND, linewidth=0, zorder=1)
    axes.plot(np.arange(len(curve.effects)), curve.effects, color=TEXT, linewidth=1.1, zorder=3)


def _draw_choices(axes: Axes, curve: Curve, *, labelled: bool) -> None:
    n = len(curve.effects)
    ticks: list[int] = []
    labels: list[str] = []
    bold: list[bool | None] = []
    row = 0
    size = float(np.clip(150 / max(n, 1), 1.6, 3.6))
    for choices in curve.rows:
        ticks.append(row)
        labels.append(choices.title)
        bold.append(None)
        row += 1
        for place, label in enumerate(choices.labels):
            axes.axhline(row, color=GRID, linewidth=0.5, zorder=0)
            chosen = np.flatnonzero(choices.taken[place])
            if curve.is_crowded:
                _bars(axes, chosen, n, row, choices.colours[place] if choices.colours else SOFT)
            else:
                _dots(axes, chosen, curve.winners[chosen], row, size)
            ticks.append(row)
            labels.append(label)
            bold.append(place == choices.base)
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
        places = chosen[winners == winner]
        _marks(axes, places, np.full(len(places), float(row)), winner, size)


def _bars(axes: Axes, chosen: NDArray[np.int64], n: int, row: int, colour: str) -> None:
    """Draw the share of the analyses about a place that take an option, as the height of a bar."""
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


def _legend(figure: Figure, study: Study, found: Sequence[Curve]) -> None:
    if all(curve.is_crowded for curve in found):
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
