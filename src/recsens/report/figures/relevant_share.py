"""The share of relevant ratings among an item's ratings, by popularity."""

from typing import ClassVar

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import Field

from recsens.report.figure_style import SOFT, ink, set_scores
from recsens.report.figures._base import COLUMNS, Drawing, FigureData, Need
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._fitting import settle
from recsens.report.figures._segments import relevant_ratings, segment_means
from recsens.study import Experiment


class RelevantShare(Drawing):
    """pr(i) / r(i), the share of relevant ratings among an item's ratings, against its popularity rank (1 is the most rated).

    Only ratings that remain after the base design's filter count; the base design's threshold determines which of them are
    relevant. Items are divided by popularity into segments of equal size, and a point is the mean of a segment. The dotted line is
    the share over all ratings. If the share rises with popularity, a popular item is a better guess even in a test set with equally
    many ratings of each item.
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"interactions"})
    source = "Bellogín (2012), figure 4.6"

    segments: int = Field(100, ge=2, le=10_000, description="number of segments of items")
    columns: Columns = COLUMNS

    def heading(self, experiment: Experiment) -> str:
        """Return a title that says what the figure shows."""
        return "Relevant ratings by popularity"

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        return (
            "The share of an item's ratings that are relevant, against the item's popularity rank (most rated first). The line "
            f"shows means over {self.segments} segments of items; the dotted line is the share of all ratings that are relevant."
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each data set."""
        figure, listed = panels(list(data.experiment.datasets), self.columns, 2.1)
        for axes, label in zip(listed, data.experiment.datasets, strict=True):
            found = data.interactions[label]
            is_relevant = relevant_ratings(
                found, data.experiment.design.relevance, "leave the figure out: all ratings are relevant"
            )
            relevant = np.bincount(found.item[is_relevant], minlength=found.n_items)
            rank, share = segment_means(found, relevant / np.maximum(found.item_counts, 1), self.segments)
            axes.plot(rank, share, color=ink(0).colour, linewidth=1.2)
            axes.axhline(float(is_relevant.mean()), color=SOFT, linestyle=(0, (1.2, 1.2)), linewidth=1.0)
            axes.set_ylim(bottom=0)
            axes.xaxis.set_major_locator(MaxNLocator(5))
            set_scores(axes)
        label_edges(listed, "popularity rank", "relevant share")
        settle(figure)
        return figure
