"""Figures of a study: scores against the options of each varied decision, or systems side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from recsens.config import Study
from recsens.errors import ConfigError
from recsens.ignored import ignored
from recsens.studies.curve import MANY, curves, draw_curves
from recsens.studies.ink import BAND, PAPER, SOFT, Ink, house_style, ink
from recsens.studies.naming import base_options, calibrated, improvement, in_order, ranks_systems, short, sweep_rows
from recsens.studies.panels import Interval, Point, draw_categories, draw_intervals, draw_numeric, in_lines
from recsens.studies.printed import p_below, p_claim
from recsens.studies.results import records, rows_of
from recsens.studies.sweep import Sweep, sweep
from recsens.studies.taxonomy import COLUMNS, Decision, decision
from recsens.studies.verdicts import Verdict, interval_name, verdicts
from recsens.tables import atomic

SYSTEMS = "systems"
"""Name of the figure of a study that varies nothing."""

DESIGNS = "designs"
"""Name of the specification curve."""

_LONGEST_TITLE = 28
"""Letters of a panel's title that fit on one line."""

_COMPARING = ("test", "correction")
"""Decisions that leave the systems' scores alone and change what is said of their differences."""

MAX_DATASETS = 4
"""A figure shows the first data sets of a study, one a row."""

MAX_METRICS = 3
"""Of several data sets it shows the first metrics, one a column; of a single one twice as many, in two rows."""

_WIDTH = 7.2
_LEGEND_COLUMNS = 5
_NAN = float("nan")


def draw(name: str, study: Study, summary: pd.DataFrame, comparisons: pd.DataFrame) -> Figure:
    """Draw one of the figures that an experiment has (see `recsens.config.Study.figures`), from the tables of the whole study.

    Raises
    ------
    ConfigError
        If the study has no such figure.
    """
    names = study.figures()
    if name not in names:
        raise ConfigError(f"the study has no figure '{name}'", allowed=", ".join(names))
    summary, comparisons = rows_of(study, summary), rows_of(study, comparisons)
    with house_style():
        if name == SYSTEMS:
            return _systems(study, summary, comparisons)
        if name == DESIGNS:
            return draw_curves(study, curves(study, summary, comparisons, list(study.datasets)[:MAX_DATASETS]))
        if name in _COMPARING:
            return _tests(decision(name), study, summary, comparisons)
        return _sweep(decision(name), study, summary, comparisons)


def write_figure(figure: Figure, *, svg: str | Path, png: str | Path) -> None:
    """Write a figure as SVG and as PNG (300 dots an inch); the bytes depend on the figure alone."""
    with house_style():
        with atomic(svg) as temporary:
            figure.savefig(temporary, format="svg", metadata={"Date": None, "Creator": None})
        with atomic(png) as temporary:
            figure.savefig(temporary, format="png", dpi=300, metadata={"Software": None})


def caption(name: str, study: Study, summary: pd.DataFrame) -> str:
    """Say what a figure shows and how it is read."""
    return " ".join(filter(None, [_caption(name, study, rows_of(study, summary)), calibrated(study)]))


def _caption(name: str, study: Study, summary: pd.DataFrame) -> str:
    ci = interval_name(study)
    bars = " Bars: sample standard deviation over folds." if summary["spread"].notna().any() else ""
    if name == SYSTEMS:
        text = (
            "Systems under the base design. Lines: the best system's score. "
            f"Bars: {ci} of the difference from the best, drawn from its score; one that reaches the line leaves the order open."
            f"{_descriptive_bars(study, summary)}"
        )
    elif name == DESIGNS:
        return _caption_of_designs(study, summary, ci)
    elif name in _COMPARING:
        text = (
            f"Difference between the two best systems of the base design by {decision(name).name.lower()}. Bars: {ci}; "
            "one that reaches zero leaves the order open."
        )
    else:
        varied = decision(name)
        swept = sweep(varied, in_order(sweep_rows(summary, varied)[varied.column]), base_options(summary)[varied.column])
        band = " Grey band: another system wins on its other side." if swept.is_numeric else ""
        text = (
            f"Scores by {varied.name.lower()}; every other decision as in the base design (its option in bold). "
            f"Filled marker: beats the second best with {p_below(study.alpha)}; all other markers are hollow.{band}{bars}"
        )
    return text + _left_out(study)


