"""The k best rows are those of a full sort."""

import numpy as np
import pytest

from recsens.recommenders._neighbourhoods import keep_best

N = 1000


def values_of(kind: str) -> np.ndarray:
    drawn = np.random.default_rng(3).random(N)
    if kind == "ties":
        return np.round(drawn, 1)
    if kind == "ascending":
        return np.sort(drawn)
    if kind == "every 8th is high":
        return drawn + (np.arange(N) % 8 == 0)
    if kind == "every 8th is low":
        return drawn - (np.arange(N) % 8 == 0)
    return np.ones(N) if kind == "equal" else drawn


@pytest.mark.parametrize("k", [1, 10, 100, 500, N - 1, N, N + 5])
@pytest.mark.parametrize("kind", ["random", "ties", "ascending", "every 8th is high", "every 8th is low", "equal"])
def test_the_best_are_those_of_a_sort_in_which_the_higher_number_wins(kind, k):
    candidates, values = np.arange(5, 5 + N, dtype=np.int32), values_of(kind)
    neighbours, kept = np.zeros(k, dtype=np.int32), np.zeros(k)
    n = keep_best(candidates, values, neighbours, kept)
    best = np.sort(np.lexsort((candidates, values))[-k:])
    assert n == len(best)
    np.testing.assert_array_equal(neighbours[:n], candidates[best])
    np.testing.assert_array_equal(kept[:n], values[best])


def test_without_candidates_nothing_is_kept():
    assert keep_best(np.zeros(0, dtype=np.int32), np.zeros(0), np.zeros(3, dtype=np.int32), np.zeros(3)) == 0
