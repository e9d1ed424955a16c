"""Robustness of metrics to sparsity and to popularity, compared with a plain loop in numpy and with pytrec_eval.

    python benchmarks/robustness.py

The data are simulated in the shape of MovieLens 1M: 21 systems, 6,040 users, 200,000 test ratings; P, R, AP, nDCG, RR, bpref and
infAP at 11 cut-offs. Goal: 20 sizes with 50 samples, and 21 shares of the most popular items, in at most 5 minutes on two cores and
4 GiB. One evaluation of all systems must take at most a fiftieth of pytrec_eval's time, whose dictionaries are built beforehand and
which has no cut-offs for RR, bpref and infAP. The loop goes through the systems and their users, and computes only P, R, AP, RR and
nDCG. For a quick look, reduce the number of samples with ``--samples``.
"""

import resource
import time
from collections.abc import Sequence

import numba
import numpy as np
import pytrec_eval

from command_line import parser
from recsens.comparison.aggregation import Aggregate
from recsens.comparison.users import Users
from recsens.conclusions.meta import Board, MetricAnalysis, MetricAnalysisTask
from recsens.conclusions.meta._judged_rankings import Rules
from recsens.files.scale import Scale
from recsens.metrics import MeasuredAt, parse_measured_at
from recsens.seeds import Stream

CUTOFFS = (5, *range(10, 101, 10))
DEPTHS = ",".join(map(str, CUTOFFS))
SEVEN = ("P", "R", "AP", "nDCG(gain=linear)", "RR", "Bpref", "infAP")
THEIRS = {*(f"{name}.{DEPTHS}" for name in ("P", "recall", "map_cut", "ndcg_cut")), "recip_rank", "bpref", "infAP"}
SCALE = Scale(1, 5)


def main(command: Sequence[str] | None = None) -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--samples", type=int, default=50, help="random orders of the test ratings")
    given = arguments.parse_args(command)
    board = simulated(3, 40, 60, 400) if given.tiny else simulated(21, 6040, 3706, 200_000)
    samples = 2 if given.tiny else given.samples
    metrics = [measured for name in SEVEN for measured in parse_measured_at(f"{name}@{DEPTHS}")]
    MetricAnalysis.build("sparsity(samples=1,sizes=[10,100])").analyse(board, asked(metrics))  # compiles
    ours, totals = best_of(lambda: board.totals(metrics), 5)
    whole, plain = best_of(lambda: by_loop(board), 1)
    found = {(str(each.metric.spec), each.cutoff): row for each, row in zip(metrics, totals, strict=True)}
    for (name, cutoff), row in plain.items():
        np.testing.assert_allclose(found[name, cutoff], row, rtol=0, atol=1e-9)
    reference, values = trec_eval(board)
    np.testing.assert_allclose(found["P", 10], values["P_10"], rtol=0, atol=1e-9)
    print(
        f"{len(board.systems)} systems, {board.n_users:,} users, {len(board.user):,} ratings, {len(metrics)} metrics; values agree"
    )
    print(f"one evaluation, one thread: {ours:.3f} s")
    print(f"loop over users, five of the metrics: {whole:.2f} s, {whole / ours:.0f} times as long")
    print(f"pytrec_eval: {reference:.2f} s, {reference / ours:.0f} times as long (goal >= 50)")
    total = 0.0
    for spec, parts in ((f"sparsity(samples={samples})", 19 * samples), ("popularity", 20)):
        seconds, _ = best_of(lambda spec=spec: MetricAnalysis.build(spec).analyse(board, asked(metrics)), 1)
        total += seconds
        print(f"{spec}: {seconds:.1f} s, {seconds / parts:.3f} s for each of {parts:,} test sets")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"both: {total:.0f} s on {numba.config.NUMBA_NUM_THREADS} threads, {memory:.2f} GiB (goal 300 s with 50 samples; 4 GiB)")


def asked(metrics: Sequence[MeasuredAt]) -> MetricAnalysisTask:
    return MetricAnalysisTask(metrics, (), 0.05, Stream.of(0, "benchmark"))


