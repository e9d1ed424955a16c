"""Discriminative power and split halves of 77 metrics, on simulated data of the shape of MovieLens 1M.

    python benchmarks/discrimination.py

Goal: seven metrics at eleven cut-offs, 210 pairs of 21 systems over 6,040 users, in at most 300 s each on two cores: randomisation
with 100,000 swaps, and 1,000 halves by the t-test.
"""

import time
from collections.abc import Sequence

import numba
import numpy as np

from command_line import parser
from recsens.comparison.aggregation import Aggregate
from recsens.comparison.users import Users
from recsens.conclusions.meta import Board, MetricAnalysis, MetricAnalysisTask, Rules
from recsens.files.scale import Scale
from recsens.metrics import parse_measured_at
from recsens.seeds import Stream

SYSTEMS, USERS, ITEMS, RATINGS = 21, 6040, 3706, 33
CUTOFFS = "5,10,20,30,40,50,60,70,80,90,100"
METRICS = ("P", "R", "AP", "nDCG", "RR", "bpref", "infAP")
GOAL = 300


def main(command: Sequence[str] | None = None) -> None:
    tiny = parser(__doc__).parse_args(command).tiny
    systems, users, swaps, halves, cutoffs = (4, 80, 200, 20, "5,10") if tiny else (SYSTEMS, USERS, 100_000, 1000, CUTOFFS)
    board = simulated(systems, users)
    metrics = [measured for name in METRICS for measured in parse_measured_at(f"{name}@{cutoffs}")]
    pairs = [(a, b) for nth, a in enumerate(board.systems) for b in board.systems[nth + 1 :]]
    asked = MetricAnalysisTask(metrics, pairs, 0.05, Stream.of(0, "benchmark"))
    print(f"{len(metrics)} metrics, {len(pairs)} pairs, {users:,} users, {numba.get_num_threads()} threads", flush=True)
    for spec in (f"discrimination(test=randomisation(samples={swaps}))", f"split_half(samples={halves})", "correlation"):
        analysis = MetricAnalysis.build(spec)
        begun, busy = time.perf_counter(), time.process_time()
        found = analysis.analyse(board, asked)
        took, busy = time.perf_counter() - begun, time.process_time() - busy
        print(f"{analysis.spec}: {took:.1f} s, of processors {busy:.1f} s, {len(found):,} findings (goal <= {GOAL})", flush=True)


def simulated(n_systems: int, n_users: int) -> Board:
    """Rank the test ratings of all users by systems from good to random; each scores a rating by its worth plus noise."""
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(n_users, dtype=np.int32), RATINGS)
    item = np.concatenate([np.sort(rng.choice(ITEMS, RATINGS, replace=False)) for _ in range(n_users)]).astype(np.int32)
    rating = rng.integers(1, 6, len(user)).astype(np.float64)
    position = np.empty((n_systems, len(user)), dtype=np.int32)
    for system in range(n_systems):
        worth = rng.random(len(user)) ** (1 + (rating - 1) * (1 - system / n_systems))
        order = np.lexsort((worth, user))
        position[system, order] = rng.integers(1, 12, (n_users, RATINGS)).cumsum(axis=1).ravel()
    return Board(
        systems=tuple(f"S{system}" for system in range(n_systems)),
        user=user,
        item=item,
        rating=rating,
        position=position,
        score=None,
        ranked=np.full((n_systems, n_users), ITEMS),
        train=np.full(n_users, 4 * RATINGS),
        item_train=np.ones(ITEMS, dtype=np.int64),
        scale=Scale(1, 5),
        rules=Rules("full", 4.0, Users.build("with_ratings(train=1)"), "full", Aggregate.build("mean")),
    )


if __name__ == "__main__":
    main()
