"""Metrics at eleven cut-offs from judged positions, against pytrec_eval on the same lists.

    RECSENS_DATA=... python benchmarks/measure_metrics.py

Goals for 6,040 users: P, nDCG and RBP in at most 0.3 s, and at least five times as fast as pytrec_eval's evaluation, its
dictionaries built beforehand; P, R, AP, nDCG, RR, bpref and infAP in at most 0.15 s. Each other metric is timed alone.
"""

import time

import numpy as np
import pytrec_eval

from halves_of_ml_1m import halves
from recsens import plugins
from recsens.metrics import WHOLE, Judged
from recsens.nc.drop import Drop
from recsens.ranking import rank
from recsens.recommenders.popularity import Popularity
from recsens.seeds import Stream
from recsens.targets.ar import AR
from recsens.vocabulary import LIST_DEPTH

CUTOFFS = (1, 2, 3, 5, 10, 15, 20, 30, 50, 75, 100)
THREE = ("P", "nDCG", "RBP")
SEVEN = ("P", "R", "AP", "nDCG", "RR", "Bpref", "infAP")


def main() -> None:
    train, test = halves()
    model = Popularity().fit(train, np.random.default_rng(0))
    found = rank(
        model,
        train,
        test,
        targets=AR(),
        relevance=4,
        nc=Drop(),
        fallback=None,
        ties="low_index",
        list_depth=LIST_DEPTH,
        tie_stream=Stream.of(0, "ties"),
        target_stream=Stream.of(0, "targets"),
    )
    ours, values = best_of(lambda: measure(THREE, see(found.positions, found.users, test)))
    theirs, reference = best_of(trec_eval(found.lists, test))
    p_10, ndcg_10 = values[0][:, CUTOFFS.index(10)], values[1][:, CUTOFFS.index(10)]
    for user, row in reference.items():
        assert abs(row["P_10"] - p_10[int(user)]) < 1e-9
        assert abs(row["ndcg_cut_10"] - ndcg_10[int(user)]) < 1e-9
    print(f"{test.n_users:,} users, {len(CUTOFFS)} cut-offs; P@10 and nDCG@10 equal for {len(reference):,} users")
    print(f"recsens P, nDCG, RBP {ours:.3f} s (goal <= 0.3)")
    print(f"pytrec_eval P, ndcg_cut {theirs:.3f} s: {theirs / ours:.1f} times as long (goal >= 5)")
    seven, _ = best_of(lambda: measure(SEVEN, see(found.positions, found.users, test)))
    print(f"{', '.join(SEVEN)} {seven:.3f} s (goal <= 0.15)")
    for name in plugins.names("metric"):
        if getattr(plugins.load("metric", name), "reads", "positions") != "positions":
            continue
        alone, _ = best_of(lambda name=name: measure([name], see(found.positions, found.users, test)))
        print(f"{name:12} {alone:.3f} s")


def see(positions, users, test) -> Judged:
    return Judged.of(
        user=positions["user"],
        position=positions["position"].filled(0).astype(np.int64),
        rating=np.asarray(positions["rating"]),
        targets_ranked=users["scored"].astype(np.int64),
        view="full",
        scale=test.scale,
        relevance=test.scale.relevance,
    )


def measure(names, judged: Judged) -> list[np.ndarray]:
    metrics = [plugins.build("metric", name) for name in names]
    return [metric.measure(judged, (WHOLE,) if metric.takes_cutoff == "never" else CUTOFFS) for metric in metrics]


def trec_eval(lists, test):
    relevant = test.values >= test.scale.relevance
    qrel = {str(user): {} for user in np.unique(test.user)}
    for user, item, is_relevant in zip(test.user.tolist(), test.item.tolist(), relevant.tolist(), strict=True):
        qrel[str(user)][str(item)] = int(is_relevant)
    run = {str(user): {} for user in np.unique(lists["user"])}
    for user, item, place in zip(lists["user"].tolist(), lists["item"].tolist(), lists["rank"].tolist(), strict=True):
        run[str(user)][str(item)] = float(-place)
    depths = ",".join(map(str, CUTOFFS))
    evaluator = pytrec_eval.RelevanceEvaluator(qrel, {f"P.{depths}", f"ndcg_cut.{depths}"})
    return lambda: evaluator.evaluate(run)


def best_of(work, times: int = 5):
    seconds, result = [], None
    for _ in range(times):
        begun = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - begun)
    return min(seconds), result


if __name__ == "__main__":
    main()
