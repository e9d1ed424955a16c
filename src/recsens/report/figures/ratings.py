"""The ratings of a data set, by item and user.

distribution: The distribution of ratings over items and users.
relevant_share: The share of relevant ratings among an item's ratings, by popularity.
split_profile: Which items a split tests: the number of each item's ratings and how many of these ratings are in test, by popularity.
"""  # noqa: E501 - users read this line as it is

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.arrays import Bools, Floats, Ints
from recsens.data.interactions import Interactions
from recsens.data.popularity import percentiles
from recsens.errors import SpecError
from recsens.report.figure_style import SOFT, ink, set_scores
from recsens.report.figures._base import COLUMNS, Drawing, FigureData, Need, Titled, refuse_several_datasets
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._fitting import add_legend, fit_text
from recsens.report.lazy_matplotlib import Axes, Figure, Line2D, MaxNLocator, Patch, ValueTicks
from recsens.study import Experiment
from recsens.vocabulary import Role


def segment_means(data: Interactions, values: Floats, n_segments: int) -> tuple[Floats, Floats]:
    """Average the values of items over segments of items, starting with the most rated; unrated items are left out.

    Parameters
    ----------
    data
        The ratings.
    values
        A value for each item, shape (n_items,).
    n_segments
        Number of segments; at most the number of items.

    Returns
    -------
    tuple of numpy.ndarray
        The mean rank of the items in each segment, counted from 1, and their mean value, both of shape (n_segments,).
    """
    rated = np.flatnonzero(data.item_counts > 0)
    n = min(n_segments, len(rated))
    group = percentiles(data.item_counts[rated], data.item_keys[rated], n)
    sizes = np.bincount(group, minlength=n)
    ends = np.cumsum(sizes)
    return ends - (sizes - 1) / 2, np.bincount(group, weights=values[rated], minlength=n) / sizes


def relevant_ratings(found: Interactions, threshold: float | None, remedy: str) -> Bools:
    """Return which ratings are relevant, shape (n,).

    Raises SpecError if the data set has no ratings.
    """
    if found.rating is None:
        raise SpecError("the data set has no ratings, so none is relevant", remedy=remedy)
    return np.asarray(found.rating >= found.scale.threshold(threshold))


Side = Literal["items", "users"]

_SIDES: tuple[Side, ...] = ("items", "users")


class Distribution(Drawing):
    """The number of ratings of each item and of each user, in descending order, after the base design's filter.

    ``form=frequency`` shows the number of ratings against the rank, with both axes logarithmic. ``form=cumulative`` shows the share
    of all ratings that the first items or users have, against the share of items or users.
    """

    label = "distribution"
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
                self._draw(axes, self._sorted_counts(data, label, side), number)
            if self.form == "frequency":
                axes.set_xscale("log")
                axes.set_yscale("log")
            else:
                for axis in (axes.xaxis, axes.yaxis):
                    axis.set_major_formatter(ValueTicks())
            axes.grid(axis="both")
        cumulative = ("share of items or users", "share of ratings")
        label_edges(listed, *(cumulative if self.form == "cumulative" else ("rank", "ratings")))
        add_legend(figure, [Line2D([], [], label=line, **_line_style(number)) for number, line in enumerate(lines)])
        return fit_text(figure)

    def _sorted_counts(self, data: FigureData, label: str, side: str) -> Ints:
        """Count the ratings of each item or user, in descending order; items or users without ratings count as zero."""
        found = data.interactions[label]
        codes, n = (found.item, found.n_items) if side == "items" else (found.user, found.n_users)
        if self.relevant:
            codes = codes[relevant_ratings(found, data.experiment.design.relevance, "leave out relevant=true")]
        return np.sort(np.bincount(codes, minlength=n))[::-1].astype(np.int64)

    def _draw(self, axes: Axes, counts: Ints, number: int) -> None:
        if self.form == "frequency":
            some = counts[counts > 0]
            # A line is straight between two ranks with the same count, so only the ends are needed.
            ends = np.flatnonzero(np.concatenate([[True], np.diff(some) != 0, [True]]))
            kept = np.unique(np.concatenate([ends[:-1], ends[1:] - 1]))
            axes.plot(kept + 1, some[kept], **_line_style(number))
        else:
            shares = np.concatenate([[0.0], np.cumsum(counts) / max(counts.sum(), 1)])
            kept = np.unique(np.linspace(0, len(counts), 201).round().astype(np.int64))
            axes.plot(kept / len(counts), shares[kept], **_line_style(number))


def _line_style(number: int) -> dict[str, Any]:
    return {**ink(number).stroke, "linewidth": 1.3}


class RelevantShare(Titled):
    """pr(i) / r(i), the share of relevant ratings among an item's ratings, against its popularity rank (1 is the most rated).

    Only ratings that remain after the base design's filter count; the base design's threshold determines which of them are
    relevant. Items are divided by popularity into segments of equal size, and a point is the mean of a segment. The dotted line is
    the share over all ratings. If the share rises with popularity, a popular item is a better guess even in a test set with equally
    many ratings of each item.
    """

    title = "Relevant ratings by popularity"
    label = "relevant_share"
    needs: ClassVar[frozenset[Need]] = frozenset({"interactions"})
    source = "Bellogín (2012), figure 4.6"

    segments: int = Field(100, ge=2, le=10_000, description="number of segments of items")
    columns: Columns = COLUMNS

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
        return fit_text(figure)


class SplitProfile(Titled):
    """r(i) and r_test(i), an item's numbers of ratings and of test ratings, against its popularity rank (1 is the most rated).

    Items are divided by popularity into segments of equal size, and a point is the mean of a segment. There is one panel for each
    split of the study. The solid line is the number of ratings after the base design's filter, and the dashed line is the number of
    test ratings in the first fold; the other ratings are in train, in validation or unused. ``m`` marks the ends of the popularity
    percentiles of the targets ``p1r``, which have one ranking for each relevant test rating, among items of similar popularity. The
    vertical axis is linear below 1 and logarithmic above.
    """

    title = "Ratings in test by popularity"
    label = "split_profile"
    needs: ClassVar[frozenset[Need]] = frozenset({"interactions", "roles"})
    source = "Bellogín (2012), figure 4.5"

    m: int = Field(0, ge=0, le=100, description="number of popularity percentiles to mark; with 0, none is marked")
    segments: int = Field(200, ge=2, le=10_000, description="number of segments of items")
    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse several data sets, because the panels show the splits of a single data set."""
        refuse_several_datasets(experiment, "splits")

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
        return fit_text(figure)

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
