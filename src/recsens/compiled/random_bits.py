"""Random bits and whole numbers for kernels."""

import numpy as np

from recsens.compiled.machine_code import njit

STEP = np.uint64(0x9E3779B97F4A7C15)
"""Distance between the states of successive draws."""


@njit(inline="always")
def mix_bits(state: np.uint64) -> np.uint64:
    """Mix the bits of a number, with the same result as `recsens.seeds.mix_bits` (SplitMix64, Steele et al. 2014)."""
    state = state + STEP
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@njit(inline="always")
def uniform_below(bits: np.uint64, bound: np.int64) -> np.int64:
    """Turn random bits into a whole number from 0 to ``bound`` - 1, with a bias below ``bound`` / 2³²."""
    # Scaling the upper half of the bits avoids a division.
    return np.int64(((bits >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))
