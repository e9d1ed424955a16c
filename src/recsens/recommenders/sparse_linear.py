"""Sparse linear methods: every item is a sparse non-negative sum of other items.

slim: Sparse linear method: every item is a sparse non-negative sum of the other items.
fs_slim: Sparse linear method with feature selection: every item is a sparse non-negative sum of similar items.
"""

import logging
from collections.abc import Iterator
from typing import NamedTuple, Self

import numba
import numpy as np
from pydantic import Field
from scipy.sparse import csr_array

from recsens.data.interactions import Interactions
from recsens.recommenders import (
    Extent,
    Floats,
    Ids,
    Ints,
    Reals,
    Recommender,
    SearchSpace,
    claim,
    preset_field,
    progress,
    valcarce2018_ml1m,
)
from recsens.recommenders._kernels import Rows, compiled
from recsens.recommenders._neighbourhoods import bytes_of_neighbours, cosine_neighbours
from recsens.recommenders._preference import PREFERENCE_MEANING, Preference, zero_filled
from recsens.recommenders._products import gram_matrix, sums_over_profiles

_SHARES = 16
"""Number of portions into which work is divided among threads; the nth requested column is in portion n mod 16."""

_FIRST = 16
"""A round may activate this many weights even if fewer weights are positive."""

UNFINISHED = -1
"""Marks a column that did not converge within the allowed number of sweeps."""


class Penalty(NamedTuple):
    """The penalty on weights, and the precision of the solution.

    Attributes
    ----------
    l1, l2
        λ and β in the penalty λ Σ_i w_i + β / 2 Σ_i w_i².
    tolerance
        Descent stops when the distance of every single weight from its optimum is at most this.
    max_sweeps
        Maximum number of passes over the weights of a column.
    """

    l1: float
    l2: float
    tolerance: float
    max_sweeps: int


@compiled(parallel=True)
def solve_columns(gram: Floats, first: int, penalty: Penalty, weights: Floats, sweeps: Ints) -> None:
    """Find the weights that express each of some items as a weighted sum of all other items.

    Parameters
    ----------
    gram
        G, shape (n_items, n_items).
    first
        The first of the items.
    penalty
        λ, β and when to stop.
    weights
        Receives the weights of item ``first + n`` in row n, shape (number of items, n_items); must contain zeros.
    sweeps
        Receives the number of passes that each item needed, or ``UNFINISHED``.
    """
    for share in numba.prange(_SHARES):
        for nth in range(share, len(weights), _SHARES):
            sweeps[nth] = _solve_column(gram, first + nth, penalty, weights[nth])


@compiled(parallel=True)
def solve_supported(
    of_items: Rows, n_users: int, indptr: Ints, supports: Ids, first: int, penalty: Penalty, weights: Floats, sweeps: Ints
) -> None:
    """Find the weights that express each of some items as a weighted sum of the items in its support.

    Parameters
    ----------
    of_items
        The ratings, one row per item.
    n_users
        Number of users, which is the number of columns.
    indptr, supports
        Item i may be a sum of ``supports[indptr[i]:indptr[i + 1]]``, in ascending order.
    first
        The first of the items; the length of ``sweeps`` gives their number.
    penalty
        λ, β and when to stop.
    weights
        Receives the weights, in the order of ``supports``; must contain zeros.
    sweeps
        Receives the number of passes that each item needed, or ``UNFINISHED``.
    """
    for share in numba.prange(_SHARES):
        starts = np.empty(n_users + 1, dtype=np.int64)
        for nth in range(share, len(sweeps), _SHARES):
            item = first + nth
            support = supports[indptr[item] : indptr[item + 1]]
            own = len(support)
            members = np.empty(own + 1, dtype=np.int32)
            members[:own] = support
            members[own] = item
            solved = np.zeros(own + 1)
            sweeps[nth] = _solve_column(_gram_of(of_items, members, starts), own, penalty, solved)
            weights[indptr[item] : indptr[item + 1]] = solved[:own]


@compiled()
def _gram_of(of_items: Rows, members: Ids, starts: Ints) -> Floats:
    """Return the Gram matrix of some items' ratings, summed over users in ascending order."""
    n = len(members)
    indices, values = _ratings_by_user(of_items, members, starts)
    gram = np.zeros((n, n))
    for user in range(len(starts) - 1):
        for a in range(starts[user], starts[user + 1]):
            row = gram[indices[a]]
            for b in range(starts[user], a + 1):
                row[indices[b]] += values[a] * values[b]
    for a in range(n):
        for b in range(a):
            gram[b, a] = gram[a, b]
    return gram