@dataclass(frozen=True, slots=True)
class _Place:
    """One panel: its axes, data set, metric, and whether it stands at the left or bottom edge."""

    axes: Axes
    dataset: str
    metric: str
    is_left: bool
    is_bottom: bool


def _caption_of_designs(study: Study, summary: pd.DataFrame, ci: str) -> str:
    text = (
        "Every analysis (a design and a metric) of the two best systems of the base design, by the standardised size of their "
        "difference: the mean of the users' differences over their standard deviation, positive where the first system is better, "
        f"with its {ci}. Below, the choices that make each analysis; the base design's are in bold, its place is dotted. Analyses "
        "with the same numbers are drawn once, with the choices of all of them."
    )
    n_analyses = summary.drop_duplicates([*COLUMNS, "metric"])["metric"].map(ranks_systems).sum()
    crowded = " Where there are many, bars show which share of the analyses at a place takes an option, and the band is an average."
    left_out = f" Shown: the first {MAX_DATASETS} of {len(study.datasets)} data sets." if len(study.datasets) > MAX_DATASETS else ""
    return f"{text}{crowded * bool(n_analyses > MANY)}{left_out}"


def _left_out(study: Study) -> str:
    notes = []
    if len(study.metrics) > _max_metrics(study):
        notes.append(f"the first {_max_metrics(study)} of {len(study.metrics)} metrics")
    if len(study.datasets) > MAX_DATASETS:
        notes.append(f"the first {MAX_DATASETS} of {len(study.datasets)} data sets")
    return f" Shown: {' and '.join(notes)}." if notes else ""


def _descriptive_bars(study: Study, summary: pd.DataFrame) -> str:
    shown = [str(metric) for metric in study.metrics][: _max_metrics(study)]
    if all(map(ranks_systems, shown)) or not summary["spread"].notna().any():
        return ""
    return " By measures that only describe there is no best: bars are the sample standard deviation over folds."


def _grid(
    study: Study, row_height: float, *, head: float, only_ranking: bool = False, varied: str = ""
) -> tuple[Figure, list[_Place]]:
    """Lay out the panels; ``varied`` is the decision along which they are read, whose title says where the metric ignores it."""
    unmoved = set(map(str, ignored(study).get(varied, ())))
    chosen = [str(metric) for metric in study.metrics if not only_ranking or ranks_systems(str(metric))][: _max_metrics(study)]
    panels = [(dataset, metric) for dataset in list(study.datasets)[:MAX_DATASETS] for metric in chosen]
    n_columns = 2 if len(panels) == 4 else min(len(chosen), MAX_METRICS)
    n_rows = math.ceil(len(panels) / n_columns)
    figure = Figure(figsize=(_WIDTH if n_columns > 1 else 4.6, row_height * n_rows + head), layout="constrained")
    FigureCanvasAgg(figure)
    places = []
    for number, (dataset, metric) in enumerate(panels):
        axes = figure.add_subplot(n_rows, n_columns, number + 1)
        title = f"{dataset}, {short(metric)}"
        # Beside others, a long one would run into the next panel's.
        lines = [title] if len(title) <= _LONGEST_TITLE else [dataset, short(metric)]
        axes.set_title("\n".join([*lines, *([f"ignores {varied}"] if metric in unmoved else [])]))
        places.append(_Place(axes, dataset, metric, number % n_columns == 0, number + n_columns >= len(panels)))
    return figure, places


def _max_metrics(study: Study) -> int:
    return MAX_METRICS if len(study.datasets) > 1 else 2 * MAX_METRICS


