"""The difference between the two best systems of the base design against the options of one decision."""

import pandas as pd
from matplotlib.figure import Figure

from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.report.drawing.by_option import StandingsByOption
from recsens.report.drawing.grid import grid, left_out
from recsens.report.drawing.ink import ink
from recsens.report.drawing.panels import Interval, draw_intervals, in_lines
from recsens.report.sentences.evidence import interval_name
from recsens.study import Experiment
from recsens.study.taxonomy import Decision
from recsens.tables.numbers import p_claim


def draw_differences(varied: Decision, summary: pd.DataFrame, verdicts: PairVerdicts) -> Figure:
    """Draw the difference and its interval under each option of a decision that leaves the scores alone."""
    by_option = StandingsByOption.of(varied, summary, verdicts)
    options = by_option.sweep.options
    figure, panels = grid(verdicts.part, 0.75 + 0.34 * len(options), head=0.1, only_ranking=True, varied=varied.key)
    for panel in panels:
        listed = by_option.on(panel.dataset, panel.metric)
        base = next(standings for option, standings in zip(options, listed, strict=True) if option.is_base)
        intervals = []
        for option, standings in zip(options, listed, strict=True):
            duel = standings.duels.get((base.top.first, base.top.second)) if standings and base else None
            if duel:
                intervals.append(Interval(option.text, duel.difference, duel.low, duel.high, p_claim(duel.p_value), ink(0)))
        draw_intervals(panel.axes, intervals, 0.0)
        panel.label_rows()
        if base:
            panel.axes.set_xlabel(in_lines(f"{base.top.first} over {base.top.second}", 40))
    return figure


def caption_of_differences(varied: Decision, study: Experiment) -> str:
    """Say how to read the figure."""
    return (
        f"Difference between the two best systems of the base design by {varied.name.lower()}. Bars: {interval_name(study)}; "
        f"a bar that reaches zero leaves the order open.{left_out(study)}"
    )
