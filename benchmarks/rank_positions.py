"""Positions of judged items and lists of 100, compared with `np.sort` of the same blocks of scores.

    python benchmarks/rank_positions.py

Scores are in double precision; a third of them tie, and some are NaN. The user's train items are not targets. Goals for users with
80 judged items: at most .8 of the time of the sort at 3,700 items, .45 at 27,000, .35 at 200,000. How fast np.sort is depends on
the processor (on some, numpy sorts with AVX-512), so the times per score are printed too, and the time to read a score. The last
rows are about other distributions of scores, without a goal.
"""

import time
from collections.abc import Sequence
from statistics import median

import numpy as np
from numba import njit

from command_line import parser
from recsens.ranking._positions import TieKeys
from recsens.ranking.kernels import JudgedInLayer, Stands, rank_targets

GOALS = {3_700: 0.8, 27_000: 0.45, 200_000: 0.35}
JUDGED = (5, 80, 1_000)
USUAL = 80
DEPTH = 100
ROUNDS = 9


def main(command: Sequence[str] | None = None) -> None:
    """Time every size."""
    tiny = parser(__doc__).parse_args(command).tiny
    for n_items in [200] if tiny else GOALS:
        n_users = max(16, 2_200_000 // n_items)
        scores, is_target = board(5 if tiny else n_users, n_items)
        for n_judged in (5, 80) if tiny else JUDGED:
            sort, rank, read = (each / scores.size * 1e9 for each in times(scores, is_target, drawn(is_target, n_judged)))
            goal = f" (goal <= {GOALS[n_items]})" if n_judged == USUAL and not tiny else ""
            print(
                f"{n_items:,} items, {n_judged:,} judged: {rank / sort:.2f} of np.sort{goal}; "
                f"ns a score: ranking {rank:.2f}, np.sort {sort:.2f}, reading {read:.2f}"
            )
    n_items = 200 if tiny else 27_000
    _, is_target = board(5 if tiny else 80, n_items)
    for name, scores in others(is_target.shape).items():
        _, rank, _ = (each / scores.size * 1e9 for each in times(scores, is_target, drawn(is_target, USUAL)))
        print(f"{n_items:,} items, {USUAL} judged, {name}: ns a score: ranking {rank:.2f}")


def board(n_users: int, n_items: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw the targets, and scores that are skewed towards few items; a third of the scores are rounded and therefore tie."""
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((n_users, 8)) @ rng.standard_normal((8, n_items)) * 0.05
    scores += rng.pareto(1.2, n_items).clip(0, 60) * (0.02 + 0.02 * rng.random((n_users, 1)))
    scores[:, ::3] = np.round(scores[:, ::3], 2)
    scores[rng.random(scores.shape) < 0.02] = np.nan
    return scores, rng.random(scores.shape) < 0.98


def others(shape: tuple[int, int]) -> dict[str, np.ndarray]:
    """Draw scores of other distributions, by their name."""
    rng = np.random.default_rng(2)
    normal, share = rng.standard_normal(shape), rng.random(shape)
    return {
        "normal": normal,
        "a tenth at -1e9": np.where(share < 0.1, -1e9, normal),
        "nine tenths at -1e9": np.where(share < 0.9, -1e9, normal),
        "skewed upwards": np.exp(3 * normal),
        "skewed downwards": -np.exp(3 * normal),
        "whole stars": np.round(np.clip(3.5 + normal, 1, 5)),
        "all equal": np.zeros(shape),
    }


def drawn(is_target: np.ndarray, n: int) -> JudgedInLayer:
    """Draw the judged items of each user."""
    rng, (n_users, n_items) = np.random.default_rng(1), is_target.shape
    items = np.concatenate([np.sort(rng.choice(n_items, n, replace=False)) for _ in range(n_users)]).astype(np.int32)
    return JudgedInLayer(np.arange(0, len(items) + 1, n), items, is_target[np.repeat(np.arange(n_users), n), items])


def ranked(scores: np.ndarray, is_target: np.ndarray, judged: JudgedInLayer) -> Stands:
    """Rank, with ties at random."""
    n_users, n_items = scores.shape
    ties = TieKeys(is_random=True, users=np.arange(n_users, dtype=np.uint64), items=np.arange(n_items, dtype=np.uint64))
    stands = Stands(*np.zeros((3, len(judged.items)), dtype=np.int32))
    counts, heads = np.zeros(n_users, dtype=np.int64), np.empty((n_users, DEPTH), dtype=np.int32)
    rank_targets(scores, is_target, judged, ties, stands, counts, heads)
    return stands


@njit(fastmath=True)
def total(scores):
    """Sum all scores, as fast as they can be read."""
    return scores.sum()


def times(scores: np.ndarray, is_target: np.ndarray, judged: JudgedInLayer) -> list[float]:
    """Return the median processor time of sorting, ranking and reading, in turns; the first turn compiles."""
    calls = [lambda: np.sort(scores, axis=1), lambda: ranked(scores, is_target, judged), lambda: total(scores)]
    spent: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS + 1):
        for call, each in zip(calls, spent, strict=True):
            begun = time.thread_time()
            call()
            each.append(time.thread_time() - begun)
    return [median(each[1:]) for each in spent]


if __name__ == "__main__":
    main()
