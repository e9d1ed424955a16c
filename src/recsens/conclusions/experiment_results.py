"""The results of one experiment of a study, used to judge claims and to draw figures."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import pandas as pd

from recsens.conclusions.design_space import option_of
from recsens.conclusions.dimensions import Coordinates
from recsens.conclusions.verdicts.components import in_full, measured
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.study_tables import Results, experiment_rows, records
from recsens.study import Decisions, Experiment
from recsens.study.taxonomy import DECISIONS, decision

DesignKey = tuple[str, ...]
"""The options of a design in full, in the order of `recsens.study.taxonomy.DECISIONS`."""


def design_key(design: Decisions) -> DesignKey:
    """Return the key of a design."""
    return tuple(_option_in_full(each.key, option_of(each, design)) for each in DECISIONS)


def design_in(row: Mapping[str, Any]) -> DesignKey:
    """Return the design key in a row."""
    return tuple(_option_in_full(each.key, str(row[each.column])) for each in DECISIONS)


@cache
def _option_in_full(key: str, text: str) -> str:
    kind = decision(key).kind
    return text if kind is None else str(in_full(kind, text))


@dataclass(frozen=True)
class ExperimentResults:
    """The results of an experiment.

    Attributes
    ----------
    experiment
        The experiment.
    results
        The tables of its study.
    """

    experiment: Experiment
    results: Results

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row per data set, design, system and metric (``summary.csv``)."""
        return experiment_rows(self.experiment, self.results.summary)

    @cached_property
    def comparisons(self) -> pd.DataFrame:
        """One row per data set, design, pair of systems, metric and fold (``comparisons.csv``)."""
        return experiment_rows(self.experiment, self.results.comparisons)

    @cached_property
    def verdicts(self) -> PairVerdicts:
        """The winner of each comparison by a metric that ranks systems (``verdicts.csv``)."""
        return PairVerdicts.of(self.experiment, self.results.verdicts)

    @cached_property
    def findings(self) -> pd.DataFrame:
        """The findings of analyses of metrics, one row per number (``findings.csv``)."""
        found = experiment_rows(self.experiment, self.results.findings)
        # Select by analysis too, because two experiments on the same data set may have different analyses.
        return found[found["analysis"].isin(list(self.experiment.analyses))]

    @cached_property
    def _summary_rows(self) -> dict[tuple[Any, ...], dict[str, Any]]:
        return {(row["dataset"], row["system"], str(measured(row["metric"])), design_in(row)): row for row in records(self.summary)}

    def row(self, at: Coordinates) -> Mapping[str, Any] | None:
        """Return the summary's row for a data set, a system, a metric and a design; None if there is none."""
        return self._summary_rows.get((at.dataset, at.system, str(at.metric), design_key(at.design)))

    def number(self, at: Coordinates, column: str = "value") -> float:
        """Return the number in a column of `row`; NaN if no row has these coordinates."""
        row = self.row(at)
        return math.nan if row is None else float(row[column])
