"""Panels: users' values for all systems under one design, fold by fold, with the users who count and the users' weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Bools, Floats, Ints
from recsens.comparison.aggregation import Cover, UserMeasures, counted, identity_gap, weighted_user_means
from recsens.comparison.users import Population
from recsens.errors import ArtefactError
from recsens.outcomes.rounding import rounded
from recsens.vocabulary import Coverage

ALL_ALIKE = "every ranking has the same value"
NOBODY_COMPARED = "no user is compared"
"""Reasons why an analysis can say nothing about two systems."""

_TOLERANCE = 1e-9
"""Largest rounding error in the identity between full and reduced averages."""


@dataclass(frozen=True)
class GroupedValues:
    """Values measured in several groups of rankings; under P1R, each percentile is a group.

    Attributes
    ----------
    values
        Each user's value in each group, shape (n_groups, n_users).
    shares
        The share of each group's rankings that belong to each user, shape (n_groups, n_users).
    """

    values: Floats
    shares: Floats

    def expected(self, counts: Bools) -> Floats:
        """Return Σ_k s_ku m_k / Σ_k s_ku for each user u who counts, and 0 for all other users.

        s_ku is u's share of the rankings of group k, and m_k is the mean of this group over the users who count.
        """
        shares = self.shares * counts
        totals, weights = shares.sum(axis=1), shares.sum(axis=0)
        sums = (shares * np.where(shares > 0, self.values, 0.0)).sum(axis=1)
        means = np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)
        return np.asarray(np.divide(means @ shares, weights, out=np.zeros_like(weights), where=weights > 0))


@dataclass(frozen=True)
class FoldMeasures:
    """One system's values on one fold.

    Attributes
    ----------
    values
        Each user's value, shape (n_users,); NaN if the metric is undefined for the user.
    weights
        Each user's weight, shape (n_users,): 1 or, under 1R, the number of the user's measured ratings.
    admitted
        Whether B1 admits the user, shape (n_users,).
    population
        Numbers of ratings, and lengths of rankings.
    cover
        Numbers of rankings, and of covered rankings, of each user.
    groups
        The values of the groups that were joined; None if there is a single group.
    settled
        Whether all rankings of the user's targets have the same value, shape (n_users,); None if this is not known.
    """

    values: Floats
    weights: Floats
    admitted: Bools
    population: Population
    cover: Cover
    groups: GroupedValues | None = None
    settled: Bools | None = None

    @classmethod
    def of(cls, values: Floats, n_measured: Ints, admitted: Bools, population: Population, cover: Cover) -> FoldMeasures:
        """Join the values of groups of rankings; both arrays have shape (n_groups, n_users).

        With a single group, every ranking has the same weight. With several groups (the percentiles of P1R), the groups have equal
        weights, and so do the rankings within a group. Groups without a ranking of an admitted user are left out.
        """
        totals = (n_measured * admitted).sum(axis=1, keepdims=True)
        shares = n_measured / np.where(totals > 0, totals, 1) if len(values) > 1 else n_measured.astype(np.float64)
        shares = shares * (totals > 0)
        weights = shares.sum(axis=0)
        sums = (shares * values).sum(axis=0)
        means = values[0] if len(values) == 1 else np.divide(sums, weights, out=np.zeros_like(sums), where=weights > 0)
        groups = GroupedValues(values, shares) if len(values) > 1 else None
        return cls(means, weights, admitted & (weights > 0), population, cover, groups)

    def counts(self, coverage: Coverage) -> Bools:
        """Return which users enter the average."""
        return counted(self.admitted, self.population.listed, coverage) & ~np.isnan(self.values)

    def expected(self, coverage: Coverage) -> Floats | None:
        """Return each user's value if every ranking had its group's mean (`GroupedValues.expected`); None for a single group."""
        return None if self.groups is None else self.groups.expected(self.counts(coverage))

    def mean(self, coverage: Coverage) -> float:
        """Return the arithmetic mean, whatever the design's aggregate is; NaN if no user counts."""
        mask = self.counts(coverage)
        total = self.weights[mask].sum()
        return float((self.weights[mask] * self.values[mask]).sum() / total) if total > 0 else float("nan")


