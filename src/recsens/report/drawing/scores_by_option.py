"""Scores against the options of one decision."""

import math
from collections.abc import Sequence
from itertools import pairwise

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from recsens.conclusions.verdicts.best import Standings
from recsens.conclusions.verdicts.changes import base_options, sweep_rows
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.results import in_order, records
from recsens.conclusions.verdicts.sweep import sweep
from recsens.report.drawing.by_option import StandingsByOption
from recsens.report.drawing.grid import GridPanel, grid, left_out
from recsens.report.drawing.ink import BAND, PAPER, SOFT, inks
from recsens.report.drawing.legend import add_legend
from recsens.report.drawing.panels import Point, draw_categories, draw_numeric, in_lines
from recsens.study import Experiment
from recsens.study.taxonomy import Decision
from recsens.tables.numbers import p_below, p_claim

_NAN = float("nan")


def draw_scores(varied: Decision, summary: pd.DataFrame, verdicts: PairVerdicts) -> Figure:
    """Draw each system's score under every option: lines over a number, else dots; filled where it beats the second best."""
    study = verdicts.part
    by_option = StandingsByOption.of(varied, summary, verdicts)
    swept = by_option.sweep
    height = 2.0 if swept.is_numeric else 0.75 + (0.24 + 0.04 * len(study.systems)) * len(swept.options)
    figure, panels = grid(study, height, head=0.15, varied=varied.key)
    has_flips = False
    for panel in panels:
        listed = by_option.on(panel.dataset, panel.metric)
        curves = _curves(study, by_option, panel, listed)
        if swept.is_numeric:
            flips = _flips(listed)
            has_flips |= bool(flips)
            draw_numeric(panel.axes, swept, curves, inks(study.systems), flips)
            if not panel.is_bottom:
                panel.axes.set_xlabel("")
        else:
            draw_categories(panel.axes, swept, curves, inks(study.systems), list(map(_remark, listed)))
            panel.label_rows()
    _legend(figure, study, has_flips=has_flips)
    return figure


def caption_of_scores(varied: Decision, study: Experiment, summary: pd.DataFrame) -> str:
    """Say how to read the figure."""
    swept = sweep(varied, in_order(sweep_rows(summary, varied)[varied.column]), base_options(summary)[varied.column])
    band = " Grey band: the winner changes between its two sides." if swept.is_numeric else ""
    bars = " Bars: sample standard deviation over folds." if summary["spread"].notna().any() else ""
    return (
        f"Scores by {varied.name.lower()}; every other decision is the base design's, whose own option is in bold. "
        f"Filled marker: the best system, which beats the second best with {p_below(study.alpha)}; all other markers are hollow."
        f"{band}{bars}{left_out(study)}"
    )


def _curves(
    study: Experiment, by_option: StandingsByOption, panel: GridPanel, listed: Sequence[Standings | None]
) -> dict[str, list[Point | None]]:
    rows, swept = by_option.summary, by_option.sweep
    chosen = records(rows[(rows["dataset"] == panel.dataset) & (rows["metric_full"] == panel.metric)])
    known = {(row["system"], row[swept.varied.column]): (row["value"], row["spread"]) for row in chosen}
    curves: dict[str, list[Point | None]] = {}
    for system in study.systems:
        curves[system] = []
        for option, standings in zip(swept.options, listed, strict=True):
            value, spread = known.get((system, option.text), (_NAN, _NAN))
            wins = standings is not None and standings.leader == system and standings.is_decided
            curves[system].append(None if math.isnan(value) else Point(value, spread, wins))
    return curves


def _flips(listed: Sequence[Standings | None]) -> list[tuple[int, int]]:
    """Find the neighbouring decided options whose leaders differ, each beating the other on its own side."""
    decided = [(index, standings) for index, standings in enumerate(listed) if standings is not None and standings.is_decided]
    flips = []
    for (before, left), (after, right) in pairwise(decided):
        there, back = left.duels.get((left.leader, right.leader)), right.duels.get((right.leader, left.leader))
        if left.leader != right.leader and there and back and there.is_won and back.is_won:
            flips.append((before, after))
    return flips


def _remark(standings: Standings | None) -> str:
    if standings is None:
        return ""
    if standings.tied:
        return "tie"
    claim = p_claim(standings.top.p_value)
    return f"{in_lines(standings.leader, 18, 2)}\n{claim}" if standings.is_decided else f"undecided\n{claim}"


def _legend(figure: Figure, study: Experiment, *, has_flips: bool) -> None:
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
        for system, style in inks(study.systems).items()
    ]
    handles.append(
        Line2D([], [], color=SOFT, linestyle="none", marker="o", markersize=5, label=f"filled: wins, {p_below(study.alpha)}")
    )
    if has_flips:
        handles.append(Patch(facecolor=BAND, edgecolor=SOFT, linewidth=0.5, label="winner changes"))
    add_legend(figure, handles)
