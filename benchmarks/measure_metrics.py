"""Metrics at eleven cut-offs, from judged positions and from runs in memory, compared with pytrec_eval and ranx on the same lists.

    RECSENS_DATA=... python benchmarks/measure_metrics.py

Goals for 6,040 users: P, nDCG and RBP in at most 0.3 s, and at least five times as fast as pytrec_eval's evaluation, whose
dictionaries are built beforehand; P, R, AP, nDCG, RR, bpref and infAP in at most 0.15 s. Every other metric is timed separately.

Goals for a run given as three arrays: P and nDCG, five metrics, and all seven metrics must each be five times as fast as
pytrec_eval's evaluation of the same measures. Both prepare the judgements beforehand, and pytrec_eval has no cut-offs for RR, bpref
and infAP. Five metrics must be twenty times as fast as ranx from the same arrays, including the judgements. ranx is not part of the
project's environment; it is compared if it can be imported, for example after ``pip install ranx`` into a copy of the environment.

The programs compared run in turns, so that a busy machine slows both down equally.
"""

import time
import warnings
from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np
import pytrec_eval

from command_line import parser
from halves_of_ml_1m import halves
from recsens import plugins
from recsens.metrics import WHOLE, Judged
from recsens.ranking import rank
from recsens.ranking.nc.drop import Drop
from recsens.ranking.targets.all_relevant import AR
from recsens.recommenders.trivial import Popularity
from recsens.runs.evaluation import Evaluator, evaluate
from recsens.seeds import Stream
from recsens.vocabulary import LIST_DEPTH

CUTOFFS = (1, 2, 3, 5, 10, 15, 20, 30, 50, 75, 100)
THREE = ("P", "nDCG", "RBP")
SEVEN = ("P", "R", "AP", "nDCG", "RR", "Bpref", "infAP")
THEIRS = {
    "P": "P",
    "nDCG": "ndcg_cut",
    "R": "recall",
    "AP": "map_cut",
    "RR": "recip_rank",
    "Bpref": "bpref",
    "infAP(pool=judged)": "infAP",
}
"""pytrec_eval's names of the seven metrics; its infAP counts only judged items as relevant."""

AT_CUTOFFS = ("P", "ndcg_cut", "recall", "map_cut")


def main(command: Sequence[str] | None = None) -> None:
    train, test = halves(tiny=parser(__doc__).parse_args(command).tiny)
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
    (ours, values), (theirs, reference) = in_turns(
        lambda: measure(THREE, see(found.positions, found.users, test)), trec_eval(found.lists, test, ("P", "ndcg_cut"))
    )
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
    compare_in_memory(found.lists, test)


def compare_in_memory(lists, test) -> None:
    """Compare runs given as three arrays with pytrec_eval's evaluation alone, and with ranx and the building of its inputs."""
    run = (lists["user"], lists["item"], -lists["rank"].astype(float))
    qrels = (test.user, test.item, test.values)
    depths = ",".join(map(str, CUTOFFS))
    for count in (2, 5, 7):
        names, measures = list(THEIRS)[:count], list(THEIRS.values())[:count]
        decided = Evaluator.of(qrels, [f"{name}@{depths}" for name in names], relevance=test.scale.relevance)
        (ours, found), (theirs, reference) = in_turns(
            lambda decided=decided: decided.evaluate(run), trec_eval(lists, test, measures), times=9
        )
        for name, measure_name in zip(names, measures, strict=True):
            key = f"{measure_name}_{CUTOFFS[-1]}" if measure_name in AT_CUTOFFS else measure_name
            column = found.column(f"{name}@{CUTOFFS[-1]}")
            assert all(abs(row[key] - column[found.users.index(user)]) < 1e-9 for user, row in reference.items()), name
        print(
            f"{', '.join(names)} of a run as arrays {ours:.3f} s; pytrec_eval {theirs:.3f} s: "
            f"{theirs / ours:.1f} times as long (goal >= 5)"
        )
    begun = time.perf_counter()
    trec_eval(lists, test, measures)
    built = time.perf_counter() - begun
    print(f"all seven, with its dictionaries {theirs + built:.3f} s: {(theirs + built) / ours:.1f} times as long")
    names = {"P@10": "precision@10", "R@10": "recall@10", "AP": "map", "RR": "mrr", "nDCG@10": "ndcg@10"}
    ours, found = best_of(lambda: evaluate(run, qrels, list(names), relevance=test.scale.relevance, no_relevant="skip"))
    if find_spec("ranx") is None:
        print(f"five metrics, judgements read {ours:.3f} s; ranx cannot be imported, and is not compared")
        return
    for form in ("frames", "dictionaries"):
        ranx_of(run, qrels, test.scale.relevance, list(names.values()), form)  # compiles
        theirs, reference = best_of(lambda form=form: ranx_of(run, qrels, test.scale.relevance, list(names.values()), form), 3)
        for name, called in names.items():
            assert abs(found.means[name] - reference[called]) < 1e-9, (name, found.means[name], reference[called])
        print(
            f"five metrics, judgements read {ours:.3f} s; ranx from {form} {theirs:.3f} s: {theirs / ours:.0f} times (goal >= 20)"
        )


