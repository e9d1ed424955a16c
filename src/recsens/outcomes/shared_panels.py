"""Panels, each with the designs that share it, and what panels of all metrics have in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recsens.comparison.aggregation import Cover
from recsens.comparison.users import Population
from recsens.metrics import MeasuredAt
from recsens.outcomes.measuring.stored_rankings import Cell
from recsens.outcomes.panels import FoldMeasures, Panel, PooledPanel
from recsens.study import Experiment


@dataclass(frozen=True, slots=True)
class FoldFrame:
    """All that is known about one system's rankings on one fold, whatever the metric.

    Attributes
    ----------
    cell
        The rankings, under a view and a relevance threshold.
    n_measured
        Number of rankings measured for each user, shape (n_groups, n_users).
    admitted
        Whether B1 admits the user, shape (n_users,).
    population
        Numbers of ratings, and lengths of rankings.
    cover
        Numbers of rankings, of covered rankings, and of filled ranks at the cut-offs of all metrics.
    """

    cell: Cell
    n_measured: NDArray[np.int64]
    admitted: NDArray[np.bool_]
    population: Population
    cover: Cover

    def measures(self, values: NDArray[np.float64]) -> FoldMeasures:
        """Add a metric's values, shape (n_groups, n_users)."""
        return FoldMeasures.of(values, self.n_measured, self.admitted, self.population, self.cover)


FoldFrames = Mapping[str, Sequence[FoldFrame]]
"""The frames of each system, fold by fold."""


@dataclass(frozen=True, slots=True)
class Shared:
    """A metric's values under designs that differ only in how users' values are aggregated and tested.

    Attributes
    ----------
    experiment, label
        The experiment and its label.
    numbers
        The numbers of the designs that share the values.
    measured
        The metric.
    panel
        The values of all systems.
    frames
        All that is known about the same rankings, whatever the metric.
    """

    experiment: Experiment
    label: str
    numbers: Sequence[int]
    measured: MeasuredAt
    panel: Panel | PooledPanel
    frames: FoldFrames
