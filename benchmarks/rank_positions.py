"""Positions of all judged items against the one sort that they cannot do without.

    RECSENS_DATA=... python benchmarks/rank_positions.py

Goal: sort and search together take at most twice the time of the sort alone, on the same blocks in the same run.
"""

import time
from collections.abc import Sequence

import numpy as np

from command_line import parser
from halves_of_ml_1m import halves
from recsens.ranking import BLOCK
from recsens.ranking._kernels import LOW_INDEX, locate


def main(command: Sequence[str] | None = None) -> None:
    train, test = halves(tiny=parser(__doc__).parse_args(command).tiny)
    scores = np.random.default_rng(0).random((train.n_users, train.n_items), dtype=np.float32)
    judged = test.matrix
    sorting, whole = [], []
    for _ in range(5):
        sorting.append(0.0)
        whole.append(0.0)
        for start in range(0, train.n_users, BLOCK):
            block = scores[start : start + BLOCK]
            begun = time.perf_counter()
            ordered = np.sort(block, axis=1)
            between = time.perf_counter()
            search(block, ordered, train, judged, start)
            ended = time.perf_counter()
            sorting[-1] += between - begun
            whole[-1] += ended - begun
    best_sort, best_whole = min(sorting), min(whole)
    print(f"{test.matrix.nnz:,} judged items of {train.n_users:,} users, {train.n_items:,} items")
    print(f"np.sort {best_sort:.3f} s; positions, sort included {best_whole:.3f} s; ratio {best_whole / best_sort:.2f} (goal <= 2)")


def search(block, ordered, train, judged, start) -> None:
    indptr = judged.indptr[start : start + len(block) + 1]
    items = judged.indices[indptr[0] : indptr[-1]]
    above, tied, position = np.zeros((3, len(items)), dtype=np.int32)
    keys = train.user_keys[start : start + len(block)]
    # Targets are ranked by the same scores as judged items.
    locate(block, block, ordered, indptr - indptr[0], items, keys, train.item_keys, LOW_INDEX, np.uint64(0), above, tied, position)


if __name__ == "__main__":
    main()
