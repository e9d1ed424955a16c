"""Fisher's randomisation test over users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.seeds import Stream
from recsens.significance._base import Comparison, TestOfPairs
from recsens.significance._groups import by_users
from recsens.significance._paired import CONFIDENCE, described, differences, linearised, t_interval
from recsens.significance._signs import Contrasts, drawn, every, fixed_point


class Randomisation(TestOfPairs):
    """How often |mean(δ)| is at least the observed one when the systems of each user are swapped by the toss of a coin.

    Where users weigh differently, the mean is the weighted one, and a user keeps its weight. All 2^m swaps of the m users with δ ≠
    0 are enumerated where they are no more than ``samples``; else p = (1 + #) / (1 + B) over B random ones, the same for every pair
    of systems. Means less than about 1e-11 of the largest value apart are equal, so that ties of values on a grid count in full.
    The interval is the t interval of the mean. All differences zero: p is 1. Fewer than two users: NaN.
    """

    source = "Fisher (1935); Smucker, Allan & Carterette (2007)"
    also_called = ("randomization", "permutation", "fisher")

    samples: int = Field(100_000, ge=1, le=100_000_000, description="random swaps B; where all are no more, all are enumerated")
    confidence: float = CONFIDENCE

    def compare_pairs(
        self,
        values: NDArray[np.float64],
        counts: NDArray[np.bool_],
        pairs: Sequence[tuple[int, int]],
        stream: Stream,
        weights: NDArray[np.float64] | None = None,
        offsets: NDArray[np.float64] | None = None,
    ) -> list[Comparison]:
        """Compare all pairs under the same random signs; which pairs are asked for together changes no p-value."""
        # A user keeps its weight when its two values are swapped: the weighted mean is far where the sum of w δ is.
        units = fixed_point(np.where(counts, values if weights is None else values * weights, 0.0))
        found, sampled = [], []
        for place, (a, b) in enumerate(pairs):
            both = counts[a] & counts[b]
            delta = differences(values[a, both], values[b, both])
            differ = delta != 0
            p_value = float("nan")
            if len(delta) >= 2:
                if int(differ.sum()) < self.samples.bit_length():  # no more than 2^m <= samples swaps matter
                    p_value = _enumerated((units[a, both] - units[b, both])[differ])
                else:
                    sampled.append(place)
            own = delta if offsets is None else differences(values[a, both] - offsets[a, both], values[b, both] - offsets[b, both])
            linear = linearised(own, None if weights is None else weights[both])
            found.append(described(linear, p_value, t_interval(linear, self.confidence)))
        if sampled:
            contrasts = _contrasts(units, counts, [pairs[place] for place in sampled])
            far = contrasts.count(drawn(stream, values.shape[1], self.samples))
            for place, count in zip(sampled, far.tolist(), strict=True):
                found[place] = replace(found[place], p_value=(1 + count) / (1 + self.samples))
        return found

    def hypothesis(self, statistic: str, differences: str) -> str:
        """Name the swap, and the statistic that tells how far apart the systems are."""
        return f"the systems of each user could be swapped; far is told by {statistic}"


def _enumerated(delta: NDArray[np.int64]) -> float:
    n = len(delta)
    only = Contrasts(delta[:, np.newaxis], first=np.array([0]), second=np.array([-1]), n_users=np.array([n]))
    return float(only.count(every(n))[0] / 2**n)


def _contrasts(units: NDArray[np.int64], counts: NDArray[np.bool_], pairs: Sequence[tuple[int, int]]) -> Contrasts:
    """Lay out the fewest columns: over each set of users the systems, or the differences if there are fewer pairs than systems."""
    columns: list[NDArray[np.int64]] = []
    first, second, n_users = (np.empty(len(pairs), dtype=np.int64) for _ in range(3))
    for users, places in by_users(counts, pairs):
        n_users[places] = users.sum()
        systems = sorted({system for place in places for system in pairs[place]})
        column_of = {system: len(columns) + nth for nth, system in enumerate(systems)}
        if len(places) < len(systems):
            first[places], second[places] = len(columns) + np.arange(len(places)), -1
            columns += [np.where(users, units[a] - units[b], 0) for a, b in (pairs[place] for place in places)]
        else:
            first[places] = [column_of[pairs[place][0]] for place in places]
            second[places] = [column_of[pairs[place][1]] for place in places]
            columns += [np.where(users, units[system], 0) for system in systems]
    return Contrasts(np.stack(columns, axis=1), first, second, n_users)
