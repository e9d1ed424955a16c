"""Panels, each with the designs that share it, and what panels of all metrics have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Bools, Floats, Ints
from recsens.comparison.aggregation import Cover
from recsens.comparison.users import Population, Users
from recsens.metrics import MeasuredAt
from recsens.outcomes.measuring.stored_measures import Measured
from recsens.outcomes.measuring.stored_rankings import Cell
from recsens.outcomes.panels import FoldMeasures, Panel, PooledFold, PooledPanel, PooledValues, SystemMeasures
from recsens.plugins.specs import Spec
from recsens.ranking.targets import Targets
from recsens.study import Experiment
from recsens.study.design import Design
from recsens.study.designs import fitted
from recsens.vocabulary import COVERAGES


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

    rows: Ints | None = None
    n_users: int = 0

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Arrange values of the filtered data set's users by row, shape (..., n_users); 0 or False for all other users."""
        if self.rows is None:
            return values
        spread = np.zeros((*values.shape[:-1], self.n_users), dtype=values.dtype)
        spread[..., self.rows] = values
        return spread


def rows_of_users(keys: Mapping[str, Ints]) -> dict[str, UserRows]:
    """Give every user one row, however the data set is filtered; ``keys`` has users' keys before any filter, by folder."""
    by_dataset: dict[PurePath, dict[str, Ints]] = {}
    for folder, own in keys.items():
        by_dataset.setdefault(PurePath(folder).parent, {})[folder] = own
    found: dict[str, UserRows] = {}
    for filtered in by_dataset.values():
        everybody = np.unique(np.concatenate(list(filtered.values())))
        found |= {folder: UserRows(np.searchsorted(everybody, own), len(everybody)) for folder, own in filtered.items()}
    return found


def design_cells(design: Design, system: Spec) -> list[Cell]:
    """List the cells of a system under a design, fold by fold."""
    return [Cell(str(design.ranking_folder(fold, system)), design.view, design.relevance) for fold in fitted(design)]


@dataclass(frozen=True, slots=True)
class FoldFrame:
    """All that is known about one system's rankings on one fold, whatever the metric; a metric's values are looked up.

    Attributes
    ----------
    cell
        The rankings, under a view and a relevance threshold.
    stored
        The measures.
    selection
        The selection of users (B1).
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
    stored: Measured
    selection: str
    n_measured: Ints
    admitted: Bools
    population: Population
    cover: Cover
    users: UserRows = UserRows()

    @classmethod
    def read(cls, stored: Measured, cell: Cell, users: Spec, depths: Sequence[int] = (), rows: UserRows = UserRows()) -> FoldFrame:
        """Select the users of a cell, and arrange what is known about them by the rows of the users of all designs."""
        population, cover, spread = stored.population(cell), stored.cover(cell, depths), rows.spread
        return cls(
            cell,
            stored,
            str(users),
            spread(stored.n_measured(cell)),
            spread(Users.build(users).admit(population)),
            Population(*(spread(getattr(population, name)) for name in Population.__slots__)),
            Cover(
                spread(cover.rankings),
                spread(cover.covered),
                {depth: spread(filled) for depth, filled in cover.filled.items()},
                *(spread(own) for own in (cover.targets, cover.scored) if own is not None),
            ),
            rows,
        )

    def measures(self, values: Floats, settled: Bools | None = None) -> FoldMeasures:
        """Add a metric's values for the users of the filtered data set, shape (n_groups, n_users).

        ``settled`` says, in the same shape, whether every ranking would have the same value.
        """
        known = None if settled is None else (self.users.spread(settled) | (self.n_measured == 0)).all(axis=0)
        of_users = FoldMeasures.of(self.users.spread(values), self.n_measured, self.admitted, self.population, self.cover)
        return replace(of_users, settled=known)

    def scores(self, measured: MeasuredAt) -> FoldMeasures:
        """Look up the values of a metric with one value per user."""
        return self.measures(self.stored.values(self.cell, measured), self.stored.settled(self.cell, measured))

    def without_values(self) -> FoldMeasures:
        """Return zeros in place of values: which users are admitted, and how many of each user's rankings are covered."""
        zeros = np.zeros(self.n_measured.shape)
        return FoldMeasures.of(zeros, self.n_measured, self.admitted, self.population, self.cover)

    def pooled(self, measured: MeasuredAt) -> PooledFold:
        """Look up the values of a pooled metric, one under each coverage policy."""
        values = {each: self.stored.pooled(self.cell, measured, self.selection, each) for each in COVERAGES}
        # Under 1R, a user without a relevant rating has no ranking to pool.
        admitted = self.admitted & (self.n_measured.sum(axis=0) > 0)
        return PooledFold(values, admitted, self.population, self.cover)


FoldFrames = Mapping[str, Sequence[FoldFrame]]
"""The frames of each system, fold by fold."""


def panel_of(frames: FoldFrames, measured: MeasuredAt, design: Design, columns: Mapping[str, NDArray[Any]]) -> Panel | PooledPanel:
    """Look up all systems' values under a design; ``columns`` are those of the table of users, by name.

    Raises
    ------
    ArtefactError
        If measures and counts of users do not belong together.
    """
    if measured.metric.unit == "pooled":
        pooled = {name: PooledValues(tuple(frame.pooled(measured) for frame in own)) for name, own in frames.items()}
        return PooledPanel(pooled, design.coverage)
    systems = {name: SystemMeasures(tuple(frame.scores(measured) for frame in own)) for name, own in frames.items()}
    for name, scores in systems.items():
        scores.check_identity(f"'{name}' by {measured}")
    return Panel(systems, Targets.build(design.targets).unit, design.coverage, columns)


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

    @property
    def head(self) -> dict[str, Any]:
        """The cells of a row of results that name the data set and the metric."""
        return {"dataset": self.label, "metric": self.measured.written, "metric_full": str(self.measured)}