def simulated(n_systems: int, n_users: int, n_items: int, n_ratings: int) -> Board:
    """Draw popular items, active users, and systems that rank relevant items high, each a little worse than the one before."""
    random = np.random.default_rng(0)
    activity, popularity = random.lognormal(0, 1, n_users), random.lognormal(0, 1.5, n_items)
    pairs = np.empty(0, dtype=np.int64)
    while len(pairs) < n_ratings:
        user = random.choice(n_users, 2 * n_ratings, p=activity / activity.sum())
        item = random.choice(n_items, 2 * n_ratings, p=popularity / popularity.sum())
        pairs = np.unique(np.concatenate([pairs, user * n_items + item]))
    user, item = divmod(np.sort(random.permutation(pairs)[:n_ratings]), n_items)
    rating = np.clip(np.round(random.normal(3.6, 1.1, n_ratings)), 1, 5)
    listed, positions = n_items - n_items // 10, []
    for system in range(n_systems):
        skill = (
            2 + 0.3 * (rating - 3.5) * (1 - system / n_systems) + 0.3 * np.log(popularity[item]) + random.normal(0, 0.3, n_ratings)
        )
        wanted = 1 + np.floor(listed * random.random(n_ratings) ** np.maximum(skill, 0.3)).astype(np.int64)
        position = one_at_each(user, wanted, 10 * n_items)
        positions.append(np.where(position <= listed, position, 0))
    return Board(
        systems=tuple(f"S{number}" for number in range(n_systems)),
        user=user.astype(np.int32),
        item=item.astype(np.int32),
        rating=rating,
        position=np.stack(positions).astype(np.int32),
        score=None,
        ranked=np.full((n_systems, n_users), listed),
        train=random.integers(1, 200, n_users),
        item_train=random.poisson(50 * popularity),
        scale=SCALE,
        rules=Rules("full", SCALE.relevance, Users.build("with_ratings"), "full", Aggregate.build("mean")),
    )


def one_at_each(user: np.ndarray, wanted: np.ndarray, apart: int) -> np.ndarray:
    """Move positions down until all positions of a user differ; ``apart`` exceeds all positions, and rows are sorted by user."""
    order = np.lexsort((wanted, user))
    rank = np.arange(len(user)) - np.searchsorted(user, user)
    position = np.empty_like(wanted)
    position[order] = np.maximum.accumulate(wanted[order] - rank + user * apart) - user * apart + rank
    return position


def by_loop(board: Board) -> dict[tuple[str, int], list[float]]:
    """Measure the systems one by one, user by user, following the definitions literally."""
    discounts, starts = 1 / np.log2(np.arange(2, 10_000)), np.searchsorted(board.user, np.arange(board.n_users + 1))
    found: dict[tuple[str, int], list[float]] = {}
    for position in board.position:
        values = {(name, cutoff): np.zeros(board.n_users) for name in SEVEN[:5] for cutoff in CUTOFFS}
        for user in range(board.n_users):
            rows = slice(starts[user], starts[user + 1])
            places, ratings = position[rows], board.rating[rows]
            ranked = np.flatnonzero(places > 0)
            ranked = ranked[np.argsort(places[ranked])]
            hits = places[ranked][ratings[ranked] >= board.relevance]
            n_relevant = np.count_nonzero(ratings >= board.relevance)
            precision, ideal = np.arange(1, len(hits) + 1) / hits, np.sort(ratings)[::-1]
            gained = ratings[ranked] * discounts[places[ranked] - 1]
            for n in CUTOFFS:
                n_hits = np.count_nonzero(hits <= n)
                values["P", n][user] = n_hits / n
                if n_relevant:
                    values["R", n][user] = n_hits / n_relevant
                    values["AP", n][user] = precision[:n_hits].sum() / n_relevant
                if n_hits:
                    values["RR", n][user] = 1 / hits[0]
                if len(ideal):
                    best = (ideal[:n] * discounts[: len(ideal[:n])]).sum()
                    values["nDCG(gain=linear)", n][user] = gained[places[ranked] <= n].sum() / best
        for key, column in values.items():
            found.setdefault(key, []).append(column.mean())
    return found


def trec_eval(board: Board) -> tuple[float, dict[str, list[float]]]:
    """Evaluate the first 100 positions of every system; return the seconds, and each system's mean over all users."""
    relevant = board.rating >= board.relevance
    qrel: dict[str, dict[str, int]] = {str(user): {} for user in np.unique(board.user)}
    for user, item, is_relevant in zip(board.user.tolist(), board.item.tolist(), relevant.tolist(), strict=True):
        qrel[str(user)][str(item)] = int(is_relevant)
    evaluator = pytrec_eval.RelevanceEvaluator(qrel, THEIRS)
    seconds, means = 0.0, {"P_10": []}
    for position in board.position:
        run = {user: {f"u{place}": float(-place) for place in range(1, 101)} for user in qrel}
        near = np.flatnonzero((position > 0) & (position <= 100))
        for user, item, place in zip(board.user[near].tolist(), board.item[near].tolist(), position[near].tolist(), strict=True):
            del run[str(user)][f"u{place}"]
            run[str(user)][str(item)] = float(-place)
        begun = time.perf_counter()
        values = evaluator.evaluate(run)
        seconds += time.perf_counter() - begun
        for name, column in means.items():
            column.append(sum(row[name] for row in values.values()) / board.n_users)
    return seconds, means


def best_of(work, times: int) -> tuple[float, object]:
    """Return the least seconds, and what the work returns."""
    seconds, result = [], None
    for _ in range(times):
        begun = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - begun)
    return min(seconds), result


if __name__ == "__main__":
    main()
