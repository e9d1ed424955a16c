"""All analyses of each pair of systems.

influence: Bars that show how much each decision matters when systems are compared.
joint: The analyses of a pair in the order of t, marked if significant after adjustment, and the result of the joint test.
shortest: Bars that show how many decisions must change for the other system to win.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from recsens.arrays import grouped
from recsens.conclusions.verdicts.influence import influences
from recsens.conclusions.verdicts.pairs import PAIR, n_changes, pair_of
from recsens.conclusions.verdicts.study_tables import records
from recsens.errors import SpecError
from recsens.report.figure_style import GRID, PAPER, SOFT, ink
from recsens.report.figures._base import COLUMNS, MOST_PANELS, FigureData, Need, OfPairs, panel_title
from recsens.report.figures._canvas import Columns, label_edges, panels, row_height
from recsens.report.figures._fitting import breakable, fit_text, in_lines
from recsens.report.lazy_matplotlib import Axes, Figure, MaxNLocator, PercentFormatter
from recsens.study import Experiment
from recsens.tables.numbers import count, fixed, level, p_claim

_AXES = {"share": "share of the variance of d_z", "flip_rate": "share of verdicts that differ"}


def _pair_title(experiment: Experiment, row: Mapping[str, Any]) -> str:
    return panel_title(experiment, row["dataset"], f"{row['system_a']} and {row['system_b']}")


class Influence(OfPairs):
    """How much each varied decision matters for the comparison of a pair of systems, one panel per pair.

    ``show=share`` divides the variance of the effect size, over a full grid of analyses, into shares that add up to 1: one for each
    decision alone, one for all interactions of two decisions, and one for all interactions of three or more. ``show=flip_rate``
    shows, for each decision, how often verdicts differ among pairs of analyses that differ only in this decision. The metric counts
    as a decision. The first twelve pairs are shown.
    """

    label = "influence"
    title = "Which decision matters"
    source = "Hoeffding (1948), section 4, on shares"

    show: Literal["share", "flip_rate"] = Field("flip_rate", description="shares of variance, or shares of verdicts that differ")
    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse an experiment without pairs or variations; refuse shares unless all combinations are run."""
        super().check(experiment)
        if self.show == "share" and experiment.combine != "grid" and len(experiment.vary) > 1:
            raise SpecError("shares of variance need every combination of the options", allowed="combine: grid, or show=flip_rate")

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
        by_pair = grouped((_pair_title(data.experiment, line), line) for line in influences(data.verdicts))
        bars = {in_lines(breakable(pair)): self._bar_lengths(lines) for pair, lines in list(by_pair.items())[:MOST_PANELS]}
        labels = list(next(iter(bars.values()))[0])
        height = 0.9 + row_height(labels) * len(labels)
        figure, listed = panels(list(bars), self.columns, height, most=2)
        for axes, (names, values) in zip(listed, bars.values(), strict=True):
            places = range(len(names))
            axes.barh(places, [0 if math.isnan(value) else value for value in values], color=SOFT, height=0.6)
            axes.set_yticks(places, names)
            axes.set_ylim(len(names) - 0.5, -0.5)
            axes.set_xlim(0, 1)
        label_edges(listed, _AXES[self.show], "", has_rows=True)
        return fit_text(figure)

    def _bar_lengths(self, lines: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[float]]:
        """Return the decisions and their numbers; interactions of two decisions are merged."""
        alone = [line for line in lines if "compared" in line]
        shares = {in_lines(f"{line['code']} {line['decision']}"): float(line[self.show]) for line in alone}
        if self.show == "share":
            pairs = [line["share"] for line in lines if "together_with" in line]
            shares |= {"two together": math.fsum(pairs)} if pairs else {}
            shares |= {line["decision"]: line["share"] for line in lines if not line["code"]}
        return list(shares), list(shares.values())


