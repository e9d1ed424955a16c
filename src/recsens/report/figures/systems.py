"""Systems side by side under the base design."""

import math
from collections.abc import Mapping
from typing import Any

from recsens.conclusions.verdicts.best import Standings, base_standings
from recsens.conclusions.verdicts.components import direction, folds_in_words, ranks_systems
from recsens.conclusions.verdicts.study_tables import records
from recsens.report.figure_style import Ink, inks
from recsens.report.figures._base import FigureData, Titled
from recsens.report.figures._canvas import grid, label_edges, left_out_note, max_metrics
from recsens.report.figures._fitting import fit_text
from recsens.report.figures._intervals import Interval, draw_intervals
from recsens.report.lazy_matplotlib import Figure
from recsens.report.sentences.evidence import interval_name
from recsens.study import Experiment
from recsens.tables.numbers import p_claim


class Systems(Titled):
    """Each system's score under the base design, with the interval of its difference from the best system.

    This is the usual figure for a study that varies nothing.
    """

    title = "Systems side by side"

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        n_metrics = max_metrics(experiment)
        describes = not all(ranks_systems(str(metric)) for metric in experiment.metrics[:n_metrics])
        folds = folds_in_words([(str(experiment.design.split), str(experiment.design.repeats), str(experiment.design.fits))])
        bars = (
            " For metrics that only describe rankings, neither direction is better and no system is best, so their "
            f"bars show the sample standard deviation over {folds}."
        )
        return (
            "Systems under the base design. The line marks the best system's score. "
            f"Bars show the {interval_name(experiment)} of each system's difference from the best system, added to the best "
            "system's score; if a system's bar reaches the line, the order of this system and the best system is "
            f"undecided.{bars * (describes and bool(folds))}{left_out_note(experiment, n_metrics)}"
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each data set and metric."""
        experiment, summary = data.experiment, data.summary
        by_metric = {(each.dataset, each.metric): each for each in base_standings(data.verdicts, summary)}
        base = summary[summary["is_base"] & summary["value"].notna()]
        figure, panels = grid(experiment, 0.75 + 0.3 * len(experiment.systems), 0.1)
        for (dataset, metric), axes in panels.items():
            rows = records(base[(base["dataset"] == dataset) & (base["metric_full"] == metric)])
            standings = by_metric.get((dataset, metric))
            intervals = [_beside_best(row, standings, metric, inks(experiment.systems)) for row in rows]
            draw_intervals(axes, intervals, standings.scores[standings.leader] if standings else math.nan)
        label_edges(list(panels.values()), "", "", has_rows=True)
        return fit_text(figure)


def _beside_best(row: Mapping[str, Any], standings: Standings | None, metric: str, styles: Mapping[str, Ink]) -> Interval:
    system, value, spread = row["system"], row["value"], row["spread"]
    if standings is None:
        return Interval(system, value, value - spread, value + spread, "", styles[system])
    duel = standings.duels.get((system, standings.leader))
    if duel is None:
        remark = "best" if standings.leader == system else ""
        return Interval(system, value, math.nan, math.nan, remark, styles[system])
    best, sign = standings.scores[standings.leader], direction(metric)
    low, high = sorted((best + sign * duel.low, best + sign * duel.high))
    return Interval(system, value, low, high, p_claim(duel.p_value), styles[system])
