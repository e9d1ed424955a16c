"""Which items a split tests: the number of each item's ratings and how many of these ratings are in test, by popularity."""

from typing import ClassVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.errors import SpecError
from recsens.report.figure_style import SOFT, ink
from recsens.report.figures._base import COLUMNS, Drawing, FigureData, Need
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._fitting import add_legend, settle
from recsens.report.figures._segments import segment_means
from recsens.study import Experiment
from recsens.vocabulary import Role


class SplitProfile(Drawing):
    """r(i) and r_test(i), an item's numbers of ratings and of test ratings, against its popularity rank (1 is the most rated).

    Items are divided by popularity into segments of equal size, and a point is the mean of a segment. There is one panel for each
    split of the study. The solid line is the number of ratings after the base design's filter, and the dashed line is the number of
    test ratings in the first fold; the other ratings are in train, in validation or unused. ``m`` marks the ends of the popularity
    percentiles of the targets ``p1r``, which have one ranking for each relevant test rating, among items of similar popularity. The
    vertical axis is linear below 1 and logarithmic above.
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"interactions", "roles"})
    source = "Bellogín (2012), figure 4.5"

    m: int = Field(0, ge=0, le=100, description="number of popularity percentiles to mark; with 0, none is marked")
    segments: int = Field(200, ge=2, le=10_000, description="number of segments of items")
    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse several data sets, because the panels show the splits of a single data set."""
        if len(experiment.datasets) > 1:
            raise SpecError(
                f"{len(experiment.datasets)} data sets, but the panels show the splits of only one data set",
                remedy="name an experiment",
            )

    def heading(self, experiment: Experiment) -> str:
        """Return a title that says what the figure shows."""
        return "Ratings in test by popularity"

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        marked = f" Dotted lines mark the ends of the {self.m} popularity percentiles." if self.m else ""
        return (
            "Number of an item's ratings in all data (solid line) and in the test set of the first fold (dashed line), against the "
            f"item's popularity rank (most rated first). The lines are means over {self.segments} segments of items.{marked}"
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each split."""
        [label] = data.experiment.datasets
        interactions = data.interactions[label]
        splits = [split for dataset, split in data.roles if dataset == label]
        figure, listed = panels(splits, self.columns, 2.2)
        for axes, split in zip(listed, splits, strict=True):
            self._draw(axes, interactions, data.roles[label, split])
        label_edges(listed, "popularity rank", "ratings")
        test = ink(1)
        marks = [
            Line2D([], [], color=ink(0).colour, linewidth=1.2, label="all ratings"),
            Line2D([], [], color=test.colour, linestyle="--", linewidth=1.2, label="test ratings"),
            Patch(facecolor=ink(0).colour, alpha=0.18, label="not in test"),
        ]
        add_legend(figure, marks)
        settle(figure)
        return figure

    def _draw(self, axes: Axes, interactions: Interactions, roles: NDArray[np.uint8]) -> None:
        tested = np.bincount(interactions.item[roles == Role.TEST], minlength=interactions.n_items).astype(np.float64)
        rank, ratings = segment_means(interactions, interactions.item_counts.astype(np.float64), self.segments)
        _, test = segment_means(interactions, tested, self.segments)
        axes.set_yscale("symlog", linthresh=1)
        axes.plot(rank, ratings, color=ink(0).colour, linewidth=1.2)
        axes.fill_between(rank, test, ratings, color=ink(0).colour, alpha=0.18, linewidth=0)
        axes.plot(rank, test, color=ink(1).colour, linestyle="--", linewidth=1.2)
        n = int((interactions.item_counts > 0).sum())
        for end in range(1, self.m):
            axes.axvline(end * n / self.m, color=SOFT, linestyle=(0, (1.2, 1.2)), linewidth=0.7)
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.grid(axis="y")
