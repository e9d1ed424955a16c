"""A metric along one dimension, with series along a second and panels along a third.

lines: A metric over a number, such as a split ratio, a cut-off, or a parameter of a system.
bars: Bars: the values of a metric for each option, system or data set.
"""

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import Field

from recsens.conclusions.dimensions import Coordinates, Name, Names, Place, metrics_of
from recsens.conclusions.verdicts.components import folds_in_words
from recsens.errors import SpecError, nearest
from recsens.report.figure_style import PAPER, SOFT, TEXT, Ink, ink, inks
from recsens.report.figures._base import BY, COLUMNS, PANEL, SYSTEM, Drawing, FigureData, References, Y
from recsens.report.figures._canvas import Columns, label_edges, panels, row_height
from recsens.report.figures._fitting import add_legend, breakable, fit_text, in_lines
from recsens.report.figures._selection import UNUSED, Chosen, along_x, measured_by, refuse_gaps, select
from recsens.report.figures._series import (
    EXPECTED_RANDOM,
    GuideLine,
    Series,
    are_numbers,
    draw_series,
    label_or_legend,
    mark_offset,
    row_labels,
    second_axis,
    set_places,
    set_rows,
)
from recsens.report.lazy_matplotlib import Axes, Figure, Line2D, Patch
from recsens.study import Experiment
from recsens.tables.numbers import tick

_COVERAGES = {
    "user_coverage": "user coverage",
    "rating_coverage": "rating coverage",
    "coverage_at_cutoff": "coverage at the cut-off",
}
"""Columns of the summary that a second axis may show, in words."""


