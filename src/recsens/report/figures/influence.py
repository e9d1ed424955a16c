"""Bars that show how much each decision matters when systems are compared."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import Field

from recsens.conclusions.verdicts.influence import influences
from recsens.errors import SpecError
from recsens.report.figure_style import SOFT
from recsens.report.figures._base import COLUMNS, Drawing, FigureData
from recsens.report.figures._canvas import Columns, label_edges, panels, row_height
from recsens.report.figures._fitting import breakable, in_lines, settle
from recsens.report.figures._pairs import MOST_PANELS, refuse_single_analysis, titled
from recsens.study import Experiment

_AXES = {"share": "share of the variance of d_z", "flip_rate": "share of verdicts that differ"}


class Influence(Drawing):
    """How much each varied decision matters for the comparison of a pair of systems, one panel per pair.

    ``show=share`` divides the variance of the effect size, over a full grid of analyses, into shares that add up to 1: one for each
    decision alone, one for all interactions of two decisions, and one for all interactions of three or more. ``show=flip_rate``
    shows, for each decision, how often verdicts differ among pairs of analyses that differ only in this decision. The metric counts
    as a decision. The first twelve pairs are shown.
    """

    source = "Hoeffding (1948), section 4, on shares"

    show: Literal["share", "flip_rate"] = Field("flip_rate", description="shares of variance, or shares of verdicts that differ")
    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse an experiment without pairs or variations; refuse shares unless all combinations are run."""
        refuse_single_analysis(experiment)
        if self.show == "share" and experiment.combine != "grid" and len(experiment.vary) > 1:
            raise SpecError("shares of variance need every combination of the options", allowed="combine: grid, or show=flip_rate")

    def heading(self, experiment: Experiment) -> str:
        """Return the title."""
        return "Which decision matters"

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        what = (
            "Share of the variance of d_z, over all analyses, that each decision explains alone and that decisions explain together"
            if self.show == "share"
            else "Of the pairs of analyses that differ only in one decision, the share with different verdicts, for each decision"
        )
        n = len(experiment.pairs()) * len(experiment.datasets)
        return f"{what}.{f' Only the first {MOST_PANELS} of {n} pairs of systems are shown.' if n > MOST_PANELS else ''}"

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each pair of systems."""
        by_pair: dict[str, list[Mapping[str, Any]]] = {}
        for line in influences(data.verdicts):
            title = titled(data.experiment, line["dataset"], f"{line['system_a']} and {line['system_b']}")
            by_pair.setdefault(title, []).append(line)
        bars = {in_lines(breakable(pair)): self._bars(lines) for pair, lines in list(by_pair.items())[:MOST_PANELS]}
        labels = list(next(iter(bars.values()))[0])
        height = 0.9 + row_height(labels) * len(labels)
        figure, listed = panels(list(bars), self.columns, height, most=2)
        for axes, (names, values) in zip(listed, bars.values(), strict=True):
            _draw(axes, names, values)
        label_edges(listed, _AXES[self.show], "", has_rows=True)
        settle(figure)
        return figure

    def _bars(self, lines: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[float]]:
        """Return the decisions and their numbers; interactions of two decisions are merged."""
        alone = [line for line in lines if "compared" in line]
        shares = {in_lines(f"{line['code']} {line['decision']}"): float(line[self.show]) for line in alone}
        if self.show == "share":
            pairs = [line["share"] for line in lines if "together_with" in line]
            shares |= {"two together": math.fsum(pairs)} if pairs else {}
            shares |= {line["decision"]: line["share"] for line in lines if not line["code"]}
        return list(shares), list(shares.values())


def _draw(axes: Axes, names: Sequence[str], values: Sequence[float]) -> None:
    places = range(len(names))
    axes.barh(places, [0 if math.isnan(value) else value for value in values], color=SOFT, height=0.6)
    axes.set_yticks(places, names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(0, 1)
