"""Users who occur twice in the data, under two names."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.runs.leakage._material import Material, over_fits, share
from recsens.runs.leakage.suspicion import Suspicion

NAME = "duplicated users"

_LEAST_RATINGS = 10
"""Histories with fewer ratings are ignored, because they may be equal if a program shows all users the same few items first."""

_RARE = 1e-6
"""Equal histories are not a coincidence if their chance, over all users, is below this."""


@dataclass(frozen=True)
class _Histories:
    """Each user's distinct pairs over all sets, with ratings and time stamps coded as whole numbers; ``time`` may be None."""

    user: NDArray[np.int64]
    item: NDArray[np.int64]
    rating: NDArray[np.int64]
    time: NDArray[np.int64] | None

    @classmethod
    def of(cls, material: Material) -> _Histories:
        sets = [material.train, material.test, *([] if material.validation is None else [material.validation])]
        user, item, value = (np.concatenate([getattr(each, name) for each in sets]) for name in ("user", "item", "value"))
        times = [each.time for each in sets if each.time is not None]
        _, first = np.unique(user * material.n_items + item, return_index=True)
        time = _value_ranks(np.concatenate(times)[first]) if len(times) == len(sets) else None
        return cls(user[first], item[first], _value_ranks(value[first]), time)


def look(material: Material) -> Iterator[Suspicion]:
    """Find users whose histories over train, validation and test are equal, and measure without them.

    Users who take whole series of items can have the same items without any fault. So the test asks whether their ratings and time
    stamps are equal as well, more often than those of other users with the same items would be.
    """
    histories = _Histories.of(material)
    twins = _is_twin(material, histories)
    chance, n_sure = _beyond_items(material, histories, twins) if twins.any() else (1.0, 0)
    of_test = np.bincount(material.test.user, minlength=len(material.users)) > 0
    n_test = int((twins & of_test).sum())
    n_further = int(twins[material.train.user].sum()) // 2
    evidence = (
        f"{share(int(twins.sum()), len(np.unique(material.train.user)))} users have exactly the ratings of another user "
        f"({_LEAST_RATINGS} or more ratings, train and test together); {n_test:,} of these users are tested"
    )
    for run in material.runs:
        if not twins.any():
            yield Suspicion(NAME, run.name, "none", evidence)
            continue
        yield Suspicion(
            *(NAME, run.name, "noted"),
            f"{evidence}; for {n_sure:,} of them, ratings or time stamps can hardly be equal by chance, given the items",
            inflation=over_fits(material.given(run).less(material.given(run).over(~twins)), material, run, n_further=n_further),
            chance=chance,
            innocent="users who take whole series of items; accounts that a program or a family fills in the same way",
            remedy="before the split, keep only one of the users with the same ratings",
        )


def _is_twin(material: Material, histories: _Histories) -> NDArray[np.bool_]:
    """Return which users share their whole history of items and ratings with another user, shape (n_users,).

    Suppose that users draw pairs of item and rating independently, each in proportion to its frequency. Then the probability that a
    user with n items has a given history is n! times the product of the shares of the history's pairs of item and rating. The
    chance of a history is this probability times the number of users with n items, times the number of all users. Histories with a
    larger chance than 1e-6 are left out.
    """
    from scipy.special import gammaln  # noqa: PLC0415 - not needed to read files

    user, counts = histories.user, np.bincount(histories.user, minlength=len(material.users))
    content = _joint_codes(histories.item, histories.rating)
    n = np.bincount(content)[content]
    logs = np.bincount(user, weights=np.log(n / len(content)), minlength=len(counts)) + gammaln(counts + 1)
    alike = np.log(np.maximum(np.bincount(counts)[counts], 1)) + np.log(len(counts))
    has_twin = _n_equal(material, user, content) > 1
    return np.asarray(has_twin & (counts >= _LEAST_RATINGS) & (logs + alike < math.log(_RARE)))


