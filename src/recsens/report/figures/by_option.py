"""Systems compared under each option of one varied decision.

scores_by_option: Scores against one decision's options.
differences_by_option: The difference between the two best systems under the base design, against the options of one decision.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pandas as pd
from pydantic import Field

from recsens.conclusions.design_space import DesignSpace, Sweep, planned_options, planned_sweep
from recsens.conclusions.verdicts.best import Standings, standings
from recsens.conclusions.verdicts.components import folds_in_words
from recsens.conclusions.verdicts.study_tables import records
from recsens.errors import SpecError, nearest
from recsens.report.figure_style import BAND, PAPER, SOFT, Ink, ink, inks, set_scores
from recsens.report.figures._base import Drawing, FigureData
from recsens.report.figures._canvas import grid, label_edges, left_out_note, max_metrics
from recsens.report.figures._fitting import add_legend, fit_text, in_lines
from recsens.report.figures._intervals import Interval, draw_intervals, mark_style, set_remarked_rows
from recsens.report.figures._series import mark_offset, scale_numbers
from recsens.report.lazy_matplotlib import Axes, Figure, Line2D, Patch
from recsens.report.sentences.evidence import interval_name
from recsens.report.sentences.options import folds_of_options
from recsens.study import Decisions, Experiment
from recsens.study.taxonomy import DESIGN, Decision, decision
from recsens.tables.numbers import p_below, p_claim, tick


class OfDecision(Drawing):
    """A figure about one decision's options."""

    varied: str = Field("split", description="the varied decision that is shown; all other decisions are as in the base design")

    def check(self, experiment: Experiment) -> None:
        """Refuse a decision that the experiment does not vary."""
        varied = [each.key for each in DESIGN if len(planned_options(experiment, each)) > 1]
        if self.varied not in varied:
            raise SpecError(
                f"varied: the study does not vary '{self.varied}'{nearest(self.varied, varied)}",
                allowed=", ".join(varied) or "none: the study varies nothing; add a decision to 'vary'",
            )

    def heading(self, experiment: Experiment) -> str:
        """Name the decision."""
        return f"By {self.decision.name.lower()}"

    @property
    def decision(self) -> Decision:
        """The decision whose options the figure compares."""
        return decision(self.varied)

    def designs(self, experiment: Experiment) -> list[Decisions]:
        """List the designs to show: the base design, and designs that differ from it only in this decision."""
        others = [key for key in Decisions.model_fields if key != self.varied]
        base = [getattr(experiment.design, key) for key in others]
        return [design for design in experiment.designs() if [getattr(design, key) for key in others] == base]

    def options(self, data: FigureData) -> Sweep:
        """Return the decision's options in order."""
        return DesignSpace(data.summary).along(self.decision).sweep(self.decision)

    def rows(self, data: FigureData) -> pd.DataFrame:
        """Return the summary rows that are shown."""
        return DesignSpace(data.summary).along(self.decision).rows

    def standings(self, data: FigureData, swept: Sweep) -> dict[tuple[str, str], list[Standings | None]]:
        """List the standings under each option, by data set and metric; None for an option without standings."""
        listed = standings(self.rows(data), data.verdicts.space.along(self.decision).rows)
        base = next(option.text for option in swept.options if option.is_base)
        by_option = {(one.dataset, one.metric, dict(one.change).get(self.varied, base)): one for one in listed}
        return {
            (dataset, str(metric)): [by_option.get((dataset, str(metric), option.text)) for option in swept.options]
            for dataset in data.experiment.datasets
            for metric in data.experiment.metrics
        }


@dataclass(frozen=True, slots=True)
class _Point:
    """One system under one option: its score, the spread over folds (NaN if unknown), and whether it beats the other systems."""

    value: float
    spread: float
    wins: bool


_Curves = Mapping[str, Sequence[_Point | None]]
"""Each system's points, option by option."""


