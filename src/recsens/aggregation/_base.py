"""The contract of an aggregate."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.plugins import Plugin


@dataclass(frozen=True)
class Scores:
    """What all systems of a study score with each user, by one metric under one design.

    Attributes
    ----------
    systems
        Labels of the systems.
    values
        Each user's value by each system, shape (n_systems, n_users).
    counts
        Whether it enters the system's average, shape (n_systems, n_users).
    weights
        What each user counts by the unit of measurement, shape (n_users,): 1 for a metric of users; for one of ratings, how many
        of the user's ratings were measured.
    users
        What is known of the users, by name, each of shape (n_users,): ``train``, ``test``, ``relevant`` (numbers of ratings), and
        the columns of the data set's table of users.
    offsets
        How far each user's value is expected from the mean because of the percentiles its ratings fall to (P1R),
        Σ_k s_ku m_k / Σ_k s_ku - m, shape (n_systems, n_users); None where ratings are in no percentiles.
    """

    systems: tuple[str, ...]
    values: NDArray[np.float64]
    counts: NDArray[np.bool_]
    weights: NDArray[np.float64]
    users: Mapping[str, NDArray[Any]]
    offsets: NDArray[np.float64] | None = None


class Aggregate(Plugin):
    """Turns the values of the users averaged into the value of each system (decision C3)."""

    kind: ClassVar[str] = "aggregate"
    averages_values: ClassVar[bool] = False
    """Whether it averages users' values as they are, so that what a test compares can be averaged over folds first."""
    weighs_users: ClassVar[bool] = False
    """Whether it gives users weights of its own."""
    pools_systems: ClassVar[bool] = False
    """Whether a user's value by one system depends on what other systems score, over users who count for all of them."""
    is_tested: ClassVar[bool] = False
    """Whether equal means of what a test compares are equal values of the systems, on a fold: p then speaks of the values."""
    wants_more_is_better: ClassVar[bool] = False
    """Whether losses are what is below: a metric of which less is better would have its gains penalised."""
    wants_zero_and_above: ClassVar[bool] = False
    """Whether values below zero have no place in the formula."""

    @property
    def user_columns(self) -> tuple[str, ...]:
        """Columns of the data set's table of users that `Scores.users` must hold."""
        return ()

    @property
    def named_systems(self) -> tuple[str, ...]:
        """Labels of systems that the parameters name; the study must have them."""
        return ()

    @property
    def uses_relevance(self) -> bool:
        """Whether the threshold of relevance decides what a user counts."""
        return False

    @property
    def mean(self) -> str:
        """Which mean of the users' differences a test takes, in words."""
        return "the mean"

    @property
    def differences(self) -> str:
        """What a test compares, in words."""
        return "the users' differences"

    @abstractmethod
    def aggregate(self, scores: Scores) -> NDArray[np.float64]:
        """Return the value of each system, shape (n_systems,); NaN for a system that counts no user."""

    def tested(self, scores: Scores) -> NDArray[np.float64]:
        """Return what a significance test compares: each user's value on the scale that is averaged, shape (n_systems, n_users).

        A logarithm where the aggregate averages logarithms; the values as they are by default. The test is given `weights` apart.
        """
        return scores.values

    def weights(self, scores: Scores) -> NDArray[np.float64]:
        """Return what each user counts in the average, shape (n_users,); that of the unit by default."""
        return scores.weights
