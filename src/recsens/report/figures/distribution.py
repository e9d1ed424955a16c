"""The distribution of ratings over items and users."""

from typing import Any, ClassVar, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray
from pydantic import Field

from recsens.report.figure_style import ValueTicks, ink
from recsens.report.figures._base import COLUMNS, Drawing, FigureData, Need
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._fitting import add_legend, settle
from recsens.report.figures._segments import relevant_ratings
from recsens.study import Experiment

Side = Literal["items", "users"]

_SIDES: tuple[Side, ...] = ("items", "users")


class Distribution(Drawing):
    """The number of ratings of each item and of each user, in descending order, after the base design's filter.

    ``form=frequency`` shows the number of ratings against the rank, with both axes logarithmic. ``form=cumulative`` shows the share
    of all ratings that the first items or users have, against the share of items or users.
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"interactions"})
    source = "Cañamares, Castells & Moffat (2020), figure 1; Bellogín (2012), figure 4.4"

    form: Literal["frequency", "cumulative"] = Field("frequency", description="ratings by rank, or cumulative shares")
    panel: Literal["dataset", "side"] = Field("dataset", description="one panel per data set, or one for items and one for users")
    relevant: bool = Field(False, description="whether only ratings that are relevant under the base design count")
    columns: Columns = COLUMNS

    def heading(self, experiment: Experiment) -> str:
        """Return a title that says what the figure shows."""
        return f"{'Relevant ratings' if self.relevant else 'Ratings'} of items and users"

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        after = "" if str(experiment.design.filter) == "none" else f" after the filter {experiment.design.filter}"
        what = "relevant ratings" if self.relevant else "ratings"
        if self.form == "cumulative":
            return f"Cumulative share of {what}{after}, starting with the most rated items or the most active users."
        return (
            f"Number of {what}{after} of each item and of each user, against the item's or user's rank (most ratings first). Both "
            "axes are logarithmic."
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw items and users of every data set."""
        labels = list(data.experiment.datasets)
        titles, lines = (labels, list(_SIDES)) if self.panel == "dataset" else (list(_SIDES), labels)
        figure, listed = panels(titles, self.columns, 2.3)
        for axes, title in zip(listed, titles, strict=True):
            for number, line in enumerate(lines):
                label, side = (title, line) if self.panel == "dataset" else (line, title)
                self._draw(axes, self._counts(data, label, side), number)
            if self.form == "frequency":
                axes.set_xscale("log")
                axes.set_yscale("log")
            else:
                for axis in (axes.xaxis, axes.yaxis):
                    axis.set_major_formatter(ValueTicks())
            axes.grid(axis="both")
        cumulative = ("share of items or users", "share of ratings")
        label_edges(listed, *(cumulative if self.form == "cumulative" else ("rank", "ratings")))
        add_legend(figure, [Line2D([], [], label=line, **_look(number)) for number, line in enumerate(lines)])
        settle(figure)
        return figure

    def _counts(self, data: FigureData, label: str, side: str) -> NDArray[np.int64]:
        """Count the ratings of each item or user, in descending order; items or users without ratings count as zero."""
        found = data.interactions[label]
        codes, n = (found.item, found.n_items) if side == "items" else (found.user, found.n_users)
        if self.relevant:
            codes = codes[relevant_ratings(found, data.experiment.design.relevance, "leave out relevant=true")]
        return np.sort(np.bincount(codes, minlength=n))[::-1].astype(np.int64)

    def _draw(self, axes: Axes, counts: NDArray[np.int64], number: int) -> None:
        if self.form == "frequency":
            some = counts[counts > 0]
            # A line is straight between two ranks with the same count, so only the ends are needed.
            ends = np.flatnonzero(np.concatenate([[True], np.diff(some) != 0, [True]]))
            kept = np.unique(np.concatenate([ends[:-1], ends[1:] - 1]))
            axes.plot(kept + 1, some[kept], **_look(number))
        else:
            shares = np.concatenate([[0.0], np.cumsum(counts) / max(counts.sum(), 1)])
            kept = np.unique(np.linspace(0, len(counts), 201).round().astype(np.int64))
            axes.plot(kept / len(counts), shares[kept], **_look(number))


def _look(number: int) -> dict[str, Any]:
    return {**ink(number).stroke, "linewidth": 1.3}
