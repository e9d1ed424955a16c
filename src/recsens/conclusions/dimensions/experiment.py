"""The results of one experiment of a study, used to judge claims and to draw figures."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import pandas as pd

from recsens.conclusions.dimensions.values import Values
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.study_tables import empty, rows_of
from recsens.study import Experiment


@dataclass(frozen=True)
class ExperimentResults:
    """The results of an experiment.

    Attributes
    ----------
    experiment
        The experiment.
    summary
        One row per data set, design, system and metric (``summary.csv``).
    comparisons
        One row per data set, design, pair of systems, metric and fold (``comparisons.csv``).
    verdicts
        The winner of each comparison by a metric that ranks systems (``verdicts.csv``).
    findings
        The findings of analyses of metrics, one row per number (``findings.csv``).
    """

    experiment: Experiment
    summary: pd.DataFrame
    comparisons: pd.DataFrame
    verdicts: PairVerdicts
    findings: pd.DataFrame = field(default_factory=lambda: empty("findings"))

    @classmethod
    def of(
        cls,
        experiment: Experiment,
        summary: pd.DataFrame,
        comparisons: pd.DataFrame,
        verdicts: pd.DataFrame,
        findings: pd.DataFrame | None = None,
        **further: Any,
    ) -> Self:
        """Select one experiment's rows from the tables of a study."""
        found = empty("findings") if findings is None else rows_of(experiment, findings)
        # Select by analysis too, because two experiments on the same data set may have different analyses.
        found = found[found["analysis"].isin(list(experiment.analyses))]
        tables = rows_of(experiment, summary), rows_of(experiment, comparisons)
        return cls(experiment, *tables, PairVerdicts.of(experiment, verdicts), found, **further)

    @cached_property
    def values(self) -> Values:
        """The summary's rows, by coordinates."""
        return Values(self.summary)
