"""The figures that a study declares: what to draw, from which experiment, with which title and caption."""

from typing import Annotated, Any, Protocol, cast

from pydantic import BeforeValidator, Field

from recsens import plugins
from recsens.study.experiment import Experiment
from recsens.study.field_types import FigureSpec, PluginEntry, check_names


class Declared(Protocol):
    """The interface that a figure plug-in must offer a study; its base class is `recsens.report.figures.Drawing`."""

    def check(self, experiment: Experiment) -> None:
        """Raise a `recsens.errors.SpecError` if the experiment lacks something that the figure shows."""

    def heading(self, experiment: Experiment) -> str:
        """Return the title for a figure to which the study gives no title."""

    def caption(self, experiment: Experiment) -> str:
        """Return text that explains how to read the figure."""


class FigureEntry(PluginEntry):
    """A figure of a study."""

    draw: FigureSpec = Field(description="The plug-in of the figure.")
    title: str = Field("", description="Title in the report; by default, what the figure shows.")
    caption: str = Field("", description="Text before the sentences that explain how to read the figure.")
    experiment: str = Field("", description="Label of the further experiment that the figure shows; by default, the study's own.")

    @property
    def drawing(self) -> Declared:
        """The plug-in that draws the figure."""
        return cast("Declared", plugins.build("figure", self.draw))


def _name_figures(content: Any) -> Any:
    """Assign numbers to the figures of a list; check the names in a mapping, because they become file names."""
    if isinstance(content, list):
        return {f"figure-{number}": entry for number, entry in enumerate(content, 1)}
    return check_names(content, "a figure's files")


Figures = Annotated[
    dict[str, FigureEntry],
    BeforeValidator(_name_figures, json_schema_input_type=dict[str, FigureEntry | str] | list[FigureEntry | str]),
]
