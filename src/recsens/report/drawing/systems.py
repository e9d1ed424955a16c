"""The figure of a study that varies nothing: systems side by side."""

import math
from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from recsens.conclusions.verdicts.best import Standings, base_standings
from recsens.conclusions.verdicts.metric_names import direction, ranks_systems
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.results import records
from recsens.report.drawing.grid import grid, left_out, max_metrics
from recsens.report.drawing.ink import Ink, inks
from recsens.report.drawing.panels import Interval, draw_intervals
from recsens.report.sentences.evidence import interval_name
from recsens.study import Experiment
from recsens.tables.numbers import p_claim

_NAN = float("nan")


def draw_systems(summary: pd.DataFrame, verdicts: PairVerdicts) -> Figure:
    """Draw each system's score under the base design, with the interval of its difference from the best one."""
    study = verdicts.part
    known = {(each.dataset, each.metric): each for each in base_standings(verdicts, summary)}
    base = summary[summary["is_base"]]
    figure, panels = grid(study, 0.75 + 0.3 * len(study.systems), head=0.1)
    for panel in panels:
        rows = records(base[(base["dataset"] == panel.dataset) & (base["metric_full"] == panel.metric)])
        standings = known.get((panel.dataset, panel.metric))
        intervals = [
            _beside_best(row, standings, panel.metric, inks(study.systems)) for row in rows if not math.isnan(row["value"])
        ]
        draw_intervals(panel.axes, intervals, standings.scores[standings.leader] if standings else _NAN)
        panel.label_rows()
    return figure


def caption_of_systems(study: Experiment, summary: pd.DataFrame) -> str:
    """Say how to read the figure."""
    return (
        "Systems under the base design. The line marks the best system's score. "
        f"Bars: {interval_name(study)} of the difference from the best, drawn from its score; a bar that reaches the line leaves "
        f"the order open.{_descriptive_bars(study, summary)}{left_out(study)}"
    )


def _beside_best(row: Mapping[str, object], standings: Standings | None, metric: str, styles: Mapping[str, Ink]) -> Interval:
    system, value, spread = str(row["system"]), float(str(row["value"])), float(str(row["spread"]))
    duel = standings.duels.get((system, standings.leader)) if standings else None
    if standings and duel:
        best, sign = standings.scores[standings.leader], direction(metric)
        ends = sorted((best + sign * duel.low, best + sign * duel.high))
        return Interval(system, value, ends[0], ends[1], p_claim(duel.p_value), styles[system])
    remark = "best" if standings and standings.leader == system else ""
    low, high = (value - spread, value + spread) if standings is None else (_NAN, _NAN)
    return Interval(system, value, low, high, remark, styles[system])


def _descriptive_bars(study: Experiment, summary: pd.DataFrame) -> str:
    metrics = [str(metric) for metric in study.metrics][: max_metrics(study)]
    if all(map(ranks_systems, metrics)) or not summary["spread"].notna().any():
        return ""
    return " Measures that only describe have no best system: their bars are the sample standard deviation over folds."