@compiled()
def _ratings_by_user(of_items: Rows, members: Ids, starts: Ints) -> tuple[Ids, Floats]:
    """Return some items' ratings by user, as indices into ``members`` and values; ``starts`` receives each user's start."""
    starts[:] = 0
    for member in members:
        for entry in range(of_items.indptr[member], of_items.indptr[member + 1]):
            starts[of_items.indices[entry] + 1] += 1
    for user in range(len(starts) - 1):
        starts[user + 1] += starts[user]
    indices = np.empty(starts[-1], dtype=np.int32)
    values = np.empty(starts[-1])
    # Go backwards from the last item; each rating fills its user's last free entry.
    free = starts[1:].copy()
    for index in range(len(members) - 1, -1, -1):
        for entry in range(of_items.indptr[members[index]], of_items.indptr[members[index] + 1]):
            user = of_items.indices[entry]
            free[user] -= 1
            indices[free[user]] = index
            values[free[user]] = of_items.values[entry]
    return indices, values


@compiled()
def _solve_column(gram: Floats, own: int, penalty: Penalty, weights: Floats) -> int:
    """Minimise ½ wᵀGw - G_own · w + λ Σ w + β / 2 ‖w‖² over w >= 0 with w_own = 0, from w = 0; return the number of sweeps.

    Coordinate descent in rounds. A round checks all weights. It activates the positive weights, and at most as many others, those
    with the highest gains. Then it sweeps over the active weights until no step exceeds a tenth of the longest step at the start of
    the round.
    """
    n = len(gram)
    curvatures = np.empty(n)
    slopes = np.empty(n)
    for i in range(n):
        # The weights of unrated items and of the item itself stay 0.
        curvatures[i] = gram[i, i] + penalty.l2 if gram[i, i] > 0 and i != own else np.inf
        slopes[i] = gram[own, i] - penalty.l1
    gains = np.empty(n)
    sweeps = 0
    while True:
        longest = _longest_step(slopes, curvatures, penalty, weights, gains)
        if longest <= penalty.tolerance:
            return sweeps
        if sweeps >= penalty.max_sweeps:
            return UNFINISHED
        active = _active_weights(weights, gains)
        sweeps += _descend(gram, active, penalty, 0.1 * longest, penalty.max_sweeps - sweeps, slopes, weights)
        for i in range(n):
            slopes[i] = gram[own, i] - penalty.l1 - penalty.l2 * weights[i]
        for j in active:
            weight = weights[j]
            for i in range(n):
                slopes[i] -= weight * gram[j, i]


@compiled()
def _longest_step(slopes: Floats, curvatures: Floats, penalty: Penalty, weights: Floats, gains: Floats) -> float:
    """Return the longest step of any weight, and set ``gains`` for weights that would change from 0."""
    longest = 0.0
    for i in range(len(slopes)):
        step = max(slopes[i] / curvatures[i], -weights[i])
        longest = max(longest, abs(step))
        gains[i] = slopes[i] * step if weights[i] == 0 and step > penalty.tolerance else 0.0
    return longest


@compiled()
def _active_weights(weights: Floats, gains: Floats) -> Ints:
    """Return the active weights in ascending order: all positive weights, and the zero weights with the highest gains.

    There are at most as many zero weights as positive ones, or 16 if that is more; equal gains may add a few.
    """
    n, n_positive, n_waiting = len(weights), 0, 0
    for i in range(n):
        n_positive += weights[i] > 0
        n_waiting += gains[i] > 0
    admitted = min(n_waiting, max(n_positive, _FIRST))
    threshold = np.partition(gains, n - admitted)[n - admitted] if admitted > 0 else np.inf
    active = np.empty(n, dtype=np.int64)
    n_active = 0
    for i in range(n):
        if weights[i] > 0 or gains[i] >= threshold:
            active[n_active] = i
            n_active += 1
    return active[:n_active]