class JointTest(OfPairs):
    """The t-value of every distinct analysis of a pair of systems, from the lowest to the highest, with one panel per pair.

    Above zero, the first system is better. A filled mark is significant after adjustment for all analyses of the pair (``p_family``
    at most α); a hollow mark is not. The dashed line is the median of t, and the panel gives the p-value of this median (joint p).
    Analyses with the same numbers share one mark; analyses outside the joint test have no mark. The first twelve pairs are shown.
    """

    label = "joint"
    title = "All analyses together"
    source = (
        "Simonsohn, Simmons & Nelson (2020), Specification curve analysis, on the curve; decision 023 of this project on the test"
    )
    needs: ClassVar[frozenset[Need]] = frozenset({"multiverse"})

    columns: Columns = COLUMNS

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        return (
            "The t-value of every distinct analysis; t is positive if the first system is better. Filled marks are significant "
            f"after adjustment for all analyses of the pair (p at most {level(experiment.alpha)}). The dashed line marks the "
            f"median t, which the panel gives with its joint p. At most {MOST_PANELS} pairs are shown; joint.csv lists all pairs."
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each pair of systems with an analysis in the joint test."""
        tested = [row for row in records(data.joint) if row["distinct"] > 0][:MOST_PANELS]
        titles = [_pair_title(data.experiment, row) for row in tested]
        figure, listed = panels(titles or ["No analysis is in the joint test"], self.columns, 2.1)
        by_pair = dict(list(data.multiverse.groupby(list(PAIR), sort=False)))
        for axes, row in zip(listed, tested, strict=False):
            own = by_pair[pair_of(row)]
            _draw_joint(axes, own[own["distinct"] > 0].drop_duplicates("distinct"), row, data.experiment.alpha)
        label_edges(listed, "distinct analyses, by t", "t")
        return fit_text(figure)


def _draw_joint(axes: Axes, rows: pd.DataFrame, together: Mapping[str, Any], alpha: float) -> None:
    ordered = rows.sort_values("t", kind="stable")
    values, places = ordered["t"].to_numpy(dtype=float), np.arange(1, len(ordered) + 1)
    stands = (ordered["p_family"] <= alpha).to_numpy()
    colour = ink(0).colour
    axes.axhline(0, color=GRID, linewidth=0.8, zorder=0)
    axes.axhline(together["median_t"], color=SOFT, linewidth=0.9, linestyle="--", zorder=1)
    for mask, face in ((~stands, PAPER), (stands, colour)):
        look: dict[str, Any] = {"marker": "o", "markersize": 3.5, "color": colour, "markerfacecolor": face, "markeredgewidth": 0.8}
        axes.plot(places[mask], values[mask], linestyle="none", **look)
    # The curve rises, so the upper left corner is free.
    words = f"median {fixed(together['median_t'], 1)}, joint {p_claim(together['p_median'])}"
    axes.annotate(words, (0.03, 0.97), xycoords="axes fraction", va="top", fontsize=7, color=SOFT)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(5))


_SIDES = (
    ("agrees", "same winner", ink(0).colour, ""),
    ("undecides", "neither wins", GRID, ""),
    ("contradicts", "other wins", ink(1).colour, "////"),
)
"""The words, the colour and the hatching for each way in which an analysis compares with the base verdict."""


class ShortestWay(OfPairs):
    """Shares of analyses with the base analysis's winner, no winner, and the other winner, by the number of changed decisions.

    There is one panel per pair of systems with a winner in the base analysis. The first bar with the other winner shows how many
    changes lead to the opposite winner: among the analyses that were run, no smaller number of changes does. The metric counts as a
    decision. The number of analyses is above each bar. The first twelve pairs are shown.
    """

    label = "shortest"
    title = "The shortest way to another verdict"
    source = "our own: a search of the analyses that were run, from the fewest changes to the most"

    columns: Columns = COLUMNS

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
        titles = []
        for dataset, a, b in decided:
            winner = verdicts.base[dataset, a, b]["winner"]
            titles.append(panel_title(data.experiment, dataset, f"{winner} beats {b if winner == a else a}"))
        figure, listed = panels(titles or ["No pair has a winner"], self.columns, 2.1)
        for axes, pair in zip(listed, decided, strict=False):
            _draw_fewest_changes(axes, by_pair[pair])
        label_edges(listed, "decisions changed", "share of analyses")
        if decided:
            handles, names = listed[0].get_legend_handles_labels()
            figure.legend(handles, names, loc="outside lower center", ncols=len(_SIDES))
        return fit_text(figure)


def _draw_fewest_changes(axes: Axes, rows: pd.DataFrame) -> None:
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