def ranx_of(run, qrels, relevance: float, metrics: list[str], form: str) -> dict[str, float]:
    """Build ranx's inputs and evaluate; ranx never averages users without a relevant item."""
    import pandas as pd
    from ranx import Qrels, Run
    from ranx import evaluate as evaluate_by_ranx

    liked = qrels[2] >= relevance
    user, item = (column[liked].astype(str).astype(object) for column in qrels[:2])
    names = tuple(column.astype(str).astype(object) for column in run[:2])
    if form == "frames":
        # ranx needs columns of objects, which pandas would otherwise convert to strings.
        columns = [pd.Series(column, dtype=object) for column in (user, item, *names)]
        judged = Qrels.from_df(pd.DataFrame({"q_id": columns[0], "doc_id": columns[1], "score": 1}))
        ranked = Run.from_df(pd.DataFrame({"q_id": columns[2], "doc_id": columns[3], "score": run[2]}))
    else:
        judged = Qrels(nested(user, item, np.ones(len(user), dtype=int)))
        ranked = Run(nested(*names, run[2]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate_by_ranx(judged, ranked, metrics, make_comparable=True)


def nested(user, item, value) -> dict:
    table: dict = {}
    for u, i, v in zip(user.tolist(), item.tolist(), value.tolist(), strict=True):
        table.setdefault(u, {})[i] = v
    return table


def see(positions, users, test) -> Judged:
    return Judged.of(
        user=positions["user"],
        position=positions["position"].filled(0).astype(np.int64),
        rating=np.asarray(positions["rating"]),
        targets_ranked=users["scored"].astype(np.int64),
        view="full",
        scale=test.scale,
        relevance=test.scale.relevance,
        score=positions["score"].filled(np.nan),
        item=positions["item"],
    )


def measure(names, judged: Judged) -> list[np.ndarray]:
    metrics = [plugins.build("metric", name) for name in names]
    return [metric.measure(judged, (WHOLE,) if metric.takes_cutoff == "never" else CUTOFFS) for metric in metrics]


def trec_eval(lists, test, measures):
    relevant = test.values >= test.scale.relevance  # noqa: PD011 - no data frame
    qrel = {str(user): {} for user in np.unique(test.user)}
    for user, item, is_relevant in zip(test.user.tolist(), test.item.tolist(), relevant.tolist(), strict=True):
        qrel[str(user)][str(item)] = int(is_relevant)
    run = {str(user): {} for user in np.unique(lists["user"])}
    for user, item, place in zip(lists["user"].tolist(), lists["item"].tolist(), lists["rank"].tolist(), strict=True):
        run[str(user)][str(item)] = float(-place)
    depths = ",".join(map(str, CUTOFFS))
    evaluator = pytrec_eval.RelevanceEvaluator(qrel, {f"{name}.{depths}" if name in AT_CUTOFFS else name for name in measures})
    return lambda: evaluator.evaluate(run)


def best_of(work, times: int = 5):
    return in_turns(work, times=times)[0]


def in_turns(*works, times: int = 5) -> list[tuple[float, object]]:
    """Return, for each call, the least seconds and the returned value."""
    seconds, results = [[] for _ in works], [None] * len(works)
    for _ in range(times):
        for at, work in enumerate(works):
            begun = time.perf_counter()
            results[at] = work()
            seconds[at].append(time.perf_counter() - begun)
    return [(min(own), result) for own, result in zip(seconds, results, strict=True)]


if __name__ == "__main__":
    main()
