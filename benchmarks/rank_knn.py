"""Find the neighbours of all users and score all items for all users, block by block; print times and the peak of memory.

    RECSENS_DATA=... python benchmarks/rank_knn.py

Half of MovieLens 1M, user_knn(k=100), blocks of 512 users. Goal: at most 15 s.
"""

import resource
from collections.abc import Sequence
from time import perf_counter

import numpy as np

from command_line import parser
from halves_of_ml_1m import halves
from recsens.recommenders.nearest_neighbours import UserKNN
from recsens.testing import checkerboard

BLOCK = 512


def main(command: Sequence[str] | None = None) -> None:
    """Time fitting and scoring."""
    train, board = halves(tiny=parser(__doc__).parse_args(command).tiny)[0], checkerboard().train
    model = UserKNN()
    model.fit(board, np.random.default_rng(1)).score(board, np.arange(3))  # compiles what is needed
    start = perf_counter()
    model.fit(train, np.random.default_rng(1))
    fitted = perf_counter()
    computable = 0
    for first in range(0, train.n_users, BLOCK):
        scores = model.score(train, np.arange(first, min(first + BLOCK, train.n_users)))
        computable += np.count_nonzero(~np.isnan(scores))
    scored = perf_counter()
    print(f"{len(train):,} ratings, {train.n_users:,} users, {train.n_items:,} items")
    print(f"fit {fitted - start:.2f} s, score {scored - fitted:.2f} s, together {scored - start:.2f} s (at most 15 s)")
    print(f"computable pairs {computable / train.n_users / train.n_items:.1%}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