class Chart(Drawing):
    """A metric along one dimension."""

    x: Name = Field(
        "split", description="what the values are drawn along: a decision (split.ratio), a parameter (user_knn.k), or cutoff"
    )
    y: Names = Y
    by: Name = BY
    panel: Name = PANEL
    system: str = SYSTEM
    second: Name = Field("", description="a second axis: user_coverage, rating_coverage, coverage_at_cutoff, or a metric")
    reference: References = Field(
        (),
        description="reference lines: numbers, systems that do not vary along x, or expected_random, the expected value of a "
        "random order by formula",
    )
    published: bool = Field(True, description="whether published values in the study file are shown too, as open marks")
    bands: bool = Field(True, description="whether the sample standard deviation over several folds is drawn")
    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse references to anything that the experiment lacks."""
        refuse_gaps(self.selection(experiment), 0, experiment)
        if self.second and self.second not in _COVERAGES:
            try:
                metrics_of(experiment, self.second)
            except SpecError as error:
                metrics = [*_COVERAGES, *(metric.written for metric in experiment.metrics)]
                raise SpecError(f"second: no '{self.second}'{nearest(self.second, metrics)}", allowed=", ".join(metrics)) from error
        for named in self.reference:
            if named == EXPECTED_RANDOM:
                selection = self.selection(experiment)
                unknown = next((at.metric for at in selection.at.values() if not at.metric.metric.knows_random), None)
                if unknown is not None:
                    raise SpecError(
                        f"reference: no formula gives the value of {unknown.written} for a random order",
                        allowed="P, R, AntiP, Fallout, DCG and nDCG",
                    )
                if selection.dimensions[1].frees != "system" and len(selection.places(1)) > 1:
                    raise SpecError(
                        f"reference: {EXPECTED_RANDOM} differs along {self.by}, but the figure has only one line for it",
                        remedy=f"add panel={self.by}, with by=system or by=none",
                    )
            elif isinstance(named, str):
                if named not in experiment.systems:
                    near = nearest(named, experiment.systems)
                    allowed_references = ", ".join([EXPECTED_RANDOM, *experiment.systems])
                    raise SpecError(f"reference: unknown system '{named}'{near}", allowed=f"a number, {allowed_references}")
                if self.selection(experiment).dimensions[0].frees != "system":
                    raise SpecError(
                        f"reference: the value of '{named}' varies along {self.x}", remedy="show it as a system, or give a number"
                    )

    def selection(self, experiment: Experiment) -> Chosen:
        """Choose the numbers to draw, arranged by the dimensions ``x``, ``by`` and ``panel``."""
        return select(experiment, self.y, (self.x, self.by, self.panel), system=self.system)

    def heading(self, experiment: Experiment) -> str:
        """Return the metric and the dimension along the axis."""
        return f"{self.measured(experiment)} by {self.selection(experiment).dimensions[0].title or 'system'}"

    def measured(self, experiment: Experiment) -> str:
        """Name the metric; if there are several metrics, return ``value``, because the figure names each metric."""
        return measured_by(self.selection(experiment))

    @property
    def second_measured(self) -> str:
        """Name the quantity on the second axis."""
        return _COVERAGES.get(self.second, self.second)

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        selection = self.selection(experiment)
        apart, panel = (dimension.title or "system" for dimension in selection.dimensions[1:])
        head = self.heading(experiment)
        per_series = f", by {apart}" if len(selection.places(1)) > 1 else ""
        beside = f"; one panel for each {panel}" if len(selection.places(2)) > 1 else ""
        folds = folds_in_words((str(at.design.split), str(at.design.repeats), str(at.design.fits)) for at in selection.at.values())
        parts = [
            f"{'V' + head[1:] if head.startswith('value by') else head}{per_series}{beside}.",
            "All other decisions are as in the base design.",
            f"The second axis shows {self.second_measured}." if self.second else "",
            f"Bands and bars show the sample standard deviation over {folds}." if self.bands and folds else "",
        ]
        return " ".join(filter(None, parts))

    def series(self, data: FigureData, selection: Chosen, panel: Place) -> list[Series]:
        """List a panel's series, with those for the second axis last; series without a value are left out."""
        listed, is_of_systems = [], selection.dimensions[1].frees == "system"
        for number, place in enumerate(selection.places(1)):
            points = list(along_x(selection, (place, panel)))
            if points:
                # A system has the same ink in every figure; if systems share a line, it has the ink of the first system.
                style = inks(data.experiment.systems)[points[0][1].system] if is_of_systems else ink(number)
                listed.append(self._make_series(data, place.label or self.system, style, points))
        further = [self._second_series(data, series, selection, panel) for series in listed if self.second]
        return [series for series in (*listed, *further) if not all(map(math.isnan, series.values))]

    @abstractmethod
    def draw_panel(self, axes: Axes, places: tuple[Place, ...], series: list[Series]) -> None:
        """Draw the series of a panel."""

    def draw_panels(
        self, data: FigureData, selection: Chosen, listed: Sequence[Axes], *, over_rows: bool
    ) -> list[tuple[Axes, Series]]:
        """Draw the series and the reference lines of all panels, and list each series with its panel."""
        drawn = []
        for axes, place in zip(listed, selection.places(2), strict=True):
            series = self.series(data, selection, place)
            self.draw_panel(axes, selection.places(0), series)
            for reference in self.references(data, selection, place):
                reference.draw(axes, selection.places(0), over_rows=over_rows)
            drawn += [(axes, line) for line in series]
        return drawn

    def _make_series(self, data: FigureData, label: str, style: Ink, points: Sequence[tuple[Place, Coordinates]]) -> Series:
        places, at = zip(*points, strict=True)
        values, spreads, published = ([data.number(each, name) for each in at] for name in ("value", "spread", "published"))
        nothing = [math.nan] * len(at)
        spreads, published = spreads if self.bands else nothing, published if self.published else nothing
        return Series(label, style, places, values, spreads, published, at)

    def _second_series(self, data: FigureData, first: Series, selection: Chosen, panel: Place) -> Series:
        nothing = [math.nan] * len(first.at)
        if self.second in _COVERAGES:
            values = [data.number(at, self.second) for at in first.at]
        else:
            metric = metrics_of(data.experiment, self.second)[0]
            values = [data.number(replace(at, metric=metric)) for at in first.at]
        return replace(first, values=values, spreads=nothing, published=nothing, is_second=True)

    def references(self, data: FigureData, selection: Chosen, panel: Place) -> list[GuideLine]:
        """List a panel's reference lines."""
        styles = inks(data.experiment.systems)
        if selection.dimensions[1] is not UNUSED and selection.dimensions[1].frees != "system":
            # The series have the first inks; the reference systems get the next inks.
            styles = {str(label): ink(number) for number, label in enumerate(self.reference, len(selection.places(1)))}
        return [self._guide_line(named, data, selection, panel, styles) for named in self.reference]

    def _guide_line(
        self, named: str | float, data: FigureData, selection: Chosen, panel: Place, styles: Mapping[str, Ink]
    ) -> GuideLine:
        # Use any series at this point, because a reference has the same value for all series.
        firsts: dict[Place, Coordinates] = {}
        for places, at in selection.at.items():
            if places[2] == panel:
                firsts.setdefault(places[0], at)
        along = [firsts.get(place) for place in selection.places(0)]
        if named == EXPECTED_RANDOM:
            return GuideLine.expected([math.nan if at is None else data.number(at, EXPECTED_RANDOM) for at in along])
        if isinstance(named, str):
            value = data.number(replace(next(iter(firsts.values())), system=named))
            return GuideLine(named, [value] * len(along), styles[named])
        return GuideLine(tick(named), [float(named)] * len(along))

    def further_marks(self, data: FigureData, selection: Chosen, drawn: Sequence[Series]) -> list[Line2D]:
        """Return the legend entries other than the series: guide lines, the second axis, and published values."""
        marks = [mark.handle for mark in self.references(data, selection, selection.places(2)[0])]
        if self.second:
            title = f"{self.second_measured} (second axis)"
            marks.append(Line2D([], [], linestyle=":", linewidth=0.8, marker="x", markersize=4, color=SOFT, label=title))
        if any(not math.isnan(value) for series in drawn for value in series.published):
            look: dict[str, Any] = {"linestyle": "none", "marker": "o", "markerfacecolor": PAPER, "markersize": 7}
            marks.append(Line2D([], [], **look, color=SOFT, label="published"))
        return marks


