"""The analyses of a pair in the order of t, marked if significant after adjustment, and the result of the joint test."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from recsens.conclusions.verdicts.study_tables import records
from recsens.report.figure_style import GRID, PAPER, SOFT, ink
from recsens.report.figures._base import COLUMNS, Drawing, FigureData, Need
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._fitting import settle
from recsens.report.figures._pairs import MOST_PANELS, refuse_single_analysis, titled
from recsens.study import Experiment
from recsens.tables.numbers import fixed, level, p_claim


class JointTest(Drawing):
    """The t-value of every distinct analysis of a pair of systems, from the lowest to the highest, with one panel per pair.

    Above zero, the first system is better. A filled mark is significant after adjustment for all analyses of the pair (``p_family``
    at most α); a hollow mark is not. The dashed line is the median of t, and the panel gives the p-value of this median (joint p).
    Analyses with the same numbers share one mark; analyses outside the joint test have no mark. The first twelve pairs are shown.
    """

    source = (
        "Simonsohn, Simmons & Nelson (2020), Specification curve analysis, on the curve; decision 023 of this project on the test"
    )
    needs: ClassVar[frozenset[Need]] = frozenset({"multiverse"})

    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse an experiment without pairs or with a single analysis."""
        refuse_single_analysis(experiment)

    def heading(self, experiment: Experiment) -> str:
        """Return the title."""
        return "All analyses together"

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
        titles = [titled(data.experiment, row["dataset"], f"{row['system_a']} and {row['system_b']}") for row in tested]
        figure, listed = panels(titles or ["No analysis is in the joint test"], self.columns, 2.1)
        for axes, row in zip(listed, tested, strict=False):
            rows = data.multiverse
            own = rows[
                (rows["dataset"] == row["dataset"]) & (rows["system_a"] == row["system_a"]) & (rows["system_b"] == row["system_b"])
            ]
            _draw(axes, own[own["distinct"] > 0].drop_duplicates("distinct"), row, data.experiment.alpha)
        label_edges(listed, "distinct analyses, by t", "t")
        settle(figure)
        return figure


def _draw(axes: Axes, rows: pd.DataFrame, together: Mapping[str, Any], alpha: float) -> None:
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
