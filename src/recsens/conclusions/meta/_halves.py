"""Random halves of the users, the same for all metrics that count the same users, and systems' values in them."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from recsens.comparison.aggregation import Aggregate, Scores
from recsens.conclusions.meta._trials import Signs, blocks
from recsens.outcomes.paired import Paired
from recsens.seeds import Stream


class Halves:
    """Draws of halves and of swaps.

    Parameters
    ----------
    stream
        Source of all draws: what a sample does with a user depends on the stream, the sample and the user alone, and for halves
        on who else is counted.
    samples
        Their number.
    """

    def __init__(self, stream: Stream, samples: int) -> None:
        self._stream = stream
        self._samples = samples
        self._last: tuple[bytes, tuple[Signs, Signs]] | None = None
        self._swaps: Signs | None = None

    def of(self, counted: NDArray[np.bool_]) -> tuple[Signs, Signs]:
        """Cut the users counted, shape (n_users,), into halves in each sample; of an odd number, the second has one more."""
        key = counted.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = (key, self._cut(counted))
        return self._last[1]

    def swaps(self, n_users: int) -> Signs:
        """Toss a coin for each user in each sample: -1 swaps the user's values."""
        if self._swaps is None:
            coins = self._stream.child("swap")
            users = np.arange(n_users)
            # The highest bit of a hash is a coin.
            tossed = [coins.hashes(sample, users) >> np.uint64(63) for sample in range(self._samples)]
            self._swaps = 1 - 2 * np.stack(tossed).astype(np.int8)
        return self._swaps

    def _cut(self, counted: NDArray[np.bool_]) -> tuple[Signs, Signs]:
        users, half = np.flatnonzero(counted), int(counted.sum()) // 2
        stream = self._stream.child("half")
        first = np.zeros((self._samples, len(counted)), dtype=np.int8)
        for sample in range(self._samples if half else 0):
            hashes = stream.hashes(sample, users)
            first[sample, users] = hashes < np.partition(hashes, half)[half]
        return first, counted.astype(np.int8) - first


def values_in(half: Signs, aggregate: Aggregate, scores: Scores, paired: Paired) -> NDArray[np.float64]:
    """Return each system's value in each half, shape (n_samples, n_systems)."""
    if not aggregate.averages_values:
        return np.stack([aggregate.aggregate(replace(scores, counts=scores.counts & (row > 0))) for row in half])
    weights = paired.counts * (1.0 if paired.weights is None else paired.weights)
    sums = (weights * np.where(paired.counts, paired.values, 0.0)).T
    values = np.empty((len(half), len(scores.systems)))
    for rows in blocks(len(half)):
        chosen = half[rows].astype(np.float64)
        with np.errstate(invalid="ignore"):  # a half may count nobody for a system: NaN
            values[rows] = chosen @ sums / (chosen @ weights.T)
    return values
