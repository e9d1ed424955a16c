"""The randomisation test of all pairs of 21 systems, compared with the equivalent matrix product.

    python benchmarks/randomisation_test.py

Goal: 210 pairs over 6,040 users with 100,000 random signs each in at most 6 s on two cores, and at most three times as long as
multiplying a ready matrix of signs by the systems' values, in single precision and on one BLAS thread, as in a job.
"""

import time
from collections.abc import Sequence

import numba
import numpy as np
from threadpoolctl import threadpool_limits

from command_line import parser
from recsens.comparison.significance.randomisation import Randomisation
from recsens.seeds import Stream

SYSTEMS, USERS, SAMPLES, FOLDS = 21, 6040, 100_000, 5
BLOCK = 4096


def main(command: Sequence[str] | None = None) -> None:
    users, samples = (80, 500) if parser(__doc__).parse_args(command).tiny else (USERS, SAMPLES)
    rng = np.random.default_rng(0)
    level = np.linspace(0.1, 0.5, SYSTEMS)[:, np.newaxis, np.newaxis]
    full = rng.binomial(10, np.clip(level + rng.normal(0, 0.2, (1, users, 1)), 0, 1), (SYSTEMS, users, FOLDS)).mean(axis=2) / 10
    pairs = [(a, b) for a in range(SYSTEMS) for b in range(a)]
    everybody = np.ones(full.shape, dtype=np.bool_)
    test, stream = Randomisation(samples=samples), Stream.of(0, "benchmark")
    Randomisation(samples=min(samples, 2000)).compare_pairs(full, everybody, pairs, stream)  # compiles
    print(f"{SYSTEMS} systems, {len(pairs)} pairs, {users:,} users, {samples:,} samples, {numba.get_num_threads()} threads")
    ours = best_of(lambda: test.compare_pairs(full, everybody, pairs, stream))
    product = best_of(lambda: bare_product(full, samples))
    print(f"all users count for all: {ours:.2f} s (goal <= 6)")
    print(f"bare product: {product:.2f} s; ratio {ours / product:.2f} (goal <= 3)")
    some = rng.random(full.shape) < 0.95
    print(f"every pair over users of its own: {best_of(lambda: test.compare_pairs(full, some, pairs, stream), 1):.2f} s")


def bare_product(values: np.ndarray, samples: int) -> float:
    signs = np.where(np.random.default_rng(1).random((BLOCK, values.shape[1])) < 0.5, -1, 1).astype(np.float32)
    columns = np.ascontiguousarray(values.T, dtype=np.float32)
    begun = time.perf_counter()
    with threadpool_limits(1, "blas"):
        for first in range(0, samples, BLOCK):
            signs[: min(BLOCK, samples - first)] @ columns
    return time.perf_counter() - begun


def best_of(work, times: int = 3) -> float:
    seconds = []
    for _ in range(times):
        begun = time.perf_counter()
        inner = work()
        seconds.append(inner if isinstance(inner, float) else time.perf_counter() - begun)
    return min(seconds)


if __name__ == "__main__":
    main()
