"""The contract of a significance test."""

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import ClassVar, Literal

import numpy as np

from recsens.arrays import Bools, Floats
from recsens.plugins import Plugin
from recsens.plugins.own import Call, returns
from recsens.seeds import Stream

Pairs = Sequence[tuple[int, int]]
"""The rows of the two systems of each pair."""


def pairs_by_users(counts: Bools, pairs: Pairs) -> Iterator[tuple[Bools, list[int]]]:
    """Yield each set of users over whom pairs are compared, with the indices of these pairs; full averages have only one set.

    Parameters
    ----------
    counts
        Whether a user counts for a system, shape (n_systems, n_users).
    pairs
        Pairs of rows to compare.
    """
    indices_by_users: dict[bytes, list[int]] = {}
    for index, (a, b) in enumerate(pairs):
        indices_by_users.setdefault((counts[a] & counts[b]).tobytes(), []).append(index)
    for indices in indices_by_users.values():
        a, b = pairs[indices[0]]
        yield counts[a] & counts[b], indices


FEWEST_USERS = 6
"""The fewest users from whom the spread of differences is estimated, for p of a test that needs it and for every t interval.

Without assumptions about the distribution of differences, no test can distinguish n users from chance with p below 2^(1-n), the
share of the two sign patterns in which all signs agree; six users are the fewest for which this is below .05. From fewer users, a
small p comes from the assumed normal distribution alone: two users with .1000 and .1001 have t = 2001. The randomisation test, the
sign test and Wilcoxon's test count sign patterns, so their p is never too small; they answer from two users.
"""


