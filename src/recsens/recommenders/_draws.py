"""Random starting factors, drawn by the identity of a user or item."""

import numpy as np
from scipy.special import ndtri

from recsens.arrays import Floats, Ints
from recsens.seeds import Stream

_HALF_STEP = 2.0**-54
_LARGEST = 1.0 - 2.0**-53


def uniform_draws(keys: Ints, factors: int, rng: np.random.Generator) -> Floats:
    """Draw from U(0, 1), ends excluded, for each user or item and factor, shape (len(keys), factors).

    A row depends on its key alone: if a filter drops some users or items, the others start from the same values.
    """
    stream = Stream(int(rng.integers(2**63)))
    draws = stream.uniform(keys[:, np.newaxis], np.arange(factors)) + _HALF_STEP
    # Half a step above the largest draw would round to 1.
    return np.minimum(draws, _LARGEST)


def normal_draws(keys: Ints, factors: int, deviation: float, rng: np.random.Generator) -> Floats:
    """Draw from N(0, ``deviation``²) for each user or item and factor, as `uniform_draws` does, shape (len(keys), factors)."""
    return np.asarray(deviation * ndtri(uniform_draws(keys, factors, rng)))
