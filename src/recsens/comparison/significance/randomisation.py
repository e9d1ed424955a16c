"""Fisher's randomisation test over users."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
from pydantic import Field

from recsens.arrays import Bools, Floats, Ints
from recsens.comparison.significance._base import Comparison, Pairs, TestOfPairs, pairs_by_users
from recsens.comparison.significance._mean_differences import CONFIDENCE, describe_difference, differences, linearise, t_interval
from recsens.comparison.significance._signs import Contrasts, drawn, every, fixed_point
from recsens.seeds import Stream


class Randomisation(TestOfPairs):
    """How often |mean(δ)| reaches the observed value if, for each user, the systems are swapped with probability 1/2.

    With unequal weights, the mean is weighted, and a swap does not change a user's weight. Let m be the number of users with δ ≠ 0.
    If there are at most ``samples`` patterns of swaps, all 2^m are enumerated. Otherwise p = (1 + c) / (1 + B), where c of B =
    ``samples`` random patterns reach the observed value; the patterns are the same for every pair of systems. Means that differ by
    less than about 1e-11 of the largest value are treated as equal, because values on a grid often give tied means. The interval is
    the t interval of the mean. If all differences are zero, p is 1. With fewer than two users, p is NaN.
    """

    source = "Fisher (1935); Smucker, Allan & Carterette (2007)"
    also_called = ("randomization", "permutation", "fisher")

    samples: int = Field(
        100_000,
        ge=1,
        le=100_000_000,
        description="number B of random swaps; if at most B swaps are possible, all are enumerated",
    )
    confidence: float = CONFIDENCE
    tests_mean: ClassVar[bool] = True

    def prose(self) -> str:
        """Name the test and the number of its swaps."""
        return (
            "Differences between systems were tested with Fisher's two-tailed randomisation test over users, using "
            f"{self.samples:,} random swaps of the systems' values, or all possible swaps if there are at most that many."
        )

    def compare_pairs(
        self,
        values: Floats,
        counts: Bools,
        pairs: Pairs,
        stream: Stream,
        weights: Floats | None = None,
        offsets: Floats | None = None,
    ) -> list[Comparison]:
        """Compare all pairs under the same random signs; a p-value then does not depend on which other pairs are compared."""
        # A swap does not change a user's weight, so the sum of w δ can replace the weighted mean.
        units = fixed_point(np.where(counts, values if weights is None else values * weights, 0.0))
        comparisons, sampled = [], []
        for index, (a, b) in enumerate(pairs):
            both = counts[a] & counts[b]
            delta = differences(values[a, both], values[b, both])
            differ = delta != 0
            p_value = float("nan")
            if len(delta) >= 2:
                if int(differ.sum()) < self.samples.bit_length():  # 2^m <= samples: all patterns fit
                    p_value = _exact_p_value((units[a, both] - units[b, both])[differ])
                else:
                    sampled.append(index)
            own = delta if offsets is None else differences(values[a, both] - offsets[a, both], values[b, both] - offsets[b, both])
            linear = linearise(own, None if weights is None else weights[both])
            comparisons.append(describe_difference(linear, p_value, t_interval(linear, self.confidence)))
        if sampled:
            contrasts = _contrasts(units, counts, [pairs[index] for index in sampled])
            far = contrasts.count(drawn(stream, values.shape[1], self.samples))
            for index, count in zip(sampled, far.tolist(), strict=True):
                comparisons[index] = replace(comparisons[index], p_value=(1 + count) / (1 + self.samples))
        return comparisons

    def hypothesis(self, statistic: str, differences: str) -> str:
        """Name the swap, and the statistic that measures the distance between the systems."""
        return f"the systems could be swapped for each user; the statistic is {statistic}"


def _exact_p_value(delta: Ints) -> float:
    n = len(delta)
    only = Contrasts(delta[:, np.newaxis], first=np.array([0]), second=np.array([-1]), n_users=np.array([n]))
    return float(only.count(every(n))[0] / 2**n)


def _contrasts(units: Ints, counts: Bools, pairs: Pairs) -> Contrasts:
    """Choose the columns to sum for each set of users: one per system or, if there are fewer pairs than systems, one per pair."""
    columns: list[Ints] = []
    first, second, n_users = (np.empty(len(pairs), dtype=np.int64) for _ in range(3))
    for users, indices in pairs_by_users(counts, pairs):
        n_users[indices] = users.sum()
        systems = sorted({system for index in indices for system in pairs[index]})
        column_of = {system: len(columns) + nth for nth, system in enumerate(systems)}
        if len(indices) < len(systems):
            first[indices], second[indices] = len(columns) + np.arange(len(indices)), -1
            columns += [np.where(users, units[a] - units[b], 0) for a, b in (pairs[index] for index in indices)]
        else:
            first[indices] = [column_of[pairs[index][0]] for index in indices]
            second[indices] = [column_of[pairs[index][1]] for index in indices]
            columns += [np.where(users, units[system], 0) for system in systems]
    return Contrasts(np.stack(columns, axis=1), first, second, n_users)