class Lines(Chart):
    """Values of a metric along ``x``: lines over numbers, or a row of marks for each option that is not a number.

    ``x``, ``by`` and ``panel`` are dimensions of the experiment:

    - ``system``, ``dataset``, ``metric``; ``cutoff``, where ``y`` is a metric without a cut-off;
    - a decision (such as ``view``) or a parameter of its options (such as ``split.ratio``);
    - a parameter of systems (such as ``user_knn.overlap``), of data sets (``simulated.users``) or of metrics (``RBP.phi``).

    All other decisions are as in the base design. If a dimension is a parameter of systems, ``system`` means each group of systems
    that differ only in this parameter; systems of other recommenders may be guide lines (``reference``).
    """

    label = "lines"

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each place."""
        selection = self.selection(data.experiment)
        places = selection.places(0)
        n_rows = 0 if are_numbers(places) else len(places)
        of_row = row_height(row_labels(places), len(selection.places(1)))
        height = 0.8 + of_row * n_rows if n_rows else 2.1
        figure, listed = panels([place.label for place in selection.places(2)], self.columns, height)
        named = self.draw_panels(data, selection, listed, over_rows=n_rows > 0)
        measured = self.measured(data.experiment)
        if n_rows:
            label_edges(listed, measured, "", has_rows=True)
        else:
            label_edges(listed, selection.dimensions[0].title, measured)
        return label_or_legend(figure, named, self.further_marks(data, selection, [line for _, line in named]))

    def draw_panel(self, axes: Axes, places: tuple[Place, ...], series: list[Series]) -> None:
        """Draw lines or rows of marks, and series on the second axis."""
        set_places(axes, places)
        firsts = [drawn for drawn in series if not drawn.is_second]
        other = second_axis(axes, places, self.second_measured) if self.second else axes
        for number, drawn in enumerate(firsts):
            draw_series(axes, places, drawn, mark_offset(number, len(firsts)))
        for drawn in series[len(firsts) :]:
            draw_series(other, places, drawn, 0.0)


_HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "----", "oooo", "++++")
"""Hatchings that distinguish bars in grey; the first bar has none."""

_MOST_SHRUNK = 2.0
"""The scale is shared only if the longer axis is at most this multiple of the shorter one."""

_FILLED = 0.8
"""Share of a row's height filled by its bars."""


