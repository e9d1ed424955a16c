"""Rank ten items for every user with our item_knn and with implicit's CosineRecommender; print times and their ratio.

    RECSENS_DATA=... python benchmarks/item_knn_against_implicit.py [--k 10] [--repeats 3]

Half of MovieLens 1M. implicit counts an item among its own neighbours, so it gets k + 1; it fits and recommends on as many threads
as there are processors. Ours fits on as many threads, scores all items in blocks of 512 users on one thread, and takes the ten best
items that are not in train. The lists must agree, except for neighbours that tie for the last places; the share of equal scores is
printed. The best of the repeats counts.
"""

import warnings
from collections.abc import Sequence
from time import perf_counter

import numpy as np
from implicit.nearest_neighbours import CosineRecommender
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from command_line import parser
from halves_of_ml_1m import halves
from recsens.data.interactions import Interactions
from recsens.recommenders._kernels import Rows
from recsens.recommenders.nearest_neighbours import ItemKNN
from recsens.testing import checkerboard

BLOCK = 512
DEPTH = 10


def ours(train: Interactions, k: int) -> NDArray[np.float64]:
    """Return the ten highest scores of every user, in descending order, filled up with -inf if there are fewer."""
    model = ItemKNN(k=k, of="profile").fit(train, np.random.default_rng(1))
    best = np.full((train.n_users, DEPTH), -np.inf)
    for first in range(0, train.n_users, BLOCK):
        users = np.arange(first, min(first + BLOCK, train.n_users))
        keep_best(model.score(train, users), Rows.of(train.matrix[users]), best[first : first + BLOCK])
    return best


@njit
def keep_best(scores: NDArray[np.float64], rated: Rows, best: NDArray[np.float64]) -> None:
    """Return the highest scores of unrated items in every row, in descending order."""
    for row in range(len(scores)):
        scores[row][rated.indices[rated.indptr[row] : rated.indptr[row + 1]]] = np.nan
        for score in scores[row]:
            if score > best[row, -1]:
                place = DEPTH - 1
                while place > 0 and best[row, place - 1] < score:
                    best[row, place] = best[row, place - 1]
                    place -= 1
                best[row, place] = score


def implicits(train: Interactions, k: int) -> NDArray[np.float64]:
    """Return the same scores as computed by implicit."""
    ratings = csr_matrix(train.matrix)
    model = CosineRecommender(K=k + 1)
    model.fit(ratings, show_progress=False)
    users = np.flatnonzero(train.user_counts)
    best = np.full((train.n_users, DEPTH), -np.inf)
    best[users] = model.recommend(users, ratings[users], N=DEPTH)[1]
    return best


def main(command: Sequence[str] | None = None) -> None:
    """Time both in turns."""
    accepted = parser(__doc__)
    accepted.add_argument("--k", type=int, default=10)
    accepted.add_argument("--repeats", type=int, default=3)
    arguments = accepted.parse_args(command)
    train = halves(tiny=arguments.tiny)[0]
    ours(checkerboard().train, arguments.k)  # compiles what is needed
    warnings.filterwarnings("ignore", "Method expects CSR")  # implicit converts within itself
    times: dict[str, list[float]] = {"ours": [], "implicit": []}
    lists: dict[str, NDArray[np.float64]] = {}
    for _ in range(arguments.repeats):
        for name, ranked in (("ours", ours), ("implicit", implicits)):
            start = perf_counter()
            lists[name] = ranked(train, arguments.k)
            times[name].append(perf_counter() - start)
    print(f"{len(train):,} ratings, {train.n_users:,} users, {train.n_items:,} items, k = {arguments.k}")
    for name, seconds in times.items():
        print(f"{name:8} {min(seconds):6.2f} s (of {', '.join(f'{s:.2f}' for s in seconds)})")
    print(f"scores that agree {np.isclose(lists['ours'], lists['implicit']).mean():.2%}")
    print(f"ratio {min(times['ours']) / min(times['implicit']):.2f} (at most 1)")


if __name__ == "__main__":
    main()
