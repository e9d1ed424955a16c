"""The k-th highest value is that of a sort."""

import numpy as np
import pytest

from recsens.compiled.selection import kth_highest

N = 3000


def values_of(kind: str) -> np.ndarray:
    rng = np.random.default_rng(3)
    return {
        "random": rng.random(N),
        "ties": np.round(rng.random(N), 1),
        "equal": np.ones(N),
        "descending": np.arange(N)[::-1] * 1.0,
        "every 8th is high": rng.random(N) + (np.arange(N) % 8 == 0),
        "every 8th is low": rng.random(N) - (np.arange(N) % 8 == 0),
        "whole numbers beyond 2⁶³": rng.integers(0, 2**64, N, dtype=np.uint64),
    }[kind]


@pytest.mark.parametrize("n", [1, 7, 200, N])
@pytest.mark.parametrize(
    "kind",
    ["random", "ties", "equal", "descending", "every 8th is high", "every 8th is low", "whole numbers beyond 2⁶³"],
)
def test_the_kth_highest_is_that_of_a_sort(kind, n):
    values = values_of(kind)[:n]
    falling = np.sort(values)[::-1]
    for k in sorted({1, (n + 1) // 2, n}):
        assert kth_highest(values, k) == falling[k - 1]
