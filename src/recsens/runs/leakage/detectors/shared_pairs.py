"""Pairs of user and item that are in both train and test."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from recsens.runs.leakage._material import Material, SearchedRun, place_in_list, share
from recsens.runs.leakage._reading import CodedPairs, keys
from recsens.runs.leakage._refits import over_fits
from recsens.runs.leakage._sizes import Inflation, UserValues, combined
from recsens.runs.leakage.suspicion import Suspicion

NAME = "pairs in train and test"

_DRAWS = 5
"""Number of random sets of further test pairs to remove."""


def look(material: Material) -> Iterator[Suspicion]:
    """Count test pairs that are also in train, and measure after removing these pairs from judgements and lists."""
    is_shared = material.in_train(material.test)
    evidence = f"{share(int(is_shared.sum()), len(is_shared))} test pairs are also in train"
    for run in material.runs:
        if not is_shared.any():
            yield Suspicion(NAME, run.name, "none", evidence)
            continue
        yield Suspicion(
            *(NAME, run.name, "found", evidence),
            inflation=over_fits(_inflation(material, run, is_shared), material, run, n_further=int(is_shared.sum())),
            innocent="users consume items again, and the test is about that",
            remedy="remove these pairs from the test set, or remove them from train and fit again",
        )


def _inflation(material: Material, run: SearchedRun, is_shared: NDArray[np.bool_]) -> Inflation:
    """Return the given value minus the value on an equally large test set without leaks.

    Removing test pairs changes a user's value even if they are not leaks. So as many further pairs of each user are removed at
    random, and the change is extrapolated back. With V for a value, the value without leaks is 2 V(shared pairs removed) - V(shared
    and further pairs removed).
    """
    clean = _without(material, run, is_shared)
    stream = material.stream.child("shared", run.name)
    draws = stream.uniform(np.arange(_DRAWS)[:, np.newaxis], np.arange(len(is_shared)))
    further = [_without(material, run, _as_many(material, is_shared, drawn)) for drawn in draws]
    terms = [(1.0, material.given(run)), (-2.0, clean), *((1 / _DRAWS, each) for each in further)]
    return combined(terms)


def _without(material: Material, run: SearchedRun, out: NDArray[np.bool_]) -> UserValues:
    """Measure after removing some test pairs from both judgements and lists."""
    lists = run.pairs.kept(~np.isin(keys(run.pairs, material.n_items), keys(material.test.kept(out), material.n_items)))
    return material.measured(lists, material.test.kept(~out))


def _as_many(material: Material, is_shared: NDArray[np.bool_], drawn: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the shared test pairs and, for each user, as many other pairs at random, or all others if there are fewer."""
    test: CodedPairs = material.test
    n_shared = np.bincount(test.user[is_shared], minlength=len(material.users))
    order = np.lexsort((drawn, ~is_shared, test.user))
    out = np.zeros(len(order), dtype=np.bool_)
    out[order] = place_in_list(test.user[order]) < 2 * n_shared[test.user[order]]
    return out