@compiled()
def _descend(gram: Floats, active: Ints, penalty: Penalty, tolerance: float, most: int, slopes: Floats, weights: Floats) -> int:
    """Sweep over the active weights until no step exceeds the tolerance, at most ``most`` times; return the number of sweeps."""
    n = len(active)
    local = np.empty((n, n))
    downhill = np.empty(n)
    positive = np.empty(n)
    for a in range(n):
        for b in range(n):
            local[a, b] = gram[active[a], active[b]]
        local[a, a] += penalty.l2
        downhill[a] = slopes[active[a]]
        positive[a] = weights[active[a]]
    sweeps = 0
    longest = np.inf
    while longest > tolerance and sweeps < most:
        longest = 0.0
        for a in range(n):
            step = max(downhill[a] / local[a, a], -positive[a])
            if step != 0:
                positive[a] += step
                longest = max(longest, abs(step))
                for b in range(n):
                    downhill[b] -= step * local[a, b]
        sweeps += 1
    for a in range(n):
        weights[active[a]] = positive[a]
    return sweeps


_BLOCK = 256
"""Number of columns solved between two steps of the progress bar."""

log = logging.getLogger(__name__)


class SparseLinear(Recommender):
    """s(u, i) = Σ_{j in I_u} r_uj w_ji, with sparse weights."""

    n_threads = 2
    search_space = SearchSpace(
        "l1=log_uniform(low=0.01,high=10),l2=log_uniform(low=0.1,high=300)", "Ning & Karypis (2011), widened"
    )

    l1: float = Field(2.0, ge=0, le=1e6, description="penalty λ on the sum of weights; a larger λ leaves fewer positive weights")
    l2: float = Field(1.0, ge=0, le=1e6, description="penalty β on the squared weights")
    preference: Preference = Field("binary", description=PREFERENCE_MEANING)
    tolerance: float = Field(1e-6, ge=1e-12, le=0.1, description="largest distance of any single weight from its optimum")
    max_sweeps: int = Field(10_000, ge=1, le=10_000_000, description="most passes of coordinate descent over an item's weights")

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Sum the contributions of a profile's items, item by item in ascending order."""
        return sums_over_profiles(users, zero_filled(train, self.preference), self._learned)

    @property
    def _penalty(self) -> Penalty:
        return Penalty(self.l1, self.l2, self.tolerance, self.max_sweeps)

    def _item_blocks(self, n_items: int) -> Iterator[tuple[int, int]]:
        """Iterate over blocks of items; yield each block's first item, and the first item after it."""
        for first in progress(range(0, n_items, _BLOCK), f"blocks of items of {self.plugin_name()}"):
            yield first, min(first + _BLOCK, n_items)

    def _learn_weights(self, by_target: csr_array, sweeps: Ints) -> None:
        """Store the weights by the profile item that contributes them, and log if descent stopped before convergence."""
        unfinished = np.count_nonzero(sweeps == UNFINISHED)
        if unfinished:
            log.warning("%s: max_sweeps was not enough for %d of %d items", self.spec, unfinished, len(sweeps))
        by_giver = Rows.of_columns(by_target)
        self._learned = {"indptr": by_giver.indptr, "items": by_giver.indices, "weights": by_giver.values}


_BYTES_PER_PRODUCT = 8

_BYTES_PER_WEIGHT = 2 * (4 + 8)
"""Bytes per weight: an index and a value, each stored twice (in portions and joined, or by rows and by columns)."""


