"""Pairs where they should not be: test pairs in train or validation, train items in lists, models fitted on test pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from recsens.runs.leakage._material import Material, SearchedRun, over_fits, place_in_list, share
from recsens.runs.leakage._reading import CodedPairs, keys
from recsens.runs.leakage._sizes import UNKNOWN, Inflation, UserValues, combined
from recsens.runs.leakage.suspicion import Suspicion

SHARED = "pairs in train and test"

_DRAWS = 5
"""Number of random sets of further test pairs to remove."""


def shared_pairs(material: Material) -> Iterator[Suspicion]:
    """Count test pairs that are also in train, and measure after removing these pairs from judgements and lists."""
    is_shared = material.in_train(material.test)
    evidence = f"{share(int(is_shared.sum()), len(is_shared))} test pairs are also in train"
    for run in material.runs:
        if not is_shared.any():
            yield Suspicion(SHARED, run.name, "none", evidence)
            continue
        yield Suspicion(
            *(SHARED, run.name, "found", evidence),
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


TRAIN_ITEMS = "train items in lists"


def train_items(material: Material) -> Iterator[Suspicion]:
    """Count the positions of lists that train items occupy, and measure without these items."""
    for run in material.runs:
        top = material.top(run)
        taken, is_train = material.in_train(top), material.in_train(run.pairs)
        evidence = f"{share(int(taken.sum()), len(taken))} of the first {material.depth} places are items of the user's train set"
        if not is_train.any():
            yield Suspicion(TRAIN_ITEMS, run.name, "none", evidence)
            continue
        scored = np.isin(material.train_keys, keys(run.pairs, material.n_items)).mean()
        yield Suspicion(
            *(TRAIN_ITEMS, run.name, "found" if taken.any() else "noted"),
            f"{evidence}; the run ranks {100 * scored:.0f} % of all train pairs",
            inflation=material.given(run).less(material.measured(run.pairs.kept(~is_train), material.test)),
            innocent="the run scores every item and train items are to be removed later; or users consume items again",
            remedy="remove train items from every list of every run: --train in 'recsens evaluate'",
        )


VALIDATION = "validation equal to test"

_HALVES = 400
"""Number of random halves of the users."""


def validation_pairs(material: Material) -> Iterator[Suspicion]:
    """Count validation pairs that are also in test; the size is the gain when the best run is chosen on the test set."""
    if material.validation is None:
        yield Suspicion(VALIDATION, "", "not told", "no validation set is given")
        return
    shared = np.isin(keys(material.validation, material.n_items), keys(material.test, material.n_items))
    evidence = f"{share(int(shared.sum()), len(shared))} validation pairs are also in test"
    if not shared.any():
        yield Suspicion(VALIDATION, "", "none", evidence)
        return
    several = len(material.runs) > 1
    yield Suspicion(
        *(VALIDATION, "", "found", evidence if several else f"{evidence}; a single run does not show the gain"),
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


FITTED = "fitted on test pairs"


def fitted_on_test_pairs(_: Material) -> Iterator[Suspicion]:
    """Say that this was not checked: lists of a better model favour a user's test items as well (see the page on leaks)."""
    yield Suspicion(FITTED, "", "not told", "the lists of a better model look the same")
