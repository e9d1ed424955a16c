"""Lists that follow the popularity of the test set beyond what train explains."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from recsens.leakage._material import Material, SearchedRun, place_in_list
from recsens.leakage._reading import CodedPairs
from recsens.leakage._refits import over_fits
from recsens.leakage._sizes import Inflation
from recsens.leakage._tails import above
from recsens.leakage.suspicion import Suspicion

NAME = "popularity beyond train"

_NEIGHBOURS = 8
"""Items of similar popularity in train, among which that in test is compared."""

_LARGEST_DISPERSION = 1.3
"""Up to here, the items' shares of the test set vary as a random split makes them vary."""

_LEAST_RATED = 5
_TOO_FEW = f"fewer than {_NEIGHBOURS} items have {_LEAST_RATED} ratings"


def look(material: Material) -> Iterator[Suspicion]:
    """Test whether items that are listed more often than items of like popularity in train are more popular in test, too.

    Under a random split the test count of an item depends on its train count alone, whatever a model learned from train: among
    neighbours by train count it is exchangeable. Under any other split it is not, and nothing is told. As this holds for any
    function of the lists, an item is listed by all of its places, 1 for the first of a list falling to 0 after the last: a fault
    in the scores moves them all, and the few that the metric reads are the noisiest part of them.
    """
    in_train = material.train_counts
    in_test = np.bincount(material.test.item, minlength=material.n_items)
    dispersion = _dispersion(in_train, in_test)
    for run in material.runs:
        if dispersion > _LARGEST_DISPERSION:
            said = f"the items' shares of the test set vary {dispersion:.1f} times as much as under a random split"
            said = f"{said}, and what is in fashion then explains honest lists, too" if dispersion < math.inf else _TOO_FEW
            yield Suspicion(NAME, run.name, "not told", said)
        elif material.is_sampled(run):
            yield Suspicion(NAME, run.name, "not told", "lists hold sampled candidates, among them each user's test items")
        else:
            yield _of(material, run, in_train, in_test)


def _of(material: Material, run: SearchedRun, in_train: NDArray[np.int64], in_test: NDArray[np.int64]) -> Suspicion:
    top = material.top(run)
    listed = _listed(run.pairs, material.n_items)
    hits = np.bincount(top.item[material.hits(top)], minlength=material.n_items)
    known = np.flatnonzero(in_train > 0)
    ratio = in_test[known].sum() / in_train[known].sum()
    excess = in_test[known] - ratio * in_train[known]
    score = _within_neighbours(in_train[known], np.log1p(listed[known]), excess / np.sqrt(in_train[known]))
    weight = hits[known] / np.maximum(in_test[known], 1)
    n_hits, beyond = max(int(hits[known].sum()), 1), float((weight * excess).sum())
    error = math.sqrt(float((weight**2 * in_train[known]).sum()) * ratio * (1 + ratio))
    value = material.given(run).mean
    return Suspicion(
        *(NAME, run.name, "none"),
        f"{100 * beyond / n_hits:+.1f} % of the hits are due to popularity in test that train does not explain; among items of "
        f"like popularity in train, lists follow that in test by {score:.1f} standard errors",
        inflation=over_fits(Inflation.around(value * beyond / n_hits, value * error / n_hits), material, run),
        chance=above(score),
        innocent="a model that knows more than train, such as its time or the items' content",
        remedy="count popularity, and fit, on train alone",
    )


def _listed(pairs: CodedPairs, n_items: int) -> NDArray[np.float64]:
    """Return how often each item is listed, counted by its places, shape (n_items,)."""
    order = np.lexsort((-pairs.value, pairs.user))
    user, length = pairs.user[order], np.bincount(pairs.user)
    weights = 1 - place_in_list(user) / length[user]
    return np.bincount(pairs.item[order], weights=weights, minlength=n_items).astype(np.float64)


def _dispersion(in_train: NDArray[np.int64], in_test: NDArray[np.int64]) -> float:
    """Return the variance of the items' test counts as a multiple of the binomial variance; NaN becomes infinite."""
    total = in_train + in_test
    enough = total >= _LEAST_RATED
    if np.count_nonzero(enough) < _NEIGHBOURS:
        return math.inf
    share = in_test[enough].sum() / total[enough].sum()
    expected = total[enough] * share
    return float(((in_test[enough] - expected) ** 2 / (expected * (1 - share))).sum() / (np.count_nonzero(enough) - 1))


def _within_neighbours(in_train: NDArray[np.int64], listed: NDArray[np.float64], excess: NDArray[np.float64]) -> float:
    """Return the sum of products within blocks of neighbours in train, over its deviation if excesses are exchanged in a block."""
    order = np.argsort(in_train, kind="stable")
    order = order[len(order) % _NEIGHBOURS :].reshape(-1, _NEIGHBOURS)
    ranked = np.argsort(np.argsort(excess[order], axis=1), axis=1).astype(np.float64)
    x, y = (values - values.mean(axis=1, keepdims=True) for values in (listed[order], ranked))
    variance = ((x**2).sum(axis=1) * (y**2).sum(axis=1)).sum() / (_NEIGHBOURS - 1)
    return float((x * y).sum() / math.sqrt(variance)) if variance > 0 else 0.0
