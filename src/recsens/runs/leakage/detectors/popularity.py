"""Lists that follow the test set: its popularity of items is in them, beyond what train explains."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from recsens.runs.leakage._material import Material, SearchedRun, place_in_list
from recsens.runs.leakage._reading import CodedPairs
from recsens.runs.leakage._sizes import above
from recsens.runs.leakage.suspicion import Suspicion

NAME = "knowledge of the test set"

_NEIGHBOURS = 8
"""Number of items in a block; popularity in test is compared within a block of items with similar popularity in train."""

_LARGEST_DISPERSION = 1.3
"""Largest dispersion that a random split could have produced."""

_LEAST_RATED = 5
_SAME = 1e-9
_TOO_FEW = f"fewer than {_NEIGHBOURS} items have {_LEAST_RATED} ratings"


def look(material: Material) -> Iterator[Suspicion]:
    """Test, among items equally popular in train, whether items that are listed more often are also more popular in test.

    Under a random split, an item's test count depends on its number of ratings in train and test together. The train count is a
    noisy estimate of this number, and a model can have a better one, from who rated the item, how, and what else they rated. So
    what train says about an item besides its train count is removed from the lists and from the test counts by regression. The test
    assumes that, given this, test counts are exchangeable among items with similar train counts. Under any other split, they are
    not, and the state is ``not told``.

    Listing is measured by an item's positions over all lists: the first position counts 1, and later ones count less, down to 0
    after the last. A fault in the scores changes all positions, and the few positions that the metric reads are the noisiest.

    The cause may be that popularity was counted in the test set, or that the model was fitted on test pairs. The second raises
    values many times as much, and looks the same here. So no size is estimated.
    """
    in_train = material.train_counts
    in_test = np.bincount(material.test.item, minlength=material.n_items)
    dispersion = _dispersion(in_train, in_test)
    for run in material.runs:
        if dispersion > _LARGEST_DISPERSION:
            said = f"the items' shares of the test set vary {dispersion:.1f} times as much as under a random split"
            said = f"{said}, so honest lists can follow fashions, too" if dispersion < math.inf else _TOO_FEW
            yield Suspicion(NAME, run.name, "not told", said)
        elif material.is_sampled(run):
            yield Suspicion(NAME, run.name, "not told", "lists rank sampled candidates, which include each user's test items")
        else:
            yield _suspect_run(material, run, in_train, in_test)


def _suspect_run(material: Material, run: SearchedRun, in_train: NDArray[np.int64], in_test: NDArray[np.int64]) -> Suspicion:
    listed = _list_weights(run.pairs, material.n_items)
    known = np.flatnonzero(in_train > 0)
    ratio = in_test[known].sum() / in_train[known].sum()
    unequal = (in_test[known] - ratio * in_train[known]) / np.sqrt(in_train[known])
    by_train = material.once((NAME, ""), lambda: _train_features(material.train, in_train))[known]
    score = _within_neighbours(in_train[known], np.log1p(listed[known]), unequal, by_train)
    return Suspicion(
        *(NAME, run.name, "none"),
        f"among items equally popular in train, lists follow popularity in test ({score:+.1f} standard errors); the cause may be "
        "popularity counted in test, or a model fitted on test pairs, whose effect is larger; the size is unknown",
        chance=above(score),
        innocent="a model that uses more than train, such as time or the items' content",
        remedy="count popularity, and fit the model, on train alone",
    )


def _list_weights(pairs: CodedPairs, n_items: int) -> NDArray[np.float64]:
    """Return how often each item is listed, weighted by its position in each list, shape (n_items,)."""
    order = np.lexsort((-pairs.value, pairs.user))
    user, length = pairs.user[order], np.bincount(pairs.user)
    weights = 1 - place_in_list(user) / length[user]
    return np.bincount(pairs.item[order], weights=weights, minlength=n_items).astype(np.float64)


def _dispersion(in_train: NDArray[np.int64], in_test: NDArray[np.int64]) -> float:
    """Return the variance of the items' test counts as a multiple of the binomial variance; infinite if undefined."""
    total = in_train + in_test
    enough = total >= _LEAST_RATED
    if np.count_nonzero(enough) < _NEIGHBOURS:
        return math.inf
    share = in_test[enough].sum() / total[enough].sum()
    expected = total[enough] * share
    return float(((in_test[enough] - expected) ** 2 / (expected * (1 - share))).sum() / (np.count_nonzero(enough) - 1))


def _train_features(train: CodedPairs, in_train: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what train says about each item besides its count: three means over the item's raters, shape (n_items, 3).

    These are the rating, the logarithm of the rater's number of ratings, and the mean popularity of the items that the rater rated.
    """
    n_rated = np.bincount(train.user)
    tastes = np.bincount(train.user, weights=np.log1p(in_train)[train.item]) / np.maximum(n_rated, 1)
    of_rows = (train.value, np.log(n_rated[train.user]), tastes[train.user])
    n = np.maximum(np.bincount(train.item, minlength=len(in_train)), 1)
    return np.stack([np.bincount(train.item, weights=each, minlength=len(in_train)) / n for each in of_rows], axis=1)


def _within_neighbours(
    in_train: NDArray[np.int64], listed: NDArray[np.float64], excess: NDArray[np.float64], by_train: NDArray[np.float64]
) -> float:
    """Return how closely ``listed`` and ``excess`` are associated among items with similar train counts, in standard errors.

    Items with similar train counts form a block. ``listed`` and the ranks of ``excess`` are centred within the block, and the part
    that is linear in ``by_train`` is removed (Freedman & Lane 1983). Their products are summed over all blocks. This sum is divided
    by its standard deviation under random exchanges within each block, which allows for the dimensions that the regression removed.
    If that deviation is 0, the result is 0.
    """
    order = np.argsort(in_train, kind="stable")
    order = order[len(order) % _NEIGHBOURS :].reshape(-1, _NEIGHBOURS)
    ranked = np.argsort(np.argsort(excess[order], axis=1), axis=1).astype(np.float64)
    x, y, z = (values - values.mean(axis=1, keepdims=True) for values in (listed[order], ranked, by_train[order]))
    z = z.reshape(-1, z.shape[-1])
    x, y = ((each.ravel() - z @ np.linalg.lstsq(z, each.ravel(), rcond=None)[0]).reshape(order.shape) for each in (x, y))
    kept = 1 - np.linalg.matrix_rank(z) / (len(order) * (_NEIGHBOURS - 1))
    variance = ((x**2).sum(axis=1) * (y**2).sum(axis=1)).sum() / (_NEIGHBOURS - 1)
    return float((x * y).sum() * math.sqrt(kept / variance)) if variance > _SAME else 0.0