class SLIM(SparseLinear):
    """s(u, i) = Σ_{j in I_u} r_uj w_ji, with weights that minimise ½ ‖R - RW‖² + β / 2 ‖W‖² + λ Σ_{i,j} w_ij.

    W >= 0 has a diagonal of zeros; R contains the ratings, and 0 for unrated pairs. Each column of W is a separate problem, which
    coordinate descent on the Gram matrix G = RᵀR solves in float64, until the distance of every single weight from its optimum is
    at most the tolerance. The solution is exact, because no weights are excluded beforehand. The Gram matrix takes 8 |I|² bytes.
    Every pair with G_ij > λ takes up to 24 further bytes, because only these pairs can have positive weights. For many items,
    choose ``fs_slim``. At λ = β = 0, weights need not be unique.

    The defaults suit ``preference=binary``, where every rating counts as 1. With ``preference=rating``, suitable λ and β grow with
    r². An item to which no item of the profile gives a weight is not computable, nor is any item for a user without ratings.
    """

    label = "slim"
    source = "Ning & Karypis (2011), equations 3 and 4; Friedman, Hastie & Tibshirani (2010) for coordinate descent"
    draws = False
    presets = valcarce2018_ml1m(
        {"l1": 5.0, "l2": 300.0},
        "Valcarce et al. (2018), SLIM on MovieLens 1M: P@10 .3057, nDCG@10 .3921; parameters are not released",
    )
    also_called = ("slim_elastic_net", "slim_elastic")
    pace = 30

    preset: str | None = preset_field()

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes for the Gram matrix and the weights of all pairs; `fit` itself needs fewer if l1 is above 0."""
        return (_BYTES_PER_PRODUCT + _BYTES_PER_WEIGHT) * extent.items**2

    def seconds_needed(self, extent: Extent) -> float:
        """Return the seconds for one problem per item, each with a weight for every item."""
        return (extent.items / 1000) ** 3 / 4

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Solve for the weights of all items.

        Raises
        ------
        DesignError
            If the Gram matrix, or the weights, do not fit into memory.
        """
        n_items = train.n_items
        claim(
            self,
            _BYTES_PER_PRODUCT * n_items**2,
            f"the Gram matrix of {n_items:,} items",
            "choose fs_slim, or filter items with few ratings",
        )
        ratings = zero_filled(train, self.preference)
        gram = gram_matrix(ratings)
        claim(self, self._most_weights(ratings, gram) * _BYTES_PER_WEIGHT, f"the weights of {n_items:,} items", "raise l1")
        blocks = []
        sweeps = np.empty(n_items, dtype=np.int64)
        for first, last in self._item_blocks(n_items):
            weights = np.zeros((last - first, n_items))
            solve_columns(gram, first, self._penalty, weights, sweeps[first:last])
            blocks.append(csr_array(weights))
        del gram, weights
        by_target = _stack_rows(blocks)
        blocks.clear()
        self._learn_weights(by_target, sweeps)
        return self

    def _most_weights(self, ratings: csr_array, gram: Floats) -> int:
        """Bound the number of positive weights: without negative ratings, w_ji > 0 requires G_ji > λ."""
        if ratings.data.min(initial=0.0) < 0:
            return gram.size
        return sum(int(np.count_nonzero(row > self.l1)) for row in gram)


def _stack_rows(blocks: list[csr_array]) -> csr_array:
    """Stack blocks of rows."""
    indptr = np.concatenate([[0], *(np.diff(block.indptr) for block in blocks)]).cumsum()
    indices, values = (np.concatenate([getattr(block, part) for block in blocks]) for part in ("indices", "data"))
    return csr_array((values, indices, indptr), shape=(len(indptr) - 1, blocks[0].shape[1]))


class FsSLIM(SparseLinear):
    """s(u, i) = Σ_{j in I_u and N_k(i)} r_uj w_ji, with weights that minimise ``slim``'s objective, w_ji = 0 if j is not in N_k(i).

    N_k(i) are the k items most similar to i, by the cosine of their ratings over all users (no rating = 0), among the items with a
    common rater. If items tie for the last places, the higher index is kept. Each item thus has a problem of only k weights, which
    is solved as in ``slim``. Because no matrix of all pairs of items is needed, memory grows with k |I|. With k >= |I| - 1, this is
    ``slim``.

    An item to which no item of the profile gives a weight is not computable, nor is any item for a user without ratings.
    """

    label = "fs_slim"
    source = "Ning & Karypis (2011), SLIM with feature selection (fsSLIM)"
    draws = False
    pace = 10
    k: int = Field(100, ge=1, le=2000, description="number of similar items in an item's sum")

    def bytes_needed(self, extent: Extent) -> float:
        """Return the bytes of the neighbours."""
        return bytes_of_neighbours(extent.items, self.k)

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Find the similar items, and solve for their weights.

        Raises
        ------
        DesignError
            If the similar items do not fit into memory.
        """
        ratings = zero_filled(train, self.preference)
        of_items = Rows.of_columns(ratings)
        # The similarities are freed here; the weights and their transposed copy then need no more memory than the search did.
        indptr, supports = cosine_neighbours(self, of_items, Rows.of(ratings), self.k)[:2]
        weights = np.zeros(len(supports))
        sweeps = np.empty(train.n_items, dtype=np.int64)
        for first, last in self._item_blocks(train.n_items):
            solve_supported(of_items, train.n_users, indptr, supports, first, self._penalty, weights, sweeps[first:last])
        by_target = csr_array((weights, supports, indptr), shape=(train.n_items, train.n_items))
        by_target.eliminate_zeros()
        self._learn_weights(by_target, sweeps)
        return self