def _label_rows(place: _Place) -> None:
    """Name the rows at the left edge of the figure only."""
    place.axes.tick_params(labelleft=place.is_left)


def _inks(study: Study) -> dict[str, Ink]:
    return {system: ink(place) for place, system in enumerate(study.systems)}


def _sweep(varied: Decision, study: Study, summary: pd.DataFrame, comparisons: pd.DataFrame) -> Figure:
    rows = sweep_rows(summary, varied)
    swept = sweep(varied, in_order(rows[varied.column]), base_options(summary)[varied.column])
    judged = _judged(varied, swept, rows, sweep_rows(comparisons, varied))
    height = 2.0 if swept.is_numeric else 0.75 + (0.24 + 0.04 * len(study.systems)) * len(swept.options)
    figure, places = _grid(study, height, head=0.15, varied=varied.key)
    has_flips = False
    for place in places:
        found = [judged.get((place.dataset, place.metric, option.text)) for option in swept.options]
        curves = _curves(study, swept, rows, place, found)
        if swept.is_numeric:
            flips = _flips(found, study.alpha)
            has_flips |= bool(flips)
            draw_numeric(place.axes, swept, curves, _inks(study), flips)
            if not place.is_bottom:
                place.axes.set_xlabel("")
        else:
            draw_categories(place.axes, swept, curves, _inks(study), [_remark(verdict, study.alpha) for verdict in found])
            _label_rows(place)
    _legend(figure, study, has_flips=has_flips)
    return figure


def _judged(
    varied: Decision, swept: Sweep, summary: pd.DataFrame, comparisons: pd.DataFrame
) -> dict[tuple[str, str, str], Verdict]:
    base = next(option.text for option in swept.options if option.is_base)
    return {
        (verdict.dataset, verdict.metric, dict(verdict.change).get(varied.key, base)): verdict
        for verdict in verdicts(summary, comparisons)
    }


def _curves(
    study: Study, swept: Sweep, rows: pd.DataFrame, place: _Place, found: Sequence[Verdict | None]
) -> dict[str, list[Point | None]]:
    chosen = records(rows[(rows["dataset"] == place.dataset) & (rows["metric"] == place.metric)])
    known = {(row["system"], row[swept.varied.column]): (row["value"], row["spread"]) for row in chosen}
    curves: dict[str, list[Point | None]] = {}
    for system in study.systems:
        curves[system] = []
        for option, verdict in zip(swept.options, found, strict=True):
            value, spread = known.get((system, option.text), (_NAN, _NAN))
            wins = verdict is not None and verdict.winner == system and verdict.is_won(study.alpha)
            curves[system].append(None if math.isnan(value) else Point(value, spread, wins))
    return curves


def _flips(found: Sequence[Verdict | None], alpha: float) -> list[tuple[int, int]]:
    """Find the neighbouring decided options with different winners that beat each other, p < α on both sides."""
    decided = [(place, verdict) for place, verdict in enumerate(found) if verdict is not None and verdict.is_won(alpha)]
    flips = []
    for (before, left), (after, right) in pairwise(decided):
        there, back = left.duels.get((left.winner, right.winner)), right.duels.get((right.winner, left.winner))
        if left.winner != right.winner and there and back and there.is_won(alpha) and back.is_won(alpha):
            flips.append((before, after))
    return flips


def _remark(verdict: Verdict | None, alpha: float) -> str:
    if verdict is None:
        return ""
    if verdict.tied:
        return "tie"
    claim = p_claim(verdict.first.p_value)
    return f"{in_lines(verdict.winner, 18, 2)}\n{claim}" if verdict.is_won(alpha) else f"undecided\n{claim}"


