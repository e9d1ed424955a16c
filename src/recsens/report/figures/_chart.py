"""Code shared by lines and bars: a metric along one dimension, with series along a second and panels along a third."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import Field

from recsens.conclusions.dimensions import Coordinates, Name, Names, Place, metrics_of
from recsens.conclusions.verdicts.components import n_folds_of
from recsens.errors import SpecError, nearest
from recsens.report.figure_style import Ink, ink, inks
from recsens.report.figures._base import BY, COLUMNS, PANEL, SYSTEM, Drawing, FigureData, References, Y
from recsens.report.figures._canvas import Columns
from recsens.report.figures._guide_lines import EXPECTED_RANDOM, GuideLine
from recsens.report.figures._selection import Chosen, along_x, moved, refuse_gaps, select
from recsens.report.figures._series import Series
from recsens.study import Experiment
from recsens.tables.numbers import tick

_NAN = float("nan")

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
                self._check_expected(experiment)
            elif isinstance(named, str):
                self._check_reference(named, experiment)

    def _check_expected(self, experiment: Experiment) -> None:
        selection = self.selection(experiment)
        unknown = next((at.metric for at in selection.at.values() if not at.metric.metric.knows_random), None)
        if unknown is not None:
            raise SpecError(
                f"reference: no formula gives the value of {unknown.written} for a random order", allowed="P, R and nDCG"
            )
        series_dimension = selection.dimensions[1]
        if series_dimension is not None and series_dimension.frees != "system" and len(selection.places(1)) > 1:
            raise SpecError(
                f"reference: {EXPECTED_RANDOM} differs along {self.by}, but the figure has only one line for it",
                remedy=f"add panel={self.by}, with by=system or by=none",
            )

    def _check_reference(self, named: str, experiment: Experiment) -> None:
        if named not in experiment.systems:
            near = nearest(named, experiment.systems)
            allowed_references = ", ".join([EXPECTED_RANDOM, *experiment.systems])
            raise SpecError(f"reference: unknown system '{named}'{near}", allowed=f"a number, {allowed_references}")
        along = self.selection(experiment).dimensions[0]
        if along is None or along.frees != "system":
            raise SpecError(
                f"reference: the value of '{named}' varies along {self.x}", remedy="show it as a system, or give a number"
            )

    def selection(self, experiment: Experiment) -> Chosen:
        """Choose the numbers to draw, arranged by the dimensions ``x``, ``by`` and ``panel``."""
        return select(experiment, self.y, (self.x, self.by, self.panel), system=self.system)

    def heading(self, experiment: Experiment) -> str:
        """Return the metric and the dimension along the axis."""
        along = self.selection(experiment).dimensions[0]
        return f"{self.measured(experiment)} by {(along and along.title) or 'system'}"

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
        apart, panel = (dimension.title or "system" if dimension is not None else "" for dimension in selection.dimensions[1:])
        head = self.heading(experiment)
        per_series = f", by {apart}" if len(selection.places(1)) > 1 else ""
        beside = f"; one panel for each {panel}" if len(selection.places(2)) > 1 else ""
        parts = [
            f"{'V' + head[1:] if head.startswith('value by') else head}{per_series}{beside}.",
            "All other decisions are as in the base design.",
            f"The second axis shows {self.second_measured}." if self.second else "",
            "Bands and bars show the sample standard deviation over folds." if self.bands and self._has_folds(selection) else "",
        ]
        return " ".join(filter(None, parts))

    def series(self, data: FigureData, selection: Chosen, panel: Place) -> list[Series]:
        """List a panel's series, with those for the second axis last; series without a value are left out."""
        by, listed = selection.dimensions[1], []
        is_of_systems = by is not None and by.frees == "system"
        for number, place in enumerate(selection.places(1)):
            points = list(along_x(selection, (place, panel)))
            if points:
                label = place.label or (self.system if by is None else "")
                # A system has the same ink in every figure; if systems share a line, it has the ink of the first system.
                style = inks(data.experiment.systems)[points[0][1].system] if is_of_systems else ink(number)
                listed.append(self._series(data, label, style, points))
        further = [self._second(data, series, selection, panel) for series in listed if self.second]
        return [series for series in (*listed, *further) if not all(map(math.isnan, series.values))]

    def _series(self, data: FigureData, label: str, style: Ink, points: Sequence[tuple[Place, Coordinates]]) -> Series:
        at = [coordinates for _, coordinates in points]
        nothing = [_NAN] * len(at)
        return Series(
            label,
            style,
            [place for place, _ in points],
            [data.value(coordinates) for coordinates in at],
            [data.value(coordinates, "spread") for coordinates in at] if self.bands else nothing,
            [data.value(coordinates, "published") for coordinates in at] if self.published else nothing,
            at,
        )

    def _second(self, data: FigureData, first: Series, selection: Chosen, panel: Place) -> Series:
        nothing = [_NAN] * len(first.at)
        if self.second in _COVERAGES:
            values = [data.value(at, self.second) for at in first.at]
        else:
            metric = metrics_of(data.experiment, self.second)[0]
            values = [data.value(moved(at, metric=metric)) for at in first.at]
        return replace(first, values=values, spreads=nothing, published=nothing, is_second=True)

    def references(self, data: FigureData, selection: Chosen, panel: Place) -> list[GuideLine]:
        """List a panel's reference lines."""
        apart = selection.dimensions[1]
        styles = inks(data.experiment.systems)
        if apart is not None and apart.frees != "system":
            # The series have the first inks; the reference systems get the next inks.
            styles = {str(label): ink(number) for number, label in enumerate(self.reference, len(selection.places(1)))}
        return [self._reference(named, data, selection, panel, styles) for named in self.reference]

    def _reference(
        self, named: str | float, data: FigureData, selection: Chosen, panel: Place, styles: Mapping[str, Ink]
    ) -> GuideLine:
        # Use any series at this point, because a reference has the same value for all series.
        firsts: dict[Place, Coordinates] = {}
        for places, at in selection.at.items():
            if places[2] == panel:
                firsts.setdefault(places[0], at)
        along = [firsts.get(place) for place in selection.places(0)]
        if named == EXPECTED_RANDOM:
            return GuideLine.expected([_NAN if at is None else data.value(at, EXPECTED_RANDOM) for at in along])
        if isinstance(named, str):
            value = data.value(moved(next(iter(firsts.values())), system=named))
            return GuideLine(named, [value] * len(along), styles[named])
        return GuideLine(tick(named), [float(named)] * len(along))

    def _has_folds(self, selection: Chosen) -> bool:
        return any(n_folds_of(str(at.design.split), str(at.design.repeats)) > 1 for at in selection.at.values())


def measured_by(chosen: Chosen) -> str:
    """Name the metric of a figure's numbers; ``value`` if there are several metrics, because the figure then names each of them."""
    is_cut = any(dimension is not None and dimension.name == "cutoff" for dimension in chosen.dimensions)
    names = {at.metric.spelling or str(at.metric.metric.spec) if is_cut else at.metric.written for at in chosen.at.values()}
    return names.pop() if len(names) == 1 else "value"
