"""The contract of analyses of metrics, and of their findings."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import stats

from recsens.conclusions.meta._judged_rankings import Board
from recsens.errors import SpecError
from recsens.metrics import MeasuredAt, Metric
from recsens.plugins import Plugin
from recsens.plugins.own import Call, returns
from recsens.ranking.targets import Targets
from recsens.study import Decisions, MetricAnalysisTask


@dataclass(frozen=True, slots=True)
class Finding:
    """One number that an analysis computes.

    Attributes
    ----------
    quantity
        The name of the number: one of the analysis's `MetricAnalysis.quantities`.
    value
        The number; NaN if it is undefined.
    metric, against
        The metric that the number is about, and another metric with which it is compared.
    at
        Position on the analysis's axis, such as a share, a size or a depth.
    system_a, system_b
        Labels of the systems that the number is about.
    low, high
        Interval of the value.
    spread
        Standard deviation of the values that were averaged.
    n
        Number of samples, pairs or users over which the values were averaged.
    """

    quantity: str
    value: float
    metric: MeasuredAt | None = None
    against: MeasuredAt | None = None
    at: float = math.nan
    system_a: str = ""
    system_b: str = ""
    low: float = math.nan
    high: float = math.nan
    spread: float = math.nan
    n: int = 0


def _check_findings(call: Call, findings: object) -> list[Finding]:
    if not isinstance(findings, Sequence) or not all(isinstance(finding, Finding) for finding in findings):
        raise call.refused(f"returned {type(findings).__name__}", "a list of Findings")
    unknown = sorted({finding.quantity for finding in findings} - set(call.plugin.quantities))
    if unknown:
        raise call.refused(f"returned the quantity '{unknown[0]}'", ", ".join(call.plugin.quantities))
    return list(findings)


class MetricAnalysis(Plugin):
    """An analysis of metrics, based on the judged rankings of all systems in one fold."""

    kind: ClassVar[str] = "analysis"
    quantities: ClassVar[dict[str, str]]
    """The quantities that the analysis finds: the name of each quantity, and its meaning in a sentence."""
    headline: ClassVar[str]
    """The headline: the quantity by which metrics are ordered, with one number per metric."""
    best_says: ClassVar[str] = "comes first"
    """The report's words after the name of the first metric, such as ``tells systems apart best``."""
    is_merit: ClassVar[bool] = True
    """Whether the headline shows how good a metric is, instead of only how similar it is to other metrics."""
    sampled: ClassVar[str] = "samples"
    """Words for the cases that `Finding.n` counts for the headline quantity; the quantity's interval is over these cases."""
    less_is_better: ClassVar[frozenset[str]] = frozenset()
    """Quantities for which lower numbers are better; for all other quantities, higher numbers are better."""
    undirected: ClassVar[frozenset[str]] = frozenset()
    """Quantities for which neither higher nor lower numbers are better."""
    several: ClassVar[frozenset[str]] = frozenset()
    """Quantities with several numbers per metric: one for each point of the axis, each pair of systems, or each other metric."""
    not_averaged: ClassVar[frozenset[str]] = frozenset()
    """Quantities that are not averaged over folds, such as p-values, whose mean is not a p-value."""
    axis: ClassVar[str] = ""
    """The meaning of `Finding.at`, with its unit."""
    axis_falls: ClassVar[bool] = False
    """Whether figures draw the axis from its largest number to its smallest, with the whole test set on the left."""
    drawn_by: ClassVar[str] = ""
    """Spec (without ``analysis``) of the figure for the analysis in a study without ``figures``; empty if there is no figure."""
    judges_ratings: ClassVar[bool] = False
    """Whether the analysis also judges designs with one ranking per relevant rating (1R); each user's value is then a mean."""
    judges_pooled: ClassVar[tuple[type[Metric], ...]] = ()
    """The metrics with one value for all users together that the analysis also judges, by base class."""
    thins: ClassVar[bool] = False
    """Whether the analysis removes test ratings; this is valid only if target items do not depend on the test set."""

    @property
    def higher_is_better(self) -> bool:
        """Whether metrics with larger headline values come first."""
        return self.headline not in self.less_is_better

    def check(self, task: MetricAnalysisTask) -> None:
        """Refuse metrics that this analysis cannot handle; called when the study file is read.

        Raises
        ------
        SpecError
            The message names the metric and says what is allowed.
        """
        for measured in task.metrics:
            metric = measured.metric
            if metric.unit != "user" and not isinstance(metric, self.judges_pooled):
                raise SpecError(
                    f"metric '{measured.written}' has one value for all users together, but the analysis compares users' values",
                    allowed="metrics with one value per user",
                )
            if metric.reads_earlier:
                problem = f"metric '{measured.written}' compares the lists of several folds, but an analysis judges one"
                raise SpecError(problem, allowed="metrics of one ranking per user")
            if metric.is_descriptive:
                raise SpecError(
                    f"metric '{measured.written}' describes rankings, but does not say which system is better",
                    allowed="other metrics",
                )
            if self.thins and metric.reads == "lists" and "relevance" in metric.ignored:
                raise SpecError(
                    f"metric '{measured.written}' does not read test ratings, so leaving some of them out cannot change its values",
                    allowed="metrics that read test ratings, such as nDCG or EPD(relevance=binary)",
                )

    def check_design(self, design: Decisions) -> None:
        """Refuse a design with rankings that this analysis cannot handle; called when the study file is read.

        Raises SpecError if there is one ranking for each relevant rating (1R), unless the analysis judges such rankings. Also
        raises SpecError if the analysis removes test ratings and the target items depend on the test set.
        """
        targets = Targets.build(design.targets)
        if targets.unit != "user" and not self.judges_ratings:
            raise SpecError(
                f"with targets '{targets.spec}', each relevant rating has its own ranking, with one judged item (1R)",
                allowed="targets with one ranking per user, such as ar",
            )
        if self.thins and targets.uses_test:
            raise SpecError(
                f"targets '{targets.spec}' depend on the test set, so a part of the test set must be ranked again",
                allowed="targets that do not depend on the test set, such as ar",
                remedy="thin the split instead: split: thinned(...)",
            )

    @abstractmethod
    @returns(_check_findings)
    def analyse(self, board: Board, task: MetricAnalysisTask) -> list[Finding]:
        """Analyse all metrics on one fold."""


