"""A validation set that equals the test set or shares pairs with it."""

import math
from collections.abc import Iterator

import numpy as np

from recsens.runs.leakage._material import Material, share
from recsens.runs.leakage._reading import keys
from recsens.runs.leakage._sizes import UNKNOWN, Inflation
from recsens.runs.leakage.suspicion import Suspicion

NAME = "validation equal to test"

_HALVES = 400
"""Number of random halves of the users."""


def look(material: Material) -> Iterator[Suspicion]:
    """Count validation pairs that are also in test; the size is the gain when the best run is chosen on the test set."""
    if material.validation is None:
        yield Suspicion(NAME, "", "not told", "no validation set is given")
        return
    shared = np.isin(keys(material.validation, material.n_items), keys(material.test, material.n_items))
    evidence = f"{share(int(shared.sum()), len(shared))} validation pairs are also in test"
    if not shared.any():
        yield Suspicion(NAME, "", "none", evidence)
        return
    several = len(material.runs) > 1
    yield Suspicion(
        *(NAME, "", "found", evidence if several else f"{evidence}; a single run does not show the gain"),
        inflation=_optimism(material) if several else UNKNOWN,
        innocent="a validation set that was not used to choose anything",
        remedy="choose again by ratings that are in neither train nor test, and measure the chosen run once",
    )


def _optimism(material: Material) -> Inflation:
    """Estimate how much too good the best run looks: choose it on a random half of the users, and measure it on both halves.

    A mean over half of the users varies √2 times as much as a mean over all users, so the mean gain is divided by √2. The interval
    also covers the deviation of a value over all users from the truth.
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
    return Inflation.around(float(np.mean(gains)) / math.sqrt(2), float(np.std(gains)) / 2, n_users)
