"""Differences and values by the rate at which unrated items are relevant."""

from typing import Literal

import numpy as np
from pydantic import Field
from scipy import special

from recsens.errors import SpecError
from recsens.report.figure_style import inks, set_scores
from recsens.report.figures._base import COLUMNS, MOST_PANELS, Drawing, FigureData, first_shown, panel_title, refuse_without_pairs
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._fitting import add_legend, fit_text
from recsens.report.lazy_matplotlib import Figure, Line2D
from recsens.report.sentences.unrated import metric_pushed, pushed_by_data
from recsens.study import Experiment


class Tipping(Drawing):
    """The difference of each pair, or both values, if unrated items in lists were relevant at one rate."""

    source = "Cañamares, Castells & Moffat (2020), section 3.5, ask for it; the figure is ours"
    needs = frozenset({"unrated"})

    show: Literal["difference", "values"] = Field("difference", description="the difference with its interval, or both values")
    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse an experiment that does not ask how far its verdicts could be pushed, or that compares no pair of systems."""
        if not experiment.tipping:
            raise SpecError("the study does not ask about unrated items", remedy="write 'tipping: [0.05, 0.2]'")
        refuse_without_pairs(experiment)

    def heading(self, experiment: Experiment) -> str:
        """Return a title that says what the figure shows."""
        what = "Differences" if self.show == "difference" else "Values"
        return f"{what} in {metric_pushed(experiment)} by the rate of relevance of unrated items"

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        if self.show == "values":
            shown = "Expected values of both systems if unrated items in their lists were relevant at one rate."
            return f"{shown}{first_shown(experiment)}"
        return (
            "Expected difference, first system minus second, if all unrated items in the two lists were relevant at one rate, with "
            f"its {100 * (1 - experiment.alpha):g} % interval over users and draws. At 0, it is as measured; where the band meets "
            f"the line at 0, the difference is no longer significant.{first_shown(experiment)}"
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each pair on each data set, the weakest win first."""
        experiment, styles = data.experiment, inks(data.experiment.systems)
        every = [each for pairs in pushed_by_data(experiment, data.results).values() for each in pairs][:MOST_PANELS]
        if not every:
            return fit_text(panels(["No comparison has unrated items that could push it"], self.columns, 1.9)[0])
        pairs = [(each.row["system_a"], each.row["system_b"]) for each in every]
        titles = [panel_title(experiment, each.row["dataset"], " and ".join(pair)) for each, pair in zip(every, pairs, strict=True)]
        figure, listed = panels(titles, self.columns, 1.9)
        reach = float(special.ndtri(1 - experiment.alpha / 2))
        for axes, each in zip(listed, every, strict=True):
            rate = np.array(list(each.rates))
            names = ("difference", "standard_error", "value_a", "value_b")
            size, error, *values = (np.array([row[name] for row in each.rates.values()], dtype=np.float64) for name in names)
            if self.show == "difference":
                style = styles[each.leader or each.row["system_a"]]
                axes.fill_between(rate, size - reach * error, size + reach * error, color=style.colour, alpha=0.2, linewidth=0)
                axes.plot(rate, size, color=style.colour, linewidth=1.2)
                axes.axhline(0, linewidth=0.7, color="0.4")
            else:
                for system, value in zip(("system_a", "system_b"), values, strict=True):
                    axes.plot(rate, value, **styles[each.row[system]].stroke, linewidth=1.2)
            set_scores(axes)
            axes.set_xlim(0, 1)
            axes.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"])
        metric = metric_pushed(experiment)
        label_edges(listed, "unrated items relevant", metric if self.show == "values" else f"difference in {metric}")
        named = {each.leader for each in every} if self.show == "difference" else {system for pair in pairs for system in pair}
        shown = [system for system in experiment.systems if system in named]
        ahead = " ahead as measured" if self.show == "difference" else ""
        add_legend(figure, [Line2D([], [], **styles[system].stroke, label=f"{system}{ahead}") for system in shown])
        return fit_text(figure)
