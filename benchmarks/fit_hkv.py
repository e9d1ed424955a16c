"""Fit HKV with our kernel and with implicit's exact solver in the same run; print times, losses and the ratio of the times.

    RECSENS_DATA=... python benchmarks/fit_hkv.py [--threads 2] [--repeats 3]

Half of MovieLens 1M, 50 factors, 20 epochs, λ = .1, binary preferences with confidence 1 + r. Both start from the same factors and
solve exactly, first for the items, then for the users, on the same number of threads; ours in float64, implicit in float32. So both
must reach the same loss, which is printed. Repeats alternate between the two, and the best of each counts.
"""

from collections.abc import Callable, Sequence
from time import perf_counter

import numba
import numpy as np
from implicit.cpu.als import AlternatingLeastSquares
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits

from command_line import parser
from halves_of_ml_1m import halves
from recsens.data.interactions import Interactions
from recsens.recommenders.hkv import HKV, initial_factors
from recsens.testing import checkerboard

FACTORS = 50
EPOCHS = 20
REGULARIZATION = 0.1

Factors = tuple[NDArray[np.float64], NDArray[np.float64]]


def fit_ours(train: Interactions) -> Factors:
    """Fit with our kernel."""
    model = HKV(factors=FACTORS, epochs=EPOCHS, regularization=REGULARIZATION, preference="binary")
    learned = model.fit(train, np.random.default_rng(1)).learned
    return learned["user_factors"], learned["item_factors"]


def fit_implicit(train: Interactions) -> Factors:
    """Fit with implicit, which solves for users first, so items are passed as users."""
    confidences = csr_matrix((1 + train.values, (train.item, train.user)), shape=(train.n_items, train.n_users), dtype=np.float32)
    start = initial_factors(train.user_keys, FACTORS, np.random.default_rng(1))
    model = AlternatingLeastSquares(FACTORS, regularization=REGULARIZATION, use_cg=False, iterations=EPOCHS)
    model.user_factors = np.zeros((train.n_items, FACTORS), dtype=np.float32)
    model.item_factors = start.astype(np.float32)
    model.fit(confidences, show_progress=False)
    return model.item_factors.astype(np.float64), model.user_factors.astype(np.float64)


def loss(train: Interactions, factors: Factors) -> float:
    """Sum the weighted squared errors of all pairs and the penalty, without building a matrix of all pairs."""
    users, items = factors
    approximated = np.einsum("nf,nf->n", users[train.user], items[train.item])
    of_all_pairs = np.sum((users.T @ users) * (items.T @ items))
    of_ratings = np.sum((1 + train.values) * (1 - approximated) ** 2 - approximated**2)
    return float(of_all_pairs + of_ratings + REGULARIZATION * (np.sum(users**2) + np.sum(items**2)))


def main(command: Sequence[str] | None = None) -> None:
    """Time the fits."""
    accepted = parser(__doc__)
    accepted.add_argument("--threads", type=int, default=2)
    accepted.add_argument("--repeats", type=int, default=3)
    arguments = accepted.parse_args(command)
    train = halves(tiny=arguments.tiny)[0]
    print(f"{len(train):,} ratings, {train.n_users:,} users, {train.n_items:,} items, {arguments.threads} threads")
    fits: dict[str, Callable[[Interactions], Factors]] = {"ours": fit_ours, "implicit": fit_implicit}
    times: dict[str, list[float]] = {name: [] for name in fits}
    losses: dict[str, float] = {}
    numba.set_num_threads(min(arguments.threads, numba.config.NUMBA_NUM_THREADS))
    with threadpool_limits(limits={"blas": 1, "openmp": arguments.threads}):
        for fit in fits.values():
            fit(checkerboard().train)  # compiles and imports what is needed
        for _ in range(arguments.repeats):
            for name, fit in fits.items():
                start = perf_counter()
                factors = fit(train)
                times[name].append(perf_counter() - start)
                losses[name] = loss(train, factors)
    for name, seconds in times.items():
        print(f"{name:8} {min(seconds):6.2f} s (of {', '.join(f'{s:.2f}' for s in seconds)}), loss {losses[name]:,.2f}")
    print(f"ratio {min(times['ours']) / min(times['implicit']):.2f} (at most 0.6)")


if __name__ == "__main__":
    main()