class ScoresByOption(OfDecision):
    """Each system's score under every option of a decision: lines over numbers, otherwise dots; filled marks are winners.

    This is the usual figure for a decision that changes the scores. There are lines if the options differ only in one numeric
    parameter.
    """

    label = "scores_by_option"

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        designs = self.designs(experiment)
        swept = planned_sweep(experiment, self.decision)
        folds = folds_in_words((str(design.split), str(design.repeats), str(design.fits)) for design in designs)
        band = " A grey band separates options with different winners." if swept.is_numeric else ""
        bars = f" Bars show the sample standard deviation over {folds}." if folds else ""
        return (
            f"Scores by {self.decision.name.lower()}; all other decisions are as in the base design. "
            "The base design's option is in bold. "
            f"A filled marker shows that the best system beats the second best with {p_below(experiment.alpha)}; all other markers "
            f"are hollow.{band}{bars}{left_out_note(experiment, max_metrics(experiment))}"
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each data set and metric."""
        swept, styles = self.options(data), inks(data.experiment.systems)
        by_panel = self.standings(data, swept)
        height = 2.0 if swept.is_numeric else 0.75 + (0.24 + 0.04 * len(styles)) * len(swept.options)
        figure, panels = grid(data.experiment, height, 0.15, varied=self.varied)
        has_changes = False
        for panel, axes in panels.items():
            curves = self._curves(data, swept, panel, by_panel[panel])
            if swept.is_numeric:
                changes = _winner_changes(by_panel[panel])
                has_changes |= bool(changes)
                _draw_numeric(axes, swept, curves, styles, changes)
            else:
                folds = folds_of_options(swept, data.experiment)
                labels = [f"{option.text}{folds[option.text]}" for option in swept.options]
                _draw_categories(axes, swept, labels, curves, styles, list(map(_leader_remark, by_panel[panel])))
        along = swept.titled(swept.varied.name.lower()) if swept.is_numeric else ""
        label_edges(list(panels.values()), along, "", has_rows=not swept.is_numeric)
        _add_legend(figure, styles, p_below(data.experiment.alpha), has_changes=has_changes)
        return fit_text(figure)

    def _curves(
        self, data: FigureData, swept: Sweep, panel: tuple[str, str], listed: Sequence[Standings | None]
    ) -> dict[str, list[_Point | None]]:
        rows = self.rows(data)
        chosen = records(rows[(rows["dataset"] == panel[0]) & (rows["metric_full"] == panel[1]) & rows["value"].notna()])
        values = {(row["system"], row[self.decision.column]): (row["value"], row["spread"]) for row in chosen}
        curves: dict[str, list[_Point | None]] = {system: [] for system in data.experiment.systems}
        for option, order in zip(swept.options, listed, strict=True):
            best = order.leader if order is not None and order.is_decided else ""
            for system, points in curves.items():
                value = values.get((system, option.text))
                points.append(None if value is None else _Point(*value, wins=system == best))
        return curves


def _winner_changes(listed: Sequence[Standings | None]) -> list[tuple[int, int]]:
    """Find neighbouring options with different winners, if each winner beats the other one under its own option."""
    decided = [(index, standings) for index, standings in enumerate(listed) if standings is not None and standings.is_decided]
    changes = []
    for (before, left), (after, right) in pairwise(decided):
        there, back = left.duels.get((left.leader, right.leader)), right.duels.get((right.leader, left.leader))
        if left.leader != right.leader and there and back and there.is_won and back.is_won:
            changes.append((before, after))
    return changes


def _draw_numeric(axes: Axes, swept: Sweep, curves: _Curves, styles: Mapping[str, Ink], changes: Sequence[tuple[int, int]]) -> None:
    """Draw a line for each system over the options' numbers, and a band between options with different winners."""
    numbers = [option.number or 0.0 for option in swept.options]
    is_base = [option.is_base for option in swept.options]
    is_log = scale_numbers(axes, numbers)
    kept = _ticks_with_room([math.log(number) if is_log else number for number in numbers], list(map(tick, numbers)), is_base)
    axes.set_xticks([numbers[index] for index in kept], [tick(numbers[index]) for index in kept])
    for label, index in zip(axes.get_xticklabels(), kept, strict=True):
        label.set_fontweight("bold" if is_base[index] else "normal")
    for before, after in changes:
        axes.axvspan(numbers[before], numbers[after], color=BAND, linewidth=0, zorder=0)
    for system, points in curves.items():
        _draw_points(axes, numbers, points, styles[system], is_upright=True)
    set_scores(axes)


def _draw_categories(
    axes: Axes, swept: Sweep, labels: Sequence[str], curves: _Curves, styles: Mapping[str, Ink], remarks: Sequence[str]
) -> None:
    """Draw a row for each option, the base design's option on top, with a dot for each system and a remark at the margin."""
    set_remarked_rows(axes, labels, remarks)
    for label, option in zip(axes.get_yticklabels(), swept.options, strict=True):
        label.set_fontweight("bold" if option.is_base else "normal")
    for nth, (system, points) in enumerate(curves.items()):
        step = mark_offset(nth, len(curves))
        _draw_points(axes, [row + step for row in range(len(points))], points, styles[system], is_upright=False)


def _draw_points(axes: Axes, places: Sequence[float], points: Sequence[_Point | None], style: Ink, *, is_upright: bool) -> None:
    """Draw a system's line, and its points with their spreads; if ``is_upright``, values are on the vertical axis."""
    drawn = [(place, point) for place, point in zip(places, points, strict=True) if point is not None]

    def turned(across: Any, up: Any) -> tuple[Any, Any]:
        return (across, up) if is_upright else (up, across)

    axes.plot(*turned([place for place, _ in drawn], [point.value for _, point in drawn]), **style.stroke, linewidth=1.3, zorder=2)
    for place, point in drawn:
        if not math.isnan(point.spread):
            x_spread, y_spread = turned(None, point.spread)
            look: dict[str, Any] = {"color": style.colour, "linewidth": 0.9, "capsize": 1.8, "zorder": 2}
            axes.errorbar(*turned(place, point.value), xerr=x_spread, yerr=y_spread, **look)
        axes.plot(*turned([place], [point.value]), **mark_style(style, filled=point.wins))


def _ticks_with_room(positions: Sequence[float], labels: Sequence[str], is_base: Sequence[bool]) -> list[int]:
    """Choose ticks with labels that do not overlap; positions are ascending, and the base design's option always has a tick."""
    span = (positions[-1] - positions[0]) or 1.0
    chosen: list[int] = [index for index, base in enumerate(is_base) if base]
    for index in range(len(positions)):
        width = 0.022 * len(labels[index]) + 0.03
        if all(abs(positions[index] - positions[other]) / span >= width for other in chosen):
            chosen.append(index)
    return sorted(chosen)


def _leader_remark(standings: Standings | None) -> str:
    if standings is None:
        return ""
    if standings.tied:
        return "tie"
    claim = p_claim(standings.top.p_value)
    return f"{in_lines(standings.leader, 18, 2)}\n{claim}" if standings.is_decided else f"undecided\n{claim}"


def _add_legend(figure: Figure, styles: Mapping[str, Ink], below: str, *, has_changes: bool) -> None:
    handles: list[Line2D | Patch] = []
    for system, style in styles.items():
        look: dict[str, Any] = {"color": style.colour, "marker": style.marker, "markerfacecolor": PAPER, "markersize": 5}
        handles.append(Line2D([], [], linestyle=style.line, label=in_lines(system), **look))
    handles.append(Line2D([], [], color=SOFT, linestyle="none", marker="o", markersize=5, label=f"filled: wins, {below}"))
    if has_changes:
        handles.append(Patch(facecolor=BAND, edgecolor=SOFT, linewidth=0.5, label="winner changes"))
    add_legend(figure, handles)


class DifferenceByOption(OfDecision):
    """Difference between the two best systems under the base design, with its interval, under each option of a decision.

    This is the usual figure for a decision that does not change the scores: the test, or the correction for several tests.
    """

    label = "differences_by_option"

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        return (
            f"Difference, by {self.decision.name.lower()}, between the two systems that are best under the base design. Bars show "
            f"the {interval_name(experiment)}; if a bar reaches zero, the order of the two systems is undecided."
            f"{left_out_note(experiment, max_metrics(experiment))}"
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each data set and metric."""
        swept = self.options(data)
        by_panel = self.standings(data, swept)
        figure, panels = grid(data.experiment, 0.75 + 0.34 * len(swept.options), 0.1, only_ranking=True, varied=self.varied)
        label_edges(list(panels.values()), "", "", has_rows=True)
        for panel, axes in panels.items():
            listed = {option.text: standings for option, standings in zip(swept.options, by_panel[panel], strict=True)}
            base = next(listed[option.text] for option in swept.options if option.is_base)
            intervals = [_interval(text, standings, base) for text, standings in listed.items()]
            draw_intervals(axes, [each for each in intervals if each], 0.0)
            if base:
                axes.set_xlabel(in_lines(f"{base.top.first} over {base.top.second}", 40))
        return fit_text(figure)


def _interval(option: str, standings: Standings | None, base: Standings | None) -> Interval | None:
    duel = standings.duels.get((base.top.first, base.top.second)) if standings and base else None
    return Interval(option, duel.difference, duel.low, duel.high, p_claim(duel.p_value), ink(0)) if duel else None
