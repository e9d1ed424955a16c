"""Products of factors, summed in a fixed order, compared with the matrix product of BLAS on one thread.

    python benchmarks/products.py

Blocks of 512 users by 3,700 items and of 128 users by 27,000. Bound: 1.7 times the time of dgemm for 20, 50 and 200 factors.
For narrower vectors, set NUMBA_CPU_NAME=haswell, NUMBA_CPU_FEATURES=+avx,+avx2,+fma,+sse4.2 and OPENBLAS_CORETYPE=Haswell; or
NUMBA_CPU_NAME=nehalem, NUMBA_CPU_FEATURES=+sse4.2 and OPENBLAS_CORETYPE=Nehalem.
"""

import time
from collections.abc import Callable, Sequence

import numpy as np
from threadpoolctl import threadpool_limits

from command_line import parser
from recsens.recommenders._products import factor_products

BOUND = 1.7


def main(command: Sequence[str] | None = None) -> None:
    tiny = parser(__doc__).parse_args(command).tiny
    rng = np.random.default_rng(0)
    print(f"{'users x items':>13} {'factors':>7} {'dgemm, ms':>9} {'ours, ms':>8} {'ratio':>5} (at most {BOUND})")
    for n_users, n_items in [(8, 40)] if tiny else [(512, 3_700), (128, 27_000)]:
        for n_factors in (20, 50, 200):
            users, items = rng.standard_normal((n_users, n_factors)), rng.standard_normal((n_items, n_factors))
            with threadpool_limits(limits=1, user_api="blas"):
                dgemm, ours = best_of(lambda u=users, i=items: u @ i.T, lambda u=users, i=items: factor_products(u, i))
            size = f"{n_users} x {n_items}"
            late = " over the bound" * (ours > BOUND * dgemm)
            print(f"{size:>13} {n_factors:7} {1e3 * dgemm:9.2f} {1e3 * ours:8.2f} {ours / dgemm:5.2f}{late}")


def best_of(*calls: Callable[[], object]) -> list[float]:
    """Return the processor seconds of each call, the least of 15 repeats in turns."""
    seconds = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(15):
        for call, spent in zip(calls, seconds, strict=True):
            begun = time.thread_time()
            call()
            spent.append(time.thread_time() - begun)
    return [min(spent) for spent in seconds]


if __name__ == "__main__":
    main()
