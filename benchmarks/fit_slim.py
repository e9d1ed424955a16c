"""Fit SLIM with our kernel and with scikit-learn's elastic net in the same run; print times, the largest difference and the ratio.

    RECSENS_DATA=... python benchmarks/fit_slim.py [--columns 60]

Half of MovieLens 1M, binary preferences, λ = 5 and β = 300, all on one thread. Ours solves for all items; its time includes the
Gram matrix. scikit-learn solves for a sample of items one after another, by cyclic coordinate descent on the sparse ratings with
the item's own column emptied; its time is scaled up to all items. Both must reach the same weights, within 1e-4.
"""

from collections.abc import Sequence
from time import perf_counter

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_array
from sklearn.linear_model import ElasticNet
from threadpoolctl import threadpool_limits

from command_line import parser
from halves_of_ml_1m import halves
from recsens.data.interactions import Interactions
from recsens.recommenders.sparse_linear import SLIM
from recsens.testing import checkerboard

L1, L2 = 5.0, 300.0


def fit_ours(train: Interactions) -> csr_array:
    """Return the weights; row i holds the weights that item i gives to others."""
    learned = SLIM(l1=L1, l2=L2).fit(train, np.random.default_rng(1)).learned
    return csr_array((learned["weights"], learned["items"], learned["indptr"]), shape=(train.n_items, train.n_items))


def fit_sklearn(train: Interactions, columns: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the weights of some items, one column per item."""
    ratings = csc_matrix((train.matrix > 0).astype(np.float64))
    ratings.indices, ratings.indptr = ratings.indices.astype(np.int32), ratings.indptr.astype(np.int32)  # all that it accepts
    net = ElasticNet(
        alpha=(L1 + L2) / train.n_users,
        l1_ratio=L1 / (L1 + L2),
        positive=True,
        fit_intercept=False,
        tol=1e-6,
        max_iter=10_000,
    )
    weights = np.empty((train.n_items, len(columns)))
    for nth, item in enumerate(columns):
        own = slice(ratings.indptr[item], ratings.indptr[item + 1])
        target = np.zeros(train.n_users)
        target[ratings.indices[own]] = ratings.data[own]
        ratings.data[own] = 0.0
        weights[:, nth] = net.fit(ratings, target).coef_
        ratings.data[own] = target[ratings.indices[own]]
    return weights


def main(command: Sequence[str] | None = None) -> None:
    """Time the fits."""
    accepted = parser(__doc__)
    accepted.add_argument("--columns", type=int, default=60, help="items that scikit-learn solves for")
    arguments = accepted.parse_args(command)
    train = halves(tiny=arguments.tiny)[0]
    columns = np.sort(np.random.default_rng(1).choice(train.n_items, min(arguments.columns, train.n_items), replace=False))
    numba.set_num_threads(1)
    with threadpool_limits(limits=1):
        fit_ours(checkerboard().train)  # compiles what is needed
        start = perf_counter()
        ours = fit_ours(train)
        our_time = perf_counter() - start
        start = perf_counter()
        theirs = fit_sklearn(train, columns)
        their_time = (perf_counter() - start) * train.n_items / len(columns)
    difference = np.abs(ours[:, columns].toarray() - theirs).max()
    print(f"{len(train):,} ratings, {train.n_users:,} users, {train.n_items:,} items, one thread")
    print(f"ours         {our_time:7.1f} s, {ours.nnz:,} weights")
    print(f"scikit-learn {their_time:7.1f} s, from {len(columns)} items")
    print(f"largest difference of a weight {difference:.1e} (at most 1e-4)")
    print(f"{their_time / our_time:.1f} times as long (at least 10)")


if __name__ == "__main__":
    main()
