"""The contract of a significance test."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from recsens.plugins import Plugin
from recsens.seeds import Stream


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a test says of system A against system B.

    Attributes
    ----------
    difference
        Estimate of A minus B: the mean of the users' differences δ, weighted where users weigh differently.
    low, high
        Confidence interval of the difference.
    effect
        Standardised effect size d_z = mean(δ) / s(δ) (Cohen 1988), of the linearised δ where users weigh differently, less
        their offsets under P1R; 0 where all are zero, NaN where they are equal and not zero, or with fewer than two users.
    p_value
        Two-sided; NaN with fewer than two users.
    n_users
        Users compared.
    share_significant
        Share of user subsamples with p < α, for the test that draws them; NaN for every other.
    """

    difference: float
    low: float
    high: float
    effect: float
    p_value: float
    n_users: int
    share_significant: float = float("nan")


class SignificanceTest(Plugin):
    """Compares two systems over the users that both are measured on (decision D)."""

    kind: ClassVar[str] = "test"
    weighted: ClassVar[str] = ""
    """What it computes where users weigh differently, if its definition is that of users who count the same."""
    answer: ClassVar[Literal["p", "share"]] = "p"
    """p: a p-value. share: the share of user subsamples with p < α."""

    @property
    def meaning(self) -> str:
        """What the answer is, in a few words."""
        return str(self.spec)

    @property
    def by_percentile(self) -> str:
        """What it computes of a mean over percentiles (P1R): what it does of any weighted mean, if it says nothing else."""
        return self.weighted

    @property
    def linearises(self) -> bool:
        """Whether the error of a weighted mean is the linearised one, which is too small where a few users weigh most."""
        return False

    @abstractmethod
    def compare(
        self,
        a: NDArray[np.float64],
        b: NDArray[np.float64],
        stream: Stream,
        weights: NDArray[np.float64] | None = None,
        offsets: NDArray[np.float64] | None = None,
    ) -> Comparison:
        """Compare paired values, both of shape (n_users,); whatever is drawn comes from ``stream``.

        ``weights`` says what each user counts, all above zero, shape (n_users,); None: every user the same. ``offsets`` are
        those of a and b, as `compare_pairs` takes them, shape (2, n_users).
        """

    def compare_pairs(
        self,
        values: NDArray[np.float64],
        counts: NDArray[np.bool_],
        pairs: Sequence[tuple[int, int]],
        stream: Stream,
        weights: NDArray[np.float64] | None = None,
        offsets: NDArray[np.float64] | None = None,
    ) -> list[Comparison]:
        """Compare pairs of systems, each over the users that count for both.

        Parameters
        ----------
        values, counts
            Each user's value by each system, and whether it counts; shape (n_systems, n_users).
        pairs
            Rows to compare, the first minus the second.
        stream
            Source of all draws; the same users draw alike in every pair.
        weights
            What each user counts, above zero where any system counts the user, shape (n_users,); None: every user the same.
        offsets
            How far each user's value is expected from the mean because of its percentiles, shape (n_systems, n_users). The error of
            a mean over percentiles is that of the values less their offsets, which have the same mean. None: zero.
        """
        both = [counts[a] & counts[b] for a, b in pairs]
        return [
            self.compare(
                values[a][mask],
                values[b][mask],
                stream,
                None if weights is None else weights[mask],
                None if offsets is None else offsets[[a, b]][:, mask],
            )
            for (a, b), mask in zip(pairs, both, strict=True)
        ]

    def hypothesis(self, statistic: str, differences: str) -> str:
        """Say in words which null hypothesis p is of.

        Parameters
        ----------
        statistic
            What is tested against zero, such as ``the mean of the users' differences`` or ``the mean difference per rating``.
        differences
            What each user contributes, such as ``the users' differences``.
        """
        return f"that of {self.spec}, on {differences}"


class TestOfPairs(SignificanceTest):
    """A test that draws once for all pairs of systems."""

    def compare(
        self,
        a: NDArray[np.float64],
        b: NDArray[np.float64],
        stream: Stream,
        weights: NDArray[np.float64] | None = None,
        offsets: NDArray[np.float64] | None = None,
    ) -> Comparison:
        """Compare one pair."""
        return self.compare_pairs(np.stack([a, b]), np.ones((2, len(a)), dtype=np.bool_), [(0, 1)], stream, weights, offsets)[0]

    @abstractmethod
    def compare_pairs(
        self,
        values: NDArray[np.float64],
        counts: NDArray[np.bool_],
        pairs: Sequence[tuple[int, int]],
        stream: Stream,
        weights: NDArray[np.float64] | None = None,
        offsets: NDArray[np.float64] | None = None,
    ) -> list[Comparison]:
        """Compare all pairs, as `SignificanceTest.compare_pairs` says."""