class Bars(Chart):
    """Values of a metric as bars from zero, with one row per value of ``x``, and one bar in it per value of ``by``.

    The dimensions are the same as for `lines`. Values on the second axis are crosses.
    """

    label = "bars"

    x: Name = Field("system", description="what rows stand for: system, a decision such as nc, dataset, metric")
    by: Name = Field("none", description="what the bars in a row stand for; with none, there is one bar per row")

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each place."""
        selection = self.selection(data.experiment)
        places = selection.places(0)
        height = 0.8 + max(row_height(row_labels(places)), 0.14 + 0.13 * len(selection.places(1))) * len(places)
        figure, listed = panels([place.label for place in selection.places(2)], self.columns, height)
        drawn = [bar for _, bar in self.draw_panels(data, selection, listed, over_rows=True)]
        numbered = selection.dimensions[0].title if are_numbers(places) else ""
        label_edges(listed, self.measured(data.experiment), numbered, has_rows=True)
        bars = {bar.label: bar for bar in reversed(drawn) if not bar.is_second and bar.label}
        handles = [_legend_patch(bars[place.label], n) for n, place in enumerate(selection.places(1)) if place.label in bars]
        marks = [*(handles if len(handles) > 1 else []), *self.further_marks(data, selection, drawn)]
        if marks:
            add_legend(figure, marks)
        return fit_text(figure)

    def draw_panel(self, axes: Axes, places: tuple[Place, ...], series: list[Series]) -> None:
        """Draw bars, and crosses on the second axis."""
        set_rows(axes, [place.on_axis for place in places])
        firsts = [bar for bar in series if not bar.is_second]
        thickness = _FILLED / max(len(firsts), 1)
        other = second_axis(axes, places, self.second_measured, over_rows=True) if self.second else axes
        for number, bar in enumerate(firsts):
            rows = [places.index(place) - _FILLED / 2 + (number + 0.5) * thickness for place in bar.places]
            axes.barh(
                rows, bar.values, thickness * 0.92, color=bar.ink.colour, hatch=_HATCHES[number % len(_HATCHES)],
                edgecolor=PAPER, linewidth=0.4,
            )  # fmt: skip
            axes.errorbar(bar.values, rows, xerr=bar.spreads, linestyle="none", color=TEXT, linewidth=0.8)
            axes.plot(bar.published, rows, linestyle="none", marker="o", color=TEXT, markerfacecolor=PAPER, markersize=5)
            for further in (one for one in series[len(firsts) :] if one.label == bar.label):
                other.plot(further.values, rows, linestyle="none", marker="x", color=TEXT, markersize=4.5)
        if other is not axes and not any(value < 0 for bar in series if bar.is_second for value in bar.values):
            # Bars start at zero, so the axis of the crosses must too.
            other.set_xlim(left=0.0)
            _share_scale(axes, other)


def _share_scale(axes: Axes, other: Axes) -> None:
    """Use the same scale for bars and crosses, to make them comparable, unless either would shrink to less than half."""
    starts, ends = zip(axes.get_xlim(), other.get_xlim(), strict=True)
    if starts == (0.0, 0.0) and max(ends) <= _MOST_SHRUNK * min(ends):
        for one in (axes, other):
            one.set_xlim(0.0, max(ends))


def _legend_patch(series: Series, number: int) -> Patch:
    label, hatch = in_lines(breakable(series.label)), _HATCHES[number % len(_HATCHES)]
    return Patch(facecolor=series.ink.colour, hatch=hatch, edgecolor=PAPER, linewidth=0.4, label=label)