@dataclass(frozen=True)
class SystemMeasures:
    """One system's values on all folds of a design."""

    folds: tuple[FoldMeasures, ...]

    def mean(self, coverage: Coverage) -> float:
        """Average the arithmetic means of the folds that have one."""
        means = np.array([fold.mean(coverage) for fold in self.folds])
        return float(means[~np.isnan(means)].mean()) if not np.isnan(means).all() else float("nan")

    def check_identity(self, where: str) -> None:
        """Check on each fold that the full average equals the reduced average times the share of users with a ranking.

        The identity holds if users without a ranking score zero and all users have the same weight; otherwise it is not checked.
        (Cañamares, Castells & Moffat 2020, section 3.9, print the identity inverted.)

        Raises
        ------
        ArtefactError
            If the identity does not hold, which means that the measures and the counts of users do not belong together.
        """
        for fold in self.folds:
            # Users for whom the metric is undefined are in neither average.
            averaged, listed = fold.counts("full"), fold.population.listed
            if not averaged.any() or fold.values[averaged & (listed == 0)].any() or np.ptp(fold.weights[averaged]) > 0:
                continue
            full, reduced = fold.mean("full"), fold.mean("reduced")
            if identity_gap(full, reduced, float((listed[averaged] > 0).mean())) > _TOLERANCE * max(1.0, abs(full)):
                raise ArtefactError(
                    "the full average is not the reduced average times the share of users with a ranking: measures and counts of "
                    "users disagree",
                    where=where,
                    remedy="delete the study's folder 'measures' and run again",
                )


@dataclass(frozen=True)
class Panel:
    """All systems of a study under one design, measured by one metric at one cut-off.

    Attributes
    ----------
    systems
        The values of each system, by label.
    unit
        What has the same weight: every user, or every rating.
    coverage
        Whether users without a ranking count (decision C4).
    user_columns
        Columns of the data set's table of users, by name.
    """

    systems: Mapping[str, SystemMeasures]
    unit: Literal["user", "rating"]
    coverage: Coverage
    user_columns: Mapping[str, NDArray[Any]]

    @cached_property
    def by_fold(self) -> list[UserMeasures]:
        """Each user's values on each fold."""
        return [self._values_on_fold(fold) for fold in range(len(self._folds))]

    @property
    def first_population(self) -> Population:
        """The users' counts in the first fold."""
        return self._folds[0].population

    def of_pair(self, a: str, b: str) -> Panel:
        """Return a panel of two systems that admits, on each fold, only the users who count for both systems."""
        first, second = self.systems[a].folds, self.systems[b].folds
        both = [x.counts(self.coverage) & y.counts(self.coverage) for x, y in zip(first, second, strict=True)]
        alike = {
            name: SystemMeasures(tuple(replace(fold, admitted=mask) for fold, mask in zip(folds, both, strict=True)))
            for name, folds in ((a, first), (b, second))
        }
        return replace(self, systems=alike)

    def why_uninformative(self, a: str, b: str) -> str:
        """Say why the panel cannot tell two systems apart, whatever they rank; empty if it can.

        It cannot if it compares no user, or if every compared user has equal values that no ranking of the same targets changes.
        Equal values alone are no reason: equal systems, and ties between systems, are results.
        """
        n_users = 0
        for first, second in zip(self.systems[a].folds, self.systems[b].folds, strict=True):
            both = first.counts(self.coverage) & second.counts(self.coverage)
            is_settled = np.zeros(len(both), dtype=np.bool_) if first.settled is None else first.settled
            if (both & ~(is_settled & (rounded(first.values - second.values) == 0))).any():
                return ""
            n_users += int(both.sum())
        return ALL_ALIKE if n_users else NOBODY_COMPARED

    @property
    def _folds(self) -> tuple[FoldMeasures, ...]:
        return next(iter(self.systems.values())).folds

    def _values_on_fold(self, number: int) -> UserMeasures:
        folds = [system.folds[number] for system in self.systems.values()]
        values = np.stack([np.nan_to_num(fold.values) for fold in folds])
        counts = np.stack([fold.counts(self.coverage) for fold in folds])
        # Measured ratings do not depend on the system, so a user's weights differ only if the user does not count for a system.
        weights = np.max(np.stack([fold.weights for fold in folds]) * counts, axis=0)
        known = {name: getattr(folds[0].population, name).astype(np.float64) for name in ("train", "test", "relevant")}
        return UserMeasures(
            systems=tuple(self.systems),
            values=np.where(counts, values, 0.0),
            counts=counts,
            weights=(weights > 0).astype(np.float64) if self.unit == "user" else weights,
            users={**self.user_columns, **known},
            offsets=self._offsets(folds, counts, weights),
        )

    def _offsets(self, folds: Sequence[FoldMeasures], counts: Bools, weights: Floats) -> Floats | None:
        expected = [own for fold in folds if (own := fold.expected(self.coverage)) is not None]
        if not expected:
            return None
        centres = weighted_user_means(np.stack(expected), counts, weights)
        return np.where(counts, np.stack(expected) - centres[:, np.newaxis], 0.0)