def _beyond_items(material: Material, histories: _Histories, twins: NDArray[np.bool_]) -> tuple[float, int]:
    """Return the p-value of equal histories given that the items are equal, and the number of twins for whom it is below 1e-6.

    Suppose that two users with the same items rate independently, at times of their own. The ratings are equal with one of two
    probabilities, of which the larger counts: the product, over items, of the share of raters with the same rating; and 1 divided
    by the number of ways to assign the user's ratings to the items. The second is 1 for a user who gives every item the same
    rating. If the time stamps are equal as well, the probability is multiplied by that of equal times. Each distinct time counts
    once, with the largest share of raters with this time among its items. The shares count the user, but not the twins, so an item
    without other raters has a share of 1. The p-value is the smallest probability times the number of pairs of users with the same
    items.
    """
    user, item = histories.user, histories.item
    rated = _joint_codes(item, histories.rating)
    n_equal = _n_equal(material, user, rated)
    of_items = np.bincount(user, weights=_log_shares(item, rated, n_equal[user]), minlength=len(twins))
    logs = np.maximum(of_items, -_log_arrangements(user, histories.rating, len(twins)))
    if histories.time is not None:
        timed = _joint_codes(rated, histories.time)
        n_timed = _n_equal(material, user, timed)
        shares = _log_shares(item, _joint_codes(item, histories.time), n_timed[user])
        of_times, owner = _largest_shares(shares, user, histories.time)
        logs += np.where(n_timed > 1, np.bincount(owner, weights=of_times, minlength=len(twins)), 0.0)
    n_same = _n_equal(material, user, item)
    n_pairs = float((n_same[np.bincount(user, minlength=len(twins)) >= _LEAST_RATINGS] - 1).sum()) / 2
    chances = np.minimum(1.0, np.exp(logs[twins]) * n_pairs)
    return float(chances.min()), int((chances < _RARE).sum())


def _n_equal(material: Material, user: NDArray[np.int64], content: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many users, including this one, have the same set of contents as each user, shape (n_users,)."""
    n_users = len(material.users)
    totals = np.zeros(n_users, dtype=np.uint64)
    np.add.at(totals, user, material.stream.child("twins").hashes(content))
    kinds = np.stack([totals, np.bincount(user, minlength=n_users).astype(np.uint64)])
    _, group, size = np.unique(kinds, axis=1, return_inverse=True, return_counts=True)
    return np.asarray(size[group.ravel()])


def _log_shares(item: NDArray[np.int64], content: NDArray[np.int64], n_equal: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the logarithm of the share of an item's raters with the same content, without equal users except one; per row."""
    alike, raters = (np.bincount(code)[code] - n_equal + 1 for code in (content, item))
    return np.asarray(np.log(alike / raters))


def _log_arrangements(user: NDArray[np.int64], rating: NDArray[np.int64], n_users: int) -> NDArray[np.float64]:
    """Return the logarithm of the number of ways to assign each user's ratings to the user's items, shape (n_users,)."""
    from scipy.special import gammaln  # noqa: PLC0415 - not needed to read files

    pairs, n = np.unique(_pair_code(user, rating), return_counts=True)
    repeated = np.bincount(pairs // (int(rating.max()) + 1), weights=gammaln(n + 1), minlength=n_users)
    return np.asarray(gammaln(np.bincount(user, minlength=n_users) + 1) - repeated)


def _largest_shares(
    shares: NDArray[np.float64], user: NDArray[np.int64], time: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the largest share for each user and distinct time, and the user."""
    order = np.lexsort((-shares, time, user))
    first = order[np.diff(_pair_code(user, time)[order], prepend=-1) != 0]
    return shares[first], user[first]


def _pair_code(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a distinct number for each pair of codes."""
    return np.asarray(a * (int(b.max()) + 1) + b)


def _value_ranks(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return the rank of each value among the distinct values."""
    return np.asarray(np.unique(values, return_inverse=True)[1].ravel(), dtype=np.int64)


def _joint_codes(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return one code for each distinct pair of codes."""
    return _value_ranks(_pair_code(a, b))
