"""The effect of a pair of systems on each data set, and what data sets say together."""

import numpy as np

from recsens.conclusions.verdicts.over_datasets import OverDatasets, Pair
from recsens.errors import SpecError
from recsens.report.figure_style import SOFT, ink
from recsens.report.figures._base import COLUMNS, MOST_PANELS, FigureData, Titled
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._fitting import fit_text
from recsens.report.figures._intervals import Interval, draw_intervals
from recsens.report.lazy_matplotlib import Axes, Figure, MaxNLocator, ValueTicks
from recsens.study import Experiment
from recsens.tables.numbers import SPACE, tick, whole_percentage

_ALONG = {
    "relative": "first system's value beside the second's",
    "difference": "first system's value minus the second's",
    "standardised": "mean difference in standard deviations",
}


_PERCENTAGES = (
    *(100.0, -50.0, 10.0, -10.0, 50.0, 1000.0, -90.0, 25.0, -25.0, 5.0, -5.0, 200.0, -75.0, 500.0, -95.0, 2.0, -2.0, 1.0, -1.0),
    *(-99.0, 10_000.0, 0.5, -0.5, 0.2, -0.2, 0.1, -0.1),
)
"""Percentages that an axis may mark, those that it prefers first."""


class Forest(Titled):
    """The effect of each pair on every data set, with its interval over users, and below them what data sets say together.

    The three lowest rows are the mean over these data sets, the mean over data sets like these, and the interval for a new data
    set. The first twelve pairs are shown.
    """

    title = "Effects on each data set, and over data sets"
    source = "Lewis & Clarke (2001), Forest plots: trying to see the wood and the trees"
    needs = frozenset({"over_datasets"})

    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse an experiment that does not combine data sets."""
        if not experiment.families:
            raise SpecError("the study does not combine data sets", remedy="give it three data sets, or write 'over_datasets: {}'")

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        n = len(experiment.pairs())
        most = f" The first {MOST_PANELS} of {n} pairs are shown." if n > MOST_PANELS else ""
        return (
            f"Effects with intervals of level {whole_percentage(1 - experiment.alpha)}. Above the dotted line: on one data "
            "set, for other users. Below it: over these data sets, for other users; on average over data sets like these; and, "
            f"without a mark, for a new data set. Each family of data sets counts once.{most}"
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each pair."""
        over = OverDatasets(data.experiment, data.results)
        pairs = list(over.base)[:MOST_PANELS]
        titles = [" and ".join(pair) for pair in pairs]
        n_rows = sum(map(len, data.experiment.families.values())) + 3
        figure, listed = panels(titles or ["Nothing is combined under the base design"], self.columns, 0.8 + 0.19 * n_rows, most=2)
        for axes, pair in zip(listed, pairs, strict=False):
            _draw_pair(axes, over, pair)
        label_edges(listed, _ALONG[data.experiment.scale], "", has_rows=True)
        return fit_text(figure)


def _draw_pair(axes: Axes, over: OverDatasets, pair: Pair) -> None:
    row, rows = over.base[pair], over.effects.get(pair, [])
    spread = [(each["dataset"], each["effect"], each["low"], each["high"]) for each in rows]
    together = [
        ("these", row["these"], row["these_low"], row["these_high"]),
        ("like these", row["alike"], row["alike_low"], row["alike_high"]),
    ]
    own = [Interval(label, value, low, high, "", ink(0)) for label, value, low, high in spread]
    below = [Interval(label, value, low, high, "", ink(1)) for label, value, low, high in together]
    new = Interval("a new one", float("nan"), row["new_low"], row["new_high"], "", ink(1))
    draw_intervals(axes, [*own, *below, new], 0.0)
    axes.axhline(len(own) - 0.5, color=SOFT, linewidth=0.6, linestyle=":")
    if row["scale"] == "relative":
        _set_percentages(axes)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.xaxis.set_major_formatter(ValueTicks())


def _set_percentages(axes: Axes) -> None:
    """Mark zero and round percentages to both sides of it, as far apart as their labels need."""
    low, high = axes.get_xlim()
    shown = [0.0]
    for percentage in _PERCENTAGES:
        at = np.log1p(percentage / 100)
        if low <= at <= high and min(abs(at - np.log1p(other / 100)) for other in shown) >= 0.18 * (high - low):
            shown.append(percentage)
    axes.set_xticks([float(np.log1p(each / 100)) for each in shown], [f"{tick(each)}{SPACE}%" for each in shown])
