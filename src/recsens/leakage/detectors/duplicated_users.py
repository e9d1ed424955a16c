"""Users who occur twice in the data, under two names."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from recsens.leakage._material import Material, share
from recsens.leakage._refits import over_fits
from recsens.leakage.suspicion import Suspicion

NAME = "duplicated users"

_LEAST_RATINGS = 10
"""Histories with fewer ratings are ignored, because they may be equal if a program shows all users the same few items first."""

_RARE = 1e-6
"""Equal histories are not a coincidence if their chance, over all users, is below this."""


def look(material: Material) -> Iterator[Suspicion]:
    """Find users whose histories over train, validation and test are equal, and measure without them."""
    twins, chance = _twins(material)
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
            *(NAME, run.name, "none"),
            evidence,
            inflation=over_fits(material.given(run).less(material.given(run).over(~twins)), material, run, n_further=n_further),
            chance=chance,
            innocent="accounts that a program or a family fills in the same way",
            remedy="before the split, keep only one of the users with the same ratings",
        )


def _twins(material: Material) -> tuple[NDArray[np.bool_], float]:
    """Return which users share their whole history with another user, and the largest chance among these histories.

    Suppose that users draw pairs of item and rating independently, each in proportion to its frequency. Then the probability that a
    user with n items has a given history is n! times the product of the shares of the history's pairs of item and rating. The
    chance of a history is this probability times the number of users with n items, times the number of all users, and at most 1.
    """
    user, item, rating = _histories(material)
    counts = np.bincount(user, minlength=len(material.users))
    content = item * (int(rating.max()) + 1) + rating
    signature = material.stream.child("twins").hashes(content)
    totals = np.zeros(len(counts), dtype=np.uint64)
    np.add.at(totals, user, signature)
    _, group, size = np.unique(np.stack([totals, counts.astype(np.uint64)]), axis=1, return_inverse=True, return_counts=True)
    twins = (size[group.ravel()] > 1) & (counts >= _LEAST_RATINGS)
    of_content, at = np.unique(content, return_inverse=True)
    shares = np.bincount(at.ravel(), minlength=len(of_content)) / len(content)
    from scipy.special import gammaln  # noqa: PLC0415 - not needed to read files

    logs = np.bincount(user, weights=np.log(shares)[at.ravel()], minlength=len(counts)) + gammaln(counts + 1)
    alike = np.bincount(counts)[counts]
    chance = np.minimum(1.0, np.exp(np.minimum(logs + np.log(np.maximum(alike, 1)) + np.log(len(counts)), 0.0)))
    twins &= chance < _RARE
    return twins, float(chance[twins].max(initial=0.0)) if twins.any() else 1.0


def _histories(material: Material) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return each user's distinct pairs, with ratings coded as whole numbers."""
    sets = [material.train, material.test, *([] if material.validation is None else [material.validation])]
    user, item, value = (np.concatenate([getattr(each, name) for each in sets]) for name in ("user", "item", "value"))
    rating = np.unique(value, return_inverse=True)[1].ravel()
    _, first = np.unique(user * material.n_items + item, return_index=True)
    return user[first], item[first], rating[first].astype(np.int64)
