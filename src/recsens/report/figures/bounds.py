"""Precision with one ranking per relevant test rating (1R), and its bounds."""

from dataclasses import replace

from pydantic import Field

from recsens.conclusions.dimensions import Coordinates, Name, Names, Place, metrics_of
from recsens.errors import SpecError
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.report.figure_style import SOFT, inks
from recsens.report.figures._base import COLUMNS, Drawing, FigureData, refuse_several_datasets, refuse_unknown
from recsens.report.figures._canvas import Columns, label_edges, panels
from recsens.report.figures._fitting import add_legend, fit_text
from recsens.report.figures._selection import Chosen, along_x, refuse_gaps, select
from recsens.report.figures._series import EXPECTED_RANDOM, GuideLine, are_numbers, set_places
from recsens.report.lazy_matplotlib import Axes, Figure, Line2D, Patch
from recsens.study import Experiment

_SIDES = ("lower", "upper")

_SHADES = {"lower": 0.42, "upper": 0.16}
"""The dark shade reaches down to the lower bound, the light shade up to the upper bound."""


class Bounds(Drawing):
    """P@n under 1R (one ranking per relevant test rating) against a numeric option, with lower and upper bounds of P@n.

    Light shading reaches from the value up to the upper bound, and dark shading from the value down to the lower bound. There is
    one panel per system. The study must measure P@n with ``Bound1R(side=lower)`` and ``Bound1R(side=upper)`` at the same cut-off.
    The dotted line is the expected value of a random order.
    """

    source = "Bellogín (2012), figure 4.2"

    x: Name = Field("targets.n", description="the number on the horizontal axis, as in lines")
    y: str = Field("P@10", description="precision with its cut-off")
    systems: Names = Field((), description="the systems that are shown; by default all systems")
    columns: Columns = COLUMNS

    def check(self, experiment: Experiment) -> None:
        """Refuse references to anything that the experiment lacks."""
        refuse_several_datasets(experiment, "systems")
        selection = self._selection(experiment)
        refuse_gaps(selection, 0, experiment)
        if not are_numbers(selection.places(0)):
            raise SpecError(
                f"x: the options of '{self.x}' have no numbers", allowed="a parameter, such as targets.n or split.share"
            )
        self._bounds(experiment)
        refuse_unknown(self.systems, experiment)

    def heading(self, experiment: Experiment) -> str:
        """Return the metric and the dimension along the axis."""
        return f"{self.y} and its bounds by {self._selection(experiment).dimensions[0].title}"

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""
        return (
            f"{self.heading(experiment)}, with one panel for each system. The light area reaches up to the upper bound, and the "
            "dark area down to the lower bound. For both bounds, each user has one ranking of all relevant items, together with "
            "the same other items as in the user's rankings of a single relevant item. All other decisions are as in the base "
            "design."
        )

    def draw(self, data: FigureData) -> Figure:
        """Draw a panel for each system."""
        experiment = data.experiment
        selection, bounds = self._selection(experiment), self._bounds(experiment)
        places, systems = selection.places(0), self.systems or tuple(experiment.systems)
        figure, listed = panels(list(systems), self.columns, 2.1)
        for axes, system in zip(listed, systems, strict=True):
            points = list(along_x(selection, (Place(system),)))
            set_places(axes, places)
            _draw_bounds(axes, data, points, bounds)
            random = GuideLine.expected([data.number(at, EXPECTED_RANDOM) for _, at in points])
            random.draw(axes, [place for place, _ in points], over_rows=False)
            axes.plot(
                [place.number or 0.0 for place, _ in points], [data.number(at) for _, at in points],
                color=inks(experiment.systems)[system].colour, marker=inks(experiment.systems)[system].marker, markersize=4,
                linewidth=1.2,
            )  # fmt: skip
            axes.set_ylim(bottom=0)
        label_edges(listed, selection.dimensions[0].title, self.y)
        marks = [Patch(facecolor=SOFT, alpha=_SHADES[side], label=f"to the {side} bound") for side in reversed(_SIDES)]
        add_legend(figure, [Line2D([], [], color=SOFT, marker="o", markersize=4, label=self.y), *marks, random.handle])
        return fit_text(figure)

    def _selection(self, experiment: Experiment) -> Chosen:
        return select(experiment, (self.y,), (self.x, "system"))

    def _bounds(self, experiment: Experiment) -> dict[str, MeasuredAt]:
        """Find the two bounds among the metrics of an experiment."""
        [precision] = metrics_of(experiment, self.y)
        if precision.metric.label != "P":
            raise SpecError(f"y: only precision has known bounds, not {self.y}", allowed="P@10 or another cut-off")
        written = {side: f"Bound1R(side={side})@{precision.cutoff}" for side in _SIDES}
        bounds = {side: parse_measured_at(text)[0] for side, text in written.items()}
        missing = [written[side] for side in _SIDES if bounds[side] not in experiment.metrics]
        if missing:
            raise SpecError(f"the study does not measure {' and '.join(missing)}", remedy="add to 'metrics'")
        return bounds


def _draw_bounds(axes: Axes, data: FigureData, points: list[tuple[Place, Coordinates]], bounds: dict[str, MeasuredAt]) -> None:
    """Shade the area between the values and their bounds."""
    across, values = [place.number or 0.0 for place, _ in points], [data.number(at) for _, at in points]
    for side in _SIDES:
        limit = [data.number(replace(at, metric=bounds[side])) for _, at in points]
        axes.fill_between(across, limit, values, color=SOFT, alpha=_SHADES[side], linewidth=0)
