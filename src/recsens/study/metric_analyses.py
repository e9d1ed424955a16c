"""A study's analyses of metrics: the analysis, the metrics, and the experiment with the rankings to analyse."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, Protocol, cast

from pydantic import BeforeValidator, Field

from recsens import plugins
from recsens.errors import SpecError
from recsens.metrics import MeasuredAt
from recsens.plugins.specs import parse
from recsens.seeds import Stream
from recsens.study.decisions import Decisions
from recsens.study.field_types import AnalysisSpec, MetricList, PluginEntry, check_names


@dataclass(frozen=True)
class MetricAnalysisTask:
    """The task of an analysis.

    Attributes
    ----------
    metrics
        Metrics with cut-offs, in the order of the study.
    pairs
        Pairs of systems to compare, by label.
    alpha
        Significance level of p-values.
    stream
        Random stream of all draws; it depends on the seed and the data set, but is the same for every fold.
    """

    metrics: Sequence[MeasuredAt]
    pairs: Sequence[tuple[str, str]]
    alpha: float
    stream: Stream


class MetricAnalysisPlugin(Protocol):
    """The interface of plug-ins that analyse metrics; the base class is `recsens.conclusions.meta.MetricAnalysis`."""

    @property
    def drawn_by(self) -> str:
        """The figure that shows the analysis, as a spec without ``analysis``; empty if no figure shows it."""

    def check(self, asked: MetricAnalysisTask) -> None:
        """Raise a `recsens.errors.SpecError` for metrics that cannot be analysed."""

    def check_design(self, design: Decisions) -> None:
        """Raise a `recsens.errors.SpecError` for a design with rankings that cannot be analysed."""


class HasMetrics(Protocol):
    """Anything that has metrics, such as an experiment."""

    @property
    def metrics(self) -> list[MeasuredAt]:
        """Metrics with cut-offs."""


class MetricAnalysisEntry(PluginEntry):
    """An analysis of a study's metrics, on a base design's rankings."""

    analysis: AnalysisSpec = Field(description="The plug-in of the analysis.")
    metrics: MetricList | None = Field(None, description="Metrics with cut-offs; by default, the experiment's metrics.")
    experiment: str = Field("", description="Label of the further experiment to analyse; by default, the study's own.")

    @property
    def analysed(self) -> MetricAnalysisPlugin:
        """The plug-in of the analysis."""
        return cast("MetricAnalysisPlugin", plugins.build("analysis", self.analysis))

    def metrics_of(self, experiment: HasMetrics) -> list[MeasuredAt]:
        """Return the metrics to analyse."""
        return self.metrics or experiment.metrics


def all_pairs(labels: Sequence[str]) -> list[tuple[str, str]]:
    """Return every pair of labels; the earlier label comes first."""
    return list(combinations(labels, 2))


def _name_analyses(content: Any) -> Any:
    """Name the analyses in a list after their plug-ins, and number repeated names; check the names in a mapping."""
    if isinstance(content, list):
        named: dict[str, Any] = {}
        for number, entry in enumerate(content, 1):
            written = entry.get("analysis") if isinstance(entry, dict) else entry
            if not isinstance(written, str):
                raise SpecError(
                    f"entry {number} does not name an analysis",
                    allowed=f"a plug-in, or the keys {', '.join(MetricAnalysisEntry.model_fields)}",
                )
            name = parse(written).name.rpartition(".")[2].lower().replace("_", "-")
            again = sum(other == name or re.fullmatch(rf"{name}-\d+", other) is not None for other in named)
            named[f"{name}-{again + 1}" if again else name] = entry
        return named
    return check_names(content, "an analysis")


Analyses = Annotated[
    dict[str, MetricAnalysisEntry],
    BeforeValidator(_name_analyses, json_schema_input_type=dict[str, MetricAnalysisEntry | str] | list[MetricAnalysisEntry | str]),
]
