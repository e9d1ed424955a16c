"""Code shared by figures about one varied decision: the order of the systems under each option."""

import pandas as pd
from pydantic import Field

from recsens.conclusions.design_space import DesignSpace, Sweep, planned_options
from recsens.conclusions.verdicts.best import Standings, standings
from recsens.errors import SpecError, nearest
from recsens.report.figures._base import Drawing, FigureData
from recsens.study import Decisions, Experiment
from recsens.study.taxonomy import DESIGN, Decision, decision


class OfDecision(Drawing):
    """A figure about one decision's options."""

    varied: str = Field("split", description="the varied decision that is shown; all other decisions are as in the base design")

    def check(self, experiment: Experiment) -> None:
        """Refuse a decision that the experiment does not vary."""
        varied = [each.key for each in DESIGN if len(planned_options(experiment, each)) > 1]
        if self.varied not in varied:
            raise SpecError(
                f"varied: the study does not vary '{self.varied}'{nearest(self.varied, varied)}",
                allowed=", ".join(varied) or "none: the study varies nothing; add a decision to 'vary'",
            )

    def heading(self, experiment: Experiment) -> str:
        """Name the decision."""
        return f"By {self.decision.name.lower()}"

    @property
    def decision(self) -> Decision:
        """The decision whose options the figure compares."""
        return decision(self.varied)

    def designs(self, experiment: Experiment) -> list[Decisions]:
        """List the designs to show: the base design, and designs that differ from it only in this decision."""
        base = experiment.design
        return [
            design
            for design in experiment.designs()
            if design == base.model_copy(update={self.varied: getattr(design, self.varied)})
        ]

    def options(self, data: FigureData) -> Sweep:
        """Return the decision's options in order."""
        return DesignSpace(data.summary).along(self.decision).sweep(self.decision)

    def rows(self, data: FigureData) -> pd.DataFrame:
        """Return the summary rows that are shown."""
        return DesignSpace(data.summary).along(self.decision).rows

    def standings(self, data: FigureData, swept: Sweep) -> dict[tuple[str, str], list[Standings | None]]:
        """List the standings under each option, by data set and metric; None for an option without standings."""
        listed = standings(self.rows(data), data.verdicts.space.along(self.decision).rows)
        base = next(option.text for option in swept.options if option.is_base)
        by_option = {
            (standing.dataset, standing.metric, dict(standing.change).get(self.varied, base)): standing for standing in listed
        }
        return {
            (dataset, str(metric)): [by_option.get((dataset, str(metric), option.text)) for option in swept.options]
            for dataset in data.experiment.datasets
            for metric in data.experiment.metrics
        }
