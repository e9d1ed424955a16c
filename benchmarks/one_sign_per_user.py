"""All analyses of a pair of systems under one sign per user, compared with the equivalent matrix product.

    python benchmarks/one_sign_per_user.py

Goal: 2,400 analyses of 6,040 users under 10,000 patterns of signs in at most 60 s on two cores and 2 GiB, and at most three times
as long as multiplying a ready matrix of signs by the differences, in double precision and on two BLAS threads.
"""

import resource
import time
from collections.abc import Sequence

import numba
import numpy as np
from threadpoolctl import threadpool_limits

from command_line import parser
from recsens.comparison.significance import SAMPLES, max_t_family
from recsens.seeds import Stream

ANALYSES, USERS, FOLDS = 2400, 6040, 5
BLOCK = 2048


def main(command: Sequence[str] | None = None) -> None:
    tiny = parser(__doc__).parse_args(command).tiny
    analyses, users, samples = (12, 80, 500) if tiny else (ANALYSES, USERS, SAMPLES)
    rng = np.random.default_rng(0)
    shared = rng.normal(0, 1, (users, 1))
    deltas = np.round(shared + rng.normal(0, 1, (users, analyses)), 1) / FOLDS
    max_t_family(deltas[:80, :12], Stream.of(0, "benchmark"), alpha=0.05, samples=100)  # compiles
    begun = time.perf_counter()
    max_t_family(deltas, Stream.of(0, "benchmark"), alpha=0.05, samples=samples)
    ours = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    product = bare_product(deltas, samples)
    print(f"{analyses:,} analyses, {users:,} users, {samples:,} patterns of signs, {numba.get_num_threads()} threads")
    print(f"all analyses together: {ours:.1f} s (goal <= 60), {peak:.2f} GiB (goal <= 2)")
    print(f"bare product: {product:.1f} s; ratio {ours / product:.2f} (goal <= 3)")


def bare_product(deltas: np.ndarray, samples: int) -> float:
    signs = np.where(np.random.default_rng(1).random((min(BLOCK, samples), len(deltas))) < 0.5, -1.0, 1.0)
    begun = time.perf_counter()
    with threadpool_limits(2, "blas"):
        for first in range(0, samples, BLOCK):
            signs[: min(BLOCK, samples - first)] @ deltas
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
