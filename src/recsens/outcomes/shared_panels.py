"""Panels, each with the designs that share it, and what panels of all metrics have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.comparison.aggregation import Cover
from recsens.comparison.users import Population
from recsens.metrics import MeasuredAt
from recsens.outcomes.measuring.stored_rankings import Cell
from recsens.outcomes.panels import FoldMeasures, Panel, PooledPanel
from recsens.study import Experiment


@dataclass(frozen=True, slots=True)
class UserRows:
    """The rows of a filtered data set's users among the users of all designs, so that a row is the same user in every design.

    Attributes
    ----------
    rows
        The row of each user, ascending; None if the users of all designs are the same.
    n_users
        Number of users of all designs.
    """

    rows: NDArray[np.int64] | None = None
    n_users: int = 0

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Arrange values of the filtered data set's users by row, shape (..., n_users); 0 or False for all other users."""
        if self.rows is None:
            return values
        spread = np.zeros((*values.shape[:-1], self.n_users), dtype=values.dtype)
        spread[..., self.rows] = values
        return spread


def rows_of_users(keys: Mapping[str, NDArray[np.int64]]) -> dict[str, UserRows]:
    """Give every user one row, however the data set is filtered; ``keys`` has users' keys before any filter, by folder."""
    by_dataset: dict[PurePath, dict[str, NDArray[np.int64]]] = {}
    for folder, own in keys.items():
        by_dataset.setdefault(PurePath(folder).parent, {})[folder] = own
    found: dict[str, UserRows] = {}
    for filtered in by_dataset.values():
        everybody = np.unique(np.concatenate(list(filtered.values())))
        found |= {folder: UserRows(np.searchsorted(everybody, own), len(everybody)) for folder, own in filtered.items()}
    return found


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
    users
        The rows of the filtered data set's users in all these arrays.
    """

    cell: Cell
    n_measured: NDArray[np.int64]
    admitted: NDArray[np.bool_]
    population: Population
    cover: Cover
    users: UserRows = UserRows()

    @classmethod
    def of(
        cls,
        cell: Cell,
        n_measured: NDArray[np.int64],
        admitted: NDArray[np.bool_],
        population: Population,
        cover: Cover,
        users: UserRows,
    ) -> FoldFrame:
        """Arrange what is known about the users of a filtered data set by the rows of the users of all designs."""
        spread = users.spread
        return cls(
            cell,
            spread(n_measured),
            spread(admitted),
            Population(*(spread(getattr(population, name)) for name in Population.__slots__)),
            Cover(spread(cover.rankings), spread(cover.covered), {depth: spread(filled) for depth, filled in cover.filled.items()}),
            users,
        )

    def measures(self, values: NDArray[np.float64], settled: NDArray[np.bool_] | None = None) -> FoldMeasures:
        """Add a metric's values for the users of the filtered data set, shape (n_groups, n_users).

        ``settled`` says, in the same shape, whether every ranking would have the same value.
        """
        known = None if settled is None else (self.users.spread(settled) | (self.n_measured == 0)).all(axis=0)
        of_users = FoldMeasures.of(self.users.spread(values), self.n_measured, self.admitted, self.population, self.cover)
        return replace(of_users, settled=known)


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
