"""A validation set that is the test set, or shares pairs with it."""

import math
from collections.abc import Iterator

import numpy as np

from recsens.leakage._material import Material, share
from recsens.leakage._reading import keys
from recsens.leakage._sizes import UNKNOWN, Inflation
from recsens.leakage.suspicion import Suspicion

NAME = "validation equal to test"

_HALVES = 400
"""Random halves of the users."""


def look(material: Material) -> Iterator[Suspicion]:
    """Count validation pairs that the test set has; the size is what choosing the best of the runs by the test set gains."""
    if material.validation is None:
        yield Suspicion(NAME, "", "not told", "no validation set is given")
        return
    shared = np.isin(keys(material.validation, material.n_items), keys(material.test, material.n_items))
    evidence = f"{share(int(shared.sum()), len(shared))} validation pairs are in test, too"
    if not shared.any():
        yield Suspicion(NAME, "", "none", evidence)
        return
    several = len(material.runs) > 1
    yield Suspicion(
        *(NAME, "", "found", evidence if several else f"{evidence}; what was gained by it cannot be told from one run"),
        inflation=_optimism(material) if several else UNKNOWN,
        innocent="a validation set by which nothing was chosen",
        remedy="choose again by ratings that are in neither train nor test, and measure the choice once",
    )


def _optimism(material: Material) -> Inflation:
    """Estimate how far the best of the runs looks too good: chosen on a random half of the users, measured on both halves.

    A half has half the users, so that the mean gain is divided by the square root of two. The interval adds the spread of a
    value on all users around the truth.
    """
    values = np.stack([material.given(run).values for run in material.runs])
    values = values[:, ~np.isnan(values).any(axis=0)]
    n_users = values.shape[1]
    draws = material.stream.child("validation").uniform(np.arange(_HALVES)[:, np.newaxis], np.arange(n_users))
    gains = []
    for draw in draws:
        is_first = draw < np.median(draw)
        first, second = values[:, is_first].mean(axis=1), values[:, ~is_first].mean(axis=1)
        best = int(first.argmax())
        gains.append(first[best] - second[best])
    return Inflation.around(float(np.mean(gains)) / math.sqrt(2), float(np.std(gains)) / 2)