def _legend(figure: Figure, study: Study, *, has_flips: bool) -> None:
    handles: list[Line2D | Patch] = [
        Line2D(
            [],
            [],
            color=style.colour,
            linestyle=style.line,
            marker=style.marker,
            markerfacecolor=PAPER,
            label=in_lines(system),
            markersize=5,
        )
        for system, style in _inks(study).items()
    ]
    handles.append(
        Line2D([], [], color=SOFT, linestyle="none", marker="o", markersize=5, label=f"filled: wins, {p_below(study.alpha)}")
    )
    if has_flips:
        handles.append(Patch(facecolor=BAND, edgecolor=SOFT, linewidth=0.5, label="winner changes"))
    for n_columns in (len(handles), *range(min(len(handles) - 1, _LEGEND_COLUMNS), 0, -1)):
        # A legend is filled column by column; this order reads row by row.
        by_row = [handle for column in range(n_columns) for handle in handles[column::n_columns]]
        legend = figure.legend(handles=by_row, loc="outside upper left", ncols=n_columns, handlelength=2.6, columnspacing=1.4)
        size = legend.get_window_extent()
        if size.width <= 0.98 * figure.bbox.width or n_columns == 1:
            break
        legend.remove()
    # The panels keep their height, however many rows there are to read.
    figure.set_figheight(figure.get_figheight() + size.height / figure.dpi)


def _systems(study: Study, summary: pd.DataFrame, comparisons: pd.DataFrame) -> Figure:
    judged = {(v.dataset, v.metric): v for v in verdicts(summary, comparisons) if not v.change}
    base = summary[summary["is_base"]]
    figure, places = _grid(study, 0.75 + 0.3 * len(study.systems), head=0.1)
    for place in places:
        rows = records(base[(base["dataset"] == place.dataset) & (base["metric"] == place.metric)])
        verdict = judged.get((place.dataset, place.metric))
        drawn = [_beside_best(row, verdict, place.metric, _inks(study)) for row in rows if not math.isnan(row["value"])]
        draw_intervals(place.axes, drawn, verdict.scores[verdict.winner] if verdict else _NAN)
        _label_rows(place)
    return figure


def _beside_best(row: Mapping[str, object], verdict: Verdict | None, metric: str, inks: Mapping[str, Ink]) -> Interval:
    system, value, spread = str(row["system"]), float(str(row["value"])), float(str(row["spread"]))
    duel = verdict.duels.get((system, verdict.winner)) if verdict else None
    if verdict and duel:
        best, sign = verdict.scores[verdict.winner], improvement(metric)
        ends = sorted((best + sign * duel.low, best + sign * duel.high))
        return Interval(system, value, ends[0], ends[1], p_claim(duel.p_value), inks[system])
    remark = "best" if verdict and verdict.winner == system else ""
    low, high = (value - spread, value + spread) if verdict is None else (_NAN, _NAN)
    return Interval(system, value, low, high, remark, inks[system])


def _tests(varied: Decision, study: Study, summary: pd.DataFrame, comparisons: pd.DataFrame) -> Figure:
    rows = sweep_rows(summary, varied)
    swept = sweep(varied, in_order(rows[varied.column]), base_options(summary)[varied.column])
    judged = _judged(varied, swept, rows, sweep_rows(comparisons, varied))
    base = next(option.text for option in swept.options if option.is_base)
    figure, places = _grid(study, 0.75 + 0.34 * len(swept.options), head=0.1, only_ranking=True, varied=varied.key)
    for place in places:
        first = judged.get((place.dataset, place.metric, base))
        drawn = []
        for option in swept.options:
            verdict = judged.get((place.dataset, place.metric, option.text))
            duel = verdict.duels.get((first.first.ahead, first.first.behind)) if verdict and first else None
            if duel:
                drawn.append(Interval(option.label, duel.margin, duel.low, duel.high, p_claim(duel.p_value), ink(0)))
        draw_intervals(place.axes, drawn, 0.0)
        _label_rows(place)
        if first:
            place.axes.set_xlabel(in_lines(f"{first.first.ahead} over {first.first.behind}", 40))
    return figure