@dataclass(frozen=True)
class PooledFold:
    """The pooled value of one system on one fold.

    Attributes
    ----------
    values
        The value under each coverage policy, over the users whom the policy admits.
    admitted
        Whether B1 admits the user, shape (n_users,).
    population
        Numbers of ratings, and lengths of rankings.
    cover
        Numbers of rankings, and of covered rankings, of each user.
    """

    values: Mapping[Coverage, float]
    admitted: Bools
    population: Population
    cover: Cover

    def counts(self, coverage: Coverage) -> Bools:
        """Return the users over whom the value was measured."""
        return counted(self.admitted, self.population.listed, coverage)


@dataclass(frozen=True)
class PooledValues:
    """The pooled values of one system on all folds of a design."""

    folds: tuple[PooledFold, ...]

    def mean(self, coverage: Coverage) -> float:
        """Average the folds' values."""
        return float(np.mean([fold.values[coverage] for fold in self.folds]))

    def counts(self, coverage: Coverage) -> Bools:
        """Return the users over whom the value of any fold was measured."""
        return np.asarray(np.any([fold.counts(coverage) for fold in self.folds], axis=0))


@dataclass(frozen=True)
class PooledPanel:
    """All systems of a study under one design, measured by a metric with one value for all users together.

    Whatever the design's aggregate is, pooled values are not averaged over users, and no test over users compares them.
    """

    systems: Mapping[str, PooledValues]
    coverage: Coverage

    @property
    def over_folds(self) -> Floats:
        """Each system's mean over the folds, shape (n_systems,)."""
        return np.array([system.mean(self.coverage) for system in self.systems.values()])

    @property
    def by_fold(self) -> Floats:
        """Each system's value on each fold, shape (n_folds, n_systems)."""
        folds = zip(*(system.folds for system in self.systems.values()), strict=True)
        return np.array([[fold.values[self.coverage] for fold in row] for row in folds])

    @property
    def first_population(self) -> Population:
        """The users' counts in the first fold."""
        return next(iter(self.systems.values())).folds[0].population

    def why_uninformative(self, a: str, b: str) -> str:
        """Say why the panel cannot tell two systems apart: a value is undefined; empty if both are defined."""
        values = [self.systems[name].mean(self.coverage) for name in (a, b)]
        return NOBODY_COMPARED if np.isnan(values).any() else ""

    def n_users(self, *systems: int) -> int:
        """Count the users over whom all given systems were measured; 0 if a value is undefined."""
        if np.isnan(self.over_folds[list(systems)]).any():
            return 0
        scores = list(self.systems.values())
        return int(np.all([scores[nth].counts(self.coverage) for nth in systems], axis=0).sum())
