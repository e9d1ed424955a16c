"""Bars that show how many decisions must change for the other system to win."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from recsens.conclusions.verdicts.pairs import PAIR, n_changes
from recsens.report.figure_style import GRID, ink
from recsens.report.figures._base import COLUMNS, Drawing, FigureData
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._fitting import settle
from recsens.report.figures._pairs import MOST_PANELS, refuse_single_analysis, titled
from recsens.study import Experiment
from recsens.tables.numbers import count

_SIDES = (
    ("agrees", "same winner", ink(0).colour, ""),
    ("undecides", "neither wins", GRID, ""),
    ("contradicts", "other wins", ink(1).colour, "////"),
)
"""The words, the colour and the hatching for each way in which an analysis compares with the base verdict."""


class ShortestWay(Drawing):
    """Shares of analyses with the base analysis's winner, no winner, and the other winner, by the number of changed decisions.

    There is one panel per pair of systems with a winner in the base analysis. The first bar with the other winner shows how many
    changes lead to the opposite winner: among the analyses that were run, no smaller number of changes does. The metric counts as a
    decision. The number of analyses is above each bar. The first twelve pairs are shown.
    """

    source = "our own: a search of the analyses that were run, from the fewest changes to the most"

    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse an experiment that compares no pair of systems, or that has one metric and varies no decision."""
        refuse_single_analysis(experiment)

    def heading(self, experiment: Experiment) -> str:
        """Return the title."""
        return "The shortest way to another verdict"

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        return (
            "Analyses by the number of decisions (including the metric) in which they differ from the base analysis. Each bar "
            "shows which shares of these analyses have the same winner as the base analysis, no winner, and the other winner; the "
            "number above the bar is the number of analyses. Pairs that are undecided in the base analysis are left out. At most "
            f"{MOST_PANELS} pairs are shown; shortest.csv lists all pairs."
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each pair of systems with a winner."""
        verdicts = data.verdicts
        decided = [pair for pair, base in verdicts.base.items() if base["winner"]][:MOST_PANELS]
        rows = verdicts.rows.assign(changes=n_changes(verdicts.rows))
        by_pair = dict(list(rows.groupby(list(PAIR), sort=False)))
        titles = [titled(data.experiment, pair[0], _title(pair, verdicts.base[pair]["winner"])) for pair in decided]
        figure, listed = panels(titles or ["No pair has a winner"], self.columns, 2.1)
        for axes, pair in zip(listed, decided, strict=False):
            _draw(axes, by_pair[pair])
        label_edges(listed, "decisions changed", "share of analyses")
        if decided:
            handles, names = listed[0].get_legend_handles_labels()
            figure.legend(handles, names, loc="outside lower center", ncols=len(_SIDES))
        settle(figure)
        return figure


def _title(pair: tuple[str, str, str], winner: str) -> str:
    _, a, b = pair
    return f"{winner} beats {b if winner == a else a}"


def _draw(axes: Axes, rows: pd.DataFrame) -> None:
    distances = np.unique(rows["changes"])
    counts = np.array([[(rows["beside_base"][rows["changes"] == at] == side).sum() for at in distances] for side, *_ in _SIDES])
    n_analyses, so_far = counts.sum(axis=0), np.zeros(len(distances))
    for (_, name, colour, hatch), shares in zip(_SIDES, counts / n_analyses, strict=True):
        axes.bar(
            distances, shares, bottom=so_far, width=0.7, color=colour, hatch=hatch, edgecolor="white", linewidth=0.3, label=name
        )
        so_far = so_far + shares
    for at, n in zip(distances, n_analyses, strict=True):
        axes.annotate(count(n), (at, 1), xytext=(0, 2), textcoords="offset points", ha="center", fontsize=7)
    axes.set_ylim(0, 1.12)
    axes.set_yticks([0, 0.5, 1])
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
