"""The contract of an aggregate."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.arrays import Bools, Floats
from recsens.plugins import Plugin
from recsens.plugins.frozen import Frozen
from recsens.plugins.own import Call, returns


@dataclass(frozen=True)
class UserMeasures(Frozen):
    """Each user's value for every system of a study, on one metric under one design.

    Attributes
    ----------
    systems
        Labels of the systems.
    values
        Each user's value under each system, shape (n_systems, n_users).
    counts
        Whether a user's value counts in the system's average, shape (n_systems, n_users).
    weights
        Each user's weight, shape (n_users,): 1 if each user has one ranking; under 1R, where each relevant test rating has a
        ranking, the number of the user's measured ratings.
    users
        Data about the users, by name, each of shape (n_users,): the numbers of ratings ``train``, ``test`` and ``relevant``, and
        the columns of the data set's table of users.
    offsets
        Under P1R, the value to be expected from the percentiles of each user's ratings, minus the overall mean m: Σ_k s_ku m_k /
        Σ_k s_ku - m, where s_ku is user u's share of the ratings in percentile k, and m_k is the mean value in percentile k. The
        shape is (n_systems, n_users). None if ratings have no percentiles.
    """

    systems: tuple[str, ...]
    values: Floats
    counts: Bools
    weights: Floats
    users: Mapping[str, NDArray[Any]]
    offsets: Floats | None = None


def _check_values(call: Call, values: object) -> Floats:
    # Results are copied, because the aggregate may use the same array again in its next call.
    return call.array(values, "values", "fiu", (len(call.arguments["scores"].values),), gaps=True).astype(np.float64)


def _check_tested(call: Call, tested: object) -> Floats:
    return call.array(tested, "values", "fiu", call.arguments["scores"].values.shape, gaps=True).astype(np.float64)


def _check_weights(call: Call, weights: object) -> Floats:
    checked = call.array(weights, "weights", "fiu", call.arguments["scores"].weights.shape)
    if (checked < 0).any():
        raise call.refused("returned a weight below zero", "weights of zero or more; zero leaves a user out")
    return checked.astype(np.float64)


class Aggregate(Plugin):
    """A rule that computes a system's value from the values of the averaged users (decision C3)."""

    kind: ClassVar[str] = "aggregate"
    prose_lead: ClassVar[str] = "The value of a system is computed from the users' values by"
    averages_values: ClassVar[bool] = False
    """Whether the aggregate averages users' values unchanged; if so, values can be averaged over folds before they are tested."""
    weighs_users: ClassVar[bool] = False
    """Whether the aggregate itself defines users' weights."""
    pools_systems: ClassVar[bool] = False
    """Whether a user's value under one system depends on other systems; then only users who count for all these systems are
    averaged."""
    is_tested: ClassVar[bool] = False
    """Whether p also holds for the systems' values: if the means of the tested values are equal on a fold, the systems' values are
    equal too."""
    wants_more_is_better: ClassVar[bool] = False
    """Whether the aggregate treats lower values as losses; it then does not suit metrics for which lower is better."""
    wants_zero_and_above: ClassVar[bool] = False
    """Whether the formula requires values of zero and above."""

    @property
    def user_columns(self) -> tuple[str, ...]:
        """Columns of the user table that `UserMeasures.users` must contain."""
        return ()

    @property
    def named_systems(self) -> tuple[str, ...]:
        """The labels of systems that the parameters name; the study must contain these systems."""
        return ()

    @property
    def uses_relevance(self) -> bool:
        """Whether the threshold of relevance affects users' weights."""
        return False

    @property
    def mean(self) -> str:
        """In words, the mean that a test takes over users' differences."""
        return "the mean"

    @property
    def differences(self) -> str:
        """Say in words what a test compares."""
        return "the users' differences"

    @abstractmethod
    @returns(_check_values)
    def aggregate(self, scores: UserMeasures) -> Floats:
        """Return each system's value, shape (n_systems,); NaN for a system without users that count."""

    @returns(_check_tested)
    def tested(self, scores: UserMeasures) -> Floats:
        """Return the values that a significance test compares: each user's value as it enters the average, (n_systems, n_users).

        If the aggregate averages logarithms, for example, these are logarithms; by default, they are the unchanged values. The test
        receives `weights` separately.
        """
        return scores.values

    @returns(_check_weights)
    def weights(self, scores: UserMeasures) -> Floats:
        """Return each user's weight in the average, shape (n_users,); by default, `UserMeasures.weights`."""
        return scores.weights
