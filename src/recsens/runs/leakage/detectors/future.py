"""Test ratings that are older than the newest train rating."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.files.timestamps import per_second, unit_of
from recsens.runs.leakage._material import Material, SearchedRun, over_fits, place_in_list, share
from recsens.runs.leakage._sizes import LEAST_USERS, UNKNOWN, Inflation, above
from recsens.runs.leakage.suspicion import Suspicion
from recsens.seeds import Stream

NAME = "test older than train"

_LEVEL = 0.01
"""The split is called random in time if the p-value is above this."""

_SAME = 1e-12
_RANDOM = "users, and each user's ratings, are in test whatever their time, so the split is random in time"


def look(material: Material) -> Iterator[Suspicion]:
    """Count the test ratings that are older than the newest train rating, and measure without those before the best cut in time.

    A random split has such ratings by intention. So the test asks whether each user's test ratings are at random places among the
    user's ratings, and whether later users have a larger share in test. If too few users have both, the count is a fact.
    """
    train, test = material.train.time, material.test.time
    if train is None or test is None:
        which = [name for name, time in (("train", train), ("test", test)) if time is None]
        yield Suspicion(NAME, "", "not told", f"{' and '.join(which)} {'has' if len(which) == 1 else 'have'} no time stamps")
        return
    units = unit_of(float(train.max())), unit_of(float(test.max()))
    if units[0] != units[1]:
        # Text with fractions of a second is read in microseconds; other programs write milliseconds.
        finest = max(map(per_second, units))
        train, test = (time * (finest // per_second(unit)) for time, unit in zip((train, test), units, strict=True))
    n_older = int((test < train.max()).sum())
    evidence = f"{share(n_older, len(test))} test ratings are older than the newest train rating"
    if units[0] != units[1]:
        evidence += f" (train has {units[0]}, test {units[1]})"
    chance = _chance_if_random(material, train, test) if n_older else math.nan
    for run in material.runs:
        if not n_older:
            yield Suspicion(NAME, run.name, "none", evidence)
            continue
        told, size = (_RANDOM, UNKNOWN) if chance > _LEVEL else _measure_without_early(material, run, train, test)
        yield Suspicion(
            *(NAME, run.name, "found" if math.isnan(chance) else "noted", f"{evidence}; {told}"),
            inflation=size,
            chance=chance,
            innocent="a deliberate random split, with no claim about the future; removing ratings also changes the users averaged",
            remedy="split all users at the same point in time, and report how the values differ",
        )


def _measure_without_early(
    material: Material, run: SearchedRun, train: NDArray[np.int64], test: NDArray[np.int64]
) -> tuple[str, Inflation]:
    """Measure without the test ratings before a cut in time, which has the fewest exceptions: test before it, or train after it.

    If most exceptions are train ratings, the size is unknown: a few late ratings may teach a fit much about users new to train.
    """
    time, is_test = np.concatenate([train, test]), np.repeat([False, True], [len(train), len(test)])
    order = np.lexsort((is_test, time))
    cut = time[order][np.argmin(np.cumsum(np.where(is_test[order], 1, -1)))]
    n_early, n_late = int((test < cut).sum()), int((train > cut).sum())
    told = f"the best cut in time has {share(n_early, len(test))} test ratings before it"
    told = f"{told} and {share(n_late, len(train))} train ratings after it"
    if n_late > n_early:
        return f"{told}; what a fit learned from late train ratings is unknown", UNKNOWN
    rest = material.measured(run.pairs, material.test.kept(test >= cut))
    mean = "no value" if math.isnan(rest.mean) else f"a mean of {rest.mean:.4f}"
    told = f"{told}; the other test ratings cover {rest.n_users:,} users, with {mean}"
    return told, over_fits(material.given(run).less(rest), material, run, n_further=n_late)


def _chance_if_random(material: Material, train: NDArray[np.int64], test: NDArray[np.int64]) -> float:
    """Return the p-value of the test set's times, if users and their ratings were put into test whatever their time.

    A place is the rank of a time stamp among the user's n, from -1/2 to 1/2. The sums of the places and of their squares over the k
    test ratings are compared with those of k ratings drawn without replacement, whose variance is k (1 - k/n) times the variance of
    the n values. Over ten users or more, their standardised sum is nearly normal. A third sum asks whether k/n follows the users'
    mean time. The smallest of the three p-values is multiplied by 3. A test set may lack low ratings, so train ratings below its
    lowest do not count. The result is NaN if fewer than ten users have ratings of both kinds.
    """
    is_alike = material.train.value >= material.test.value.min()
    user, time = np.concatenate([material.train.user[is_alike], material.test.user]), np.concatenate([train[is_alike], test])
    order = np.lexsort((time, user))
    user, time, is_test = user[order], time[order], order >= np.count_nonzero(is_alike)
    n, k = np.bincount(user), np.bincount(user, weights=is_test)
    group = np.cumsum((np.diff(user, prepend=-1) != 0) | (np.diff(time, prepend=0) != 0)) - 1
    midrank = (np.bincount(group, weights=place_in_list(user)) / np.bincount(group))[group]
    place = (midrank + 0.5) / n[user] - 0.5
    chances = [2 * above(abs(_time_association(n, np.bincount(user, weights=time), k, material.stream.child("order"))))]
    for value in (place, place**2):
        centred = value - (np.bincount(user, weights=value) / np.maximum(n, 1))[user]
        variance = k * (1 - k / np.maximum(n, 1)) * np.bincount(user, weights=centred**2) / np.maximum(n - 1, 1)
        if np.count_nonzero(variance > _SAME) >= LEAST_USERS:
            chances.append(2 * above(abs(float(centred[is_test].sum())) / math.sqrt(float(variance.sum()))))
    return min(1.0, len(chances) * min(chances)) if len(chances) > 1 else math.nan


def _time_association(n: NDArray[Any], times: NDArray[Any], k: NDArray[Any], stream: Stream) -> float:
    """Return how closely k/n follows the users' mean time, among users with similar n, in standard errors; 0 with too few users.

    Users with similar n form a block, users with equal n in random order. Within a block, a random split gives users exchangeable
    shares; what is linear in n is removed, because a split may put as many ratings of each user into test.
    """
    order = stream.generator().permutation(np.flatnonzero(n))
    order = order[np.argsort(n[order], kind="stable")][len(order) % LEAST_USERS :].reshape(-1, LEAST_USERS)
    ranks = np.argsort(np.argsort(times[order] / n[order], axis=1), axis=1)
    x, y, z = (each - each.mean(axis=1, keepdims=True) for each in (ranks, (k / np.maximum(n, 1))[order], n[order]))
    norm = np.maximum((z**2).sum(axis=1, keepdims=True), _SAME)
    x, y = (each - z * (z * each).sum(axis=1, keepdims=True) / norm for each in (x, y))
    variance = float(((x**2).sum(axis=1) * (y**2).sum(axis=1)).sum()) / (LEAST_USERS - 2)
    return float((x * y).sum()) / math.sqrt(variance) if variance > _SAME else 0.0