def fixed_by_test(n_folds: float) -> str:
    """Name what a p-value over users treats as fixed: the splits that were drawn, and the systems that were fitted on them.

    Examples
    --------
    >>> fixed_by_test(5), fixed_by_test(1)
    ('these splits and fits', 'this split and fit')
    """
    return "this split and fit" if n_folds == 1 else "these splits and fits"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of testing system A against system B.

    Attributes
    ----------
    difference
        Estimate of A minus B: the mean of the users' differences δ, weighted if users have weights.
    low, high
        Confidence interval of the difference; NaN with fewer than `FEWEST_USERS`.
    effect
        Standardised effect size d_z = mean(δ) / s(δ) (Cohen 1988). If users have weights, δ are linearised and, under P1R, reduced
        by their offsets. The effect is 0 if all δ are zero; it is NaN if they are equal but not zero, or if there are fewer than
        two users.
    p_value
        Two-sided p-value; NaN with fewer than the test's ``fewest_users``.
    n_users
        Number of users compared.
    share_significant
        Share of user subsamples with p < α, for a test that draws subsamples; NaN for all other tests.
    standard_error
        s(δ) / √n, with linearised δ if users have weights; NaN with fewer than two users, or if the test does not provide it.
    """

    difference: float
    low: float
    high: float
    effect: float
    p_value: float
    n_users: int
    share_significant: float = float("nan")
    standard_error: float = float("nan")


@dataclass(frozen=True, slots=True)
class Family:
    """Joint result of all analyses that compare one pair of systems.

    Attributes
    ----------
    t
        t of the mean difference in each analysis, shape (n_analyses,); 0 if all differences are zero, infinite if they are equal
        but not zero, NaN with fewer than two users.
    p_family
        p of each analysis, adjusted for all analyses: if the systems are exchangeable, the chance that any p is at most α is at
        most α.
    median_t, p_median
        Median of t over the analyses, and its p.
    first_wins, second_wins, p_wins
        Numbers of analyses with p < α by the t-test in favour of each system, and the p of their difference; with fewer than six
        users, an analysis has no winner. Of two equal differences, the one with the larger sum of t in favour of the system that
        wins more counts as more extreme.
    n_patterns
        Number of sign patterns used.
    is_complete
        Whether all possible patterns were used.
    """

    t: Floats
    p_family: Floats
    median_t: float
    p_median: float
    first_wins: int
    second_wins: int
    p_wins: float
    n_patterns: int
    is_complete: bool


def _check_comparison(call: Call, comparison: object) -> Comparison:
    if not isinstance(comparison, Comparison):
        raise call.refused(f"returned {type(comparison).__name__}", "a Comparison")
    if not all(isinstance(value, int | float | np.integer | np.floating) for value in astuple(comparison)):
        raise call.refused(f"returned {comparison}", "a Comparison of numbers")
    for name in ("p_value", "share_significant"):
        value = getattr(comparison, name)
        if not (math.isnan(value) or 0 <= value <= 1):
            raise call.refused(f"returned {name} = {value:g}", "0 to 1; NaN if there is none")
    if math.isinf(comparison.difference) or comparison.low > comparison.high or comparison.n_users < 0:
        raise call.refused(f"returned {comparison}", "a finite difference, an interval with low <= high, and n_users >= 0")
    return comparison


def _check_comparisons(call: Call, comparisons: object) -> list[Comparison]:
    n_pairs = len(call.arguments["pairs"])
    if not isinstance(comparisons, Sequence) or len(comparisons) != n_pairs:
        what = f"{len(comparisons)} comparisons" if isinstance(comparisons, Sequence) else type(comparisons).__name__
        raise call.refused(f"returned {what}", f"a list of {n_pairs}, one for each pair")
    return [_check_comparison(call, each) for each in comparisons]


class SignificanceTest(Plugin):
    """A test that compares two systems over the users who count for both (decision D)."""

    kind: ClassVar[str] = "test"
    prose_lead: ClassVar[str] = "Differences between systems were tested with"
    weighted: ClassVar[str] = ""
    """What the test computes for weighted users, if its own definition assumes that all users have equal weight."""
    fewest_users: ClassVar[int] = 2
    """With fewer users, p is NaN; `FEWEST_USERS` for a test that estimates a spread."""
    answer: ClassVar[Literal["p", "share"]] = "p"
    """The result is a p-value (``p``), or the share of user subsamples with p < α (``share``)."""

    @property
    def meaning(self) -> str:
        """What the test's result means, in a few words."""
        return str(self.spec)

    @property
    def by_percentile(self) -> str:
        """What the test computes for a mean over percentiles (P1R); by default, the same as for other weighted means."""
        return self.weighted

    @property
    def prose_weights(self) -> str:
        """How the test treats users' weights, if ``weighted`` does not say so."""
        return "Each user has the same weight in the test as in the mean."

    @property
    def linearises(self) -> bool:
        """Whether the test linearises a weighted mean's error; this error is too small if a few users have most of the weight."""
        return False

    @property
    def tests_mean(self) -> bool:
        """Whether p applies to the mean difference; the standard error then shows which differences the test could detect."""
        return False

    @abstractmethod
    @returns(_check_comparison)
    def compare(
        self, a: Floats, b: Floats, stream: Stream, weights: Floats | None = None, offsets: Floats | None = None
    ) -> Comparison:
        """Compare paired values, both of shape (n_users,); all random draws come from ``stream``.

        ``weights`` are the users' weights, all above zero, shape (n_users,); None means equal weights. ``offsets`` are the offsets
        of a and b, as in `compare_pairs`, shape (2, n_users).
        """

    @returns(_check_comparisons)
    def compare_pairs(
        self,
        values: Floats,
        counts: Bools,
        pairs: Pairs,
        stream: Stream,
        weights: Floats | None = None,
        offsets: Floats | None = None,
    ) -> list[Comparison]:
        """Compare each pair of systems over the users who count for both.

        Parameters
        ----------
        values, counts
            Each user's value under each system, and whether it counts; shape (n_systems, n_users).
        pairs
            Pairs of rows to compare; the difference is the first row minus the second.
        stream
            Source of all draws; pairs over the same users get the same draws.
        weights
            Each user's weight, above zero if any system counts the user, shape (n_users,); None means equal weights.
        offsets
            Under P1R, the value to be expected from the percentiles of each user's ratings, minus the overall mean; shape
            (n_systems, n_users). The error of a mean over percentiles is computed from the values minus these offsets, which does
            not change their mean. None means zeros.
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
        """Return the null hypothesis in words.

        Parameters
        ----------
        statistic
            The statistic that is tested against zero, such as ``the mean of the users' differences`` or ``the mean difference per
            rating``.
        differences
            Each user's contribution, such as ``the users' differences``.
        """
        return f"that of {self.spec}, on {differences}"


class TestOfPairs(SignificanceTest):
    """A test that draws once for all pairs of systems."""

    def compare(
        self, a: Floats, b: Floats, stream: Stream, weights: Floats | None = None, offsets: Floats | None = None
    ) -> Comparison:
        """Compare one pair."""
        return self.compare_pairs(np.stack([a, b]), np.ones((2, len(a)), dtype=np.bool_), [(0, 1)], stream, weights, offsets)[0]

    @abstractmethod
    def compare_pairs(
        self,
        values: Floats,
        counts: Bools,
        pairs: Pairs,
        stream: Stream,
        weights: Floats | None = None,
        offsets: Floats | None = None,
    ) -> list[Comparison]:
        """Compare all pairs, as `SignificanceTest.compare_pairs` does."""
