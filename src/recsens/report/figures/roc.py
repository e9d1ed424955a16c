"""The ROC curve of each system, averaged over users."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from recsens.arrays import Floats
from recsens.files.scale import Scale
from recsens.metrics import Area, Judged
from recsens.plugins.specs import parse
from recsens.report.figure_style import SOFT, inks, set_scores
from recsens.report.figures._base import COLUMNS, FigureData, Need, OfRankings, RankedItems
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._fitting import add_legend, fit_text
from recsens.report.lazy_matplotlib import Figure, Line2D, ValueTicks
from recsens.study import Experiment

_GRID = np.linspace(0.0, 1.0, 201)
"""Where curves are drawn: all corners of a mean over thousands of users would only make the file larger."""


class ROC(OfRankings):
    """Share of a user's relevant items against the share of the other judged items so far, from the top of the ranking down.

    Each line is the mean at every x over all users with a relevant and another ranked judged item, whichever users the base design
    averages, and the area below it is their mean AUC(undefined=skip). Over several folds, a user counts once in each.
    """

    title = "ROC curves"
    needs: ClassVar[frozenset[Need]] = frozenset({"interactions", "positions"})
    source = "Herlocker, Konstan, Terveen & Riedl (2004), section 4.2; Bellogín (2012), section 3.2.2"

    columns: Columns = COLUMNS

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        return (
            "From the top of each ranking down: the share of a user's relevant items against the share of the user's other judged "
            "items, averaged over all users with both kinds of items, in every fold. The area below a line is their mean "
            "AUC(undefined=skip); the grey line is a random order."
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each data set, with a line for each system."""
        experiment, styles = data.experiment, inks(data.experiment.systems)
        figure, listed = panels(list(experiment.datasets), self.columns, 2.5)
        for axes, dataset in zip(listed, experiment.datasets, strict=True):
            scale = data.interactions[dataset].scale
            axes.plot([0, 1], [0, 1], color=SOFT, linewidth=0.8)
            for system in experiment.systems:
                points = _mean_curve_corners(data.positions[dataset, system], scale, experiment.design.relevance)
                if len(points):
                    axes.plot(_GRID, np.interp(_GRID, *points.T), **{**styles[system].stroke, "linewidth": 1.2})
            set_scores(axes)
            axes.xaxis.set_major_formatter(ValueTicks())
        label_edges(listed, "share of other judged items", "share of relevant items")
        handles = [Line2D([], [], **styles[system].stroke, label=system) for system in experiment.systems]
        add_legend(figure, [*handles, Line2D([], [], color=SOFT, linewidth=0.8, label="random order")])
        return fit_text(figure)


def _mean_curve_corners(folds: Sequence[RankedItems], scale: Scale, relevance: float | None) -> Floats:
    """Return the corners of the mean curve over the users of all folds; empty if no user has one."""
    # A user of several folds counts as several users.
    starts = np.cumsum([0, *(int(each.max(initial=-1)) + 1 for each, _, _ in folds)])
    user = np.concatenate([each + start for (each, _, _), start in zip(folds, starts[:-1], strict=True)])
    position, rating = (np.concatenate([fold[column] for fold in folds]) for column in (1, 2))
    order = np.argsort(user, kind="stable")
    given = (user[order].astype(np.int32), position[order].astype(np.int64), rating[order].astype(np.float64), np.bincount(user))
    judged = Judged(*given, scale, scale.threshold(relevance))
    return Area.build(parse("AUC(undefined=skip)")).points(judged)
