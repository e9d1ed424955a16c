"""The metrics in an analysis's order, best first."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import pandas as pd

from recsens.conclusions.meta import MetricAnalysis
from recsens.conclusions.verdicts.study_tables import records
from recsens.study import Experiment, Study


@dataclass(frozen=True, slots=True)
class PlacedMetric:
    """An analysis's finding about a metric: a number, its interval (or NaN), the number of cases, and the metric's rank."""

    metric: str
    value: float
    low: float
    high: float
    n: int
    rank: float


@dataclass(frozen=True)
class MetricOrder:
    """An analysis's order of metrics on one data set.

    Attributes
    ----------
    dataset, name
        Labels of the data set and of the analysis.
    analysis
        The plug-in.
    judged
        The metrics, best first; equal numbers have their mean rank, and metrics without a number come last.
    """

    dataset: str
    name: str
    analysis: MetricAnalysis
    judged: tuple[PlacedMetric, ...]

    @property
    def by_metric(self) -> dict[str, PlacedMetric]:
        """The metrics by name."""
        return {each.metric: each for each in self.judged}


def all_metric_orders(study: Study, findings: pd.DataFrame) -> list[MetricOrder]:
    """List the metric order for every analysis of a study, experiment by experiment."""
    return [order for part in study.all_experiments() for order in _orders(part, findings)]


def _orders(part: Experiment, findings: pd.DataFrame) -> Iterator[MetricOrder]:
    """Yield the order for each of an experiment's analyses on each data set, over all folds."""
    for dataset in part.datasets:
        for name, entry in part.analyses.items():
            analysis = cast("MetricAnalysis", entry.analysed)
            chosen = (findings["dataset"] == dataset) & (findings["analysis"] == name) & (findings["fold"] == "all")
            rows = findings[chosen & (findings["quantity"] == analysis.headline)]
            if len(rows):
                yield MetricOrder(dataset, name, analysis, _ordered(analysis, rows))


def _ordered(analysis: MetricAnalysis, rows: pd.DataFrame) -> tuple[PlacedMetric, ...]:
    ascending = not analysis.higher_is_better
    ranked = rows.assign(rank=rows["value"].rank(ascending=ascending, na_option="bottom"))
    ordered = ranked.sort_values("rank", kind="stable")
    return tuple(
        PlacedMetric(row["metric"], row["value"], row["low"], row["high"], int(row["n"]), row["rank"]) for row in records(ordered)
    )
