"""The findings of an analysis of metrics, and the selection that a figure shows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from recsens.conclusions.dimensions import metrics_of
from recsens.conclusions.meta import MetricAnalysis
from recsens.errors import SpecError, nearest
from recsens.metrics import MeasuredAt
from recsens.report.figures._base import FigureData
from recsens.study import Experiment

MOST_LINES = 12
"""By default, a figure shows at most this many metrics."""


@dataclass(frozen=True)
class ShownMetricAnalysis:
    """An analysis that a figure shows.

    Attributes
    ----------
    name
        The name of the analysis in the study.
    analysis
        The plug-in.
    experiment
        The experiment that the analysis is about, with the metrics that are analysed.
    """

    name: str
    analysis: MetricAnalysis
    experiment: Experiment

    @property
    def metrics(self) -> Sequence[MeasuredAt]:
        """The metrics that are analysed."""
        return self.experiment.metrics

    def named(self, names: Sequence[str]) -> list[MeasuredAt]:
        """Return the metrics with these names, each once; a name without a cut-off selects all cut-offs of the metric.

        Raises SpecError if the analysis does not cover one of the metrics.
        """
        return list(dict.fromkeys(at for name in names for at in self._metrics_called(name)))

    def _metrics_called(self, name: str) -> list[MeasuredAt]:
        try:
            return metrics_of(self.experiment, name)
        except SpecError:
            every = [at for at in self.metrics if not at.is_whole and name in {at.spelling, str(at.metric.spec)}]
            if every:
                return every
            names = [at.written for at in self.metrics]
            raise SpecError(
                f"metrics: '{name}' is not among those of analysis '{self.name}'{nearest(name, names)}", allowed=", ".join(names)
            ) from None

    def lines(self, names: Sequence[str]) -> list[MeasuredAt]:
        """Return the metrics with these names; by default all metrics or, if there are too many, each at its deepest cut-off."""
        if names:
            return self.named(names)
        deepest = {at.metric: at for at in sorted(self.metrics, key=lambda at: at.cutoff)}
        kept = [at for at in self.metrics if deepest[at.metric] == at]
        return list(self.metrics) if len(self.metrics) <= MOST_LINES or len(kept) < 2 else kept

    def shown(self, metrics: Sequence[MeasuredAt]) -> str:
        """Say, for a caption, that a figure shows only some metrics by default; empty if it shows all."""
        n, of = len(metrics), len(self.metrics)
        return f"Each metric is shown only at its deepest cut-off ({n} of {of} lines)." if n < of else ""

    def rows(self, data: FigureData, quantity: str, *, of_folds: bool = False) -> pd.DataFrame:
        """Return a quantity's rows: over all folds or, if ``of_folds``, for each fold."""
        findings = data.findings
        is_fold = (findings["fold"] != "all") if of_folds else (findings["fold"] == "all")
        return findings[(findings["analysis"] == self.name) & (findings["quantity"] == quantity) & is_fold]


def analysed(
    experiment: Experiment, named: str, quantity: str, fits: Callable[[MetricAnalysis], bool] = lambda _: True
) -> ShownMetricAnalysis:
    """Find the analysis that a figure shows.

    Raises SpecError if there is no such analysis, or if there are several and ``named`` is empty.

    Parameters
    ----------
    experiment
        The experiment.
    named
        Name of the analysis; empty for the only analysis that fits.
    quantity
        The quantity that the figure shows.
    fits
        Function that returns whether the figure can show an analysis with this quantity.
    """
    built = {name: MetricAnalysis.build(entry.analysis) for name, entry in experiment.analyses.items()}
    fitting = [name for name, analysis in built.items() if quantity in analysis.quantities and fits(analysis)]
    if named and named not in built:
        names = ", ".join(fitting) or "none, because no analysis fits; add an analysis to 'meta'"
        raise SpecError(f"analysis: the experiment has no analysis '{named}'{nearest(named, built)}", allowed=names)
    if named and named not in fitting:
        quantities = list(built[named].quantities)
        raise SpecError(
            f"analysis: '{named}' ({built[named].spec}) computes no '{quantity}' of the kind that the figure shows"
            f"{nearest(quantity, set(quantities) - {quantity})}",
            allowed=f"quantities of this analysis: {', '.join(quantities)}; analyses that compute '{quantity}': "
            f"{', '.join(fitting) or 'none'}",
        )
    if not fitting:
        every = sorted({quantity_name for analysis in built.values() for quantity_name in analysis.quantities})
        raise SpecError(
            f"no analysis of the experiment computes '{quantity}'{nearest(quantity, every)}",
            allowed=", ".join(every) or "none, because the experiment has no analyses",
            remedy="add an analysis to 'meta'",
        )
    if not named and len(fitting) > 1:
        raise SpecError(f"analysis: {len(fitting)} analyses compute '{quantity}'; name one", allowed=", ".join(fitting))
    name = named or fitting[0]
    entry = experiment.analyses[name]
    return ShownMetricAnalysis(name, built[name], replace(experiment, metrics=entry.metrics_of(experiment)))