FINDINGS = pa.schema(
    [
        pa.field("quantity", pa.string(), nullable=False),
        *(pa.field(name, pa.string(), nullable=False) for name in ("metric", "metric_full", "against", "against_full")),
        pa.field("at", pa.float64()),
        *(pa.field(name, pa.string(), nullable=False) for name in ("system_a", "system_b")),
        *(pa.field(name, pa.float64()) for name in ("value", "low", "high", "spread")),
        pa.field("n", pa.int64(), nullable=False),
    ],
    metadata={"kind": "findings 1"},
)
"""The findings of an analysis on one fold, one number per row; metrics are named as in the study, and with every parameter."""

ALL = "all"
"""Name of the fold in rows over all folds."""

_KEY = ("quantity", "metric", "metric_full", "against", "against_full", "at", "system_a", "system_b")
_CONFIDENCE = 0.95


def columns_of(findings: Sequence[Finding]) -> dict[str, list[object]]:
    """Return findings as the columns of `FINDINGS`."""
    columns: dict[str, list[object]] = {
        each.name: [getattr(finding, each.name) for finding in findings]
        for each in fields(Finding)
        if each.name not in {"metric", "against"}
    }
    for name in ("metric", "against"):
        named: list[MeasuredAt | None] = [getattr(finding, name) for finding in findings]
        columns[name] = ["" if each is None else each.written for each in named]
        columns[f"{name}_full"] = ["" if each is None else str(each) for each in named]
    return columns


def average_over_folds(analysis: MetricAnalysis, folds: pd.DataFrame) -> pd.DataFrame:
    """Average findings over several folds, as rows of fold ``all``.

    Parameters
    ----------
    analysis
        The analysis; quantities that the analysis does not average over folds are left out.
    folds
        The columns of `FINDINGS`, and ``fold``.

    Returns
    -------
    pandas.DataFrame
        The rows of the fold, if there is only one. If there are several folds, there is a row for each number that any fold has:
        the mean of the defined values, their standard deviation, the 95 % Student interval of the mean and, in ``n``, the number of
        folds with a value. If only one fold has a value, the deviation and the interval are NaN. Folds are treated as independent,
        although they share users and ratings.
    """
    kept = folds[~folds["quantity"].isin(analysis.not_averaged)]
    if folds["fold"].nunique() < 2:
        return kept.assign(fold=ALL)
    grouped = kept.groupby(list(_KEY), sort=False, dropna=False)["value"]
    means = grouped.agg(value="mean", spread="std", n="count").reset_index()
    reach = stats.t.ppf((1 + _CONFIDENCE) / 2, np.maximum(means["n"] - 1, 1)) * means["spread"] / np.sqrt(means["n"])
    return means.assign(low=means["value"] - reach, high=means["value"] + reach, fold=ALL)
