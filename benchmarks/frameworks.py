"""Rank and measure with recsens, LensKit and Cornac: processor seconds of the nearest models that each allows, on one thread.

    RECSENS_DATA=... python benchmarks/frameworks.py [--lenskit PYTHON] [--cornac PYTHON]

Half of MovieLens 1M; ratings of 4 and more are relevant. Popularity, item kNN with 20 neighbours and 50 factors are fitted. Then
all unrated items are ranked for all users, and seven metrics are measured at eleven cut-offs; only this part is timed. Each
framework runs in a separate environment, whose Python you name. A framework that you do not name is left out.

The models and metrics are the nearest that each framework allows. LensKit keeps lists of 100, and DCG replaces AP. In Cornac, F1
replaces RBP, AP and RR have no cut-offs, and only relevant train items are removed from lists. Bound: each framework takes at least
ten times as long as recsens.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

CUTOFFS = (1, 2, 3, 5, 10, 15, 20, 30, 50, 75, 100)
RELEVANT = 4
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "RAYON", "LK")}
MODELS = ("popularity", "item kNN", "factors")

Measured = Iterator[tuple[float, float]]
"""Processor seconds of ranking and measuring with each model, and its mean nDCG@10."""


def main(command: Sequence[str] | None = None) -> None:
    """Time each framework in a process of its own, and print a table."""
    accepted = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    accepted.add_argument("--tiny", action="store_true", help="run on a tiny board: its figures mean nothing")
    accepted.add_argument("--lenskit", help="the Python of an environment with LensKit")
    accepted.add_argument("--cornac", help="the Python of an environment with Cornac")
    accepted.add_argument("--of", nargs=2, help=argparse.SUPPRESS)
    arguments = accepted.parse_args(command)
    if arguments.of is not None:
        by, folder = arguments.of
        print(json.dumps(dict(zip(MODELS, BY[by](Path(folder)), strict=True))))
        return
    pythons = {"recsens": sys.executable, "lenskit": arguments.lenskit, "cornac": arguments.cornac}
    with TemporaryDirectory() as folder:
        write_halves(Path(folder), tiny=arguments.tiny)
        found = {by: measured(python, by, folder) for by, python in pythons.items() if python is not None}
    print(f"{'':26}" + "".join(f"{model:>26}" for model in MODELS))
    for by, values in found.items():
        version = subprocess.check_output([pythons[by], "-c", f"import {by}; print({by}.__version__)"], text=True).strip()
        cells = (f"{seconds:.2f} s, nDCG@10 {ndcg:.4f}" for seconds, ndcg in values.values())
        print(f"{by + ' ' + version:26}" + "".join(f"{cell:>26}" for cell in cells))
        if by != "recsens":
            ratios = (values[model][0] / found["recsens"][model][0] for model in MODELS)
            print(f"{'':26}" + "".join(f"{f'{ratio:.0f} times (at least 10)':>26}" for ratio in ratios))


def write_halves(folder: Path, *, tiny: bool) -> None:
    """Write both halves of the data as arrays."""
    from halves_of_ml_1m import halves

    for name, side in zip(("train", "test"), halves(tiny=tiny), strict=True):
        np.savez(folder / f"{name}.npz", user=side.user, item=side.item, rating=side.values)


def measured(python: str, by: str, folder: str) -> dict[str, tuple[float, float]]:
    """Run one framework in its own environment."""
    done = subprocess.run(
        [python, __file__, "--of", by, folder], env={**os.environ, **ONE_THREAD}, check=True, stdout=subprocess.PIPE, text=True
    )
    return {model: (row[0], row[1]) for model, row in json.loads(done.stdout.splitlines()[-1]).items()}


def columns(folder: Path, side: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Read one half: users, items, ratings."""
    with np.load(folder / f"{side}.npz") as arrays:
        return arrays["user"], arrays["item"], arrays["rating"].astype(float)


def timed(work: Callable[[Any], float], model: Any) -> tuple[float, float]:
    begun = process_time()
    ndcg = work(model)
    return process_time() - begun, ndcg


def by_recsens(folder: Path) -> Measured:
    """Rank to positions and lists of 100, then measure from positions."""
    from recsens import plugins
    from recsens.data.interactions import Interactions
    from recsens.files.scale import Scale
    from recsens.metrics import Judged
    from recsens.ranking import rank
    from recsens.seeds import Stream
    from recsens.testing import crowd
    from recsens.vocabulary import LIST_DEPTH

    sides = [columns(folder, side) for side in ("train", "test")]
    n_users, n_items = (max(int(side[axis].max()) for side in sides) + 1 for axis in (0, 1))
    train, test = (
        Interactions(
            user=user.astype(np.int32),
            item=item.astype(np.int32),
            rating=rating,
            timestamp=None,
            user_keys=np.arange(n_users),
            item_keys=np.arange(n_items),
            scale=Scale(),
        )
        for user, item, rating in sides
    )
    metrics = [plugins.build("metric", name) for name in ("nDCG", "P", "R", "Success", "RR", "RBP", "AP")]
    stream = Stream.of(1, "benchmark")

    def rank_and_measure(spec: str, train: Interactions, test: Interactions) -> tuple[float, float]:
        model = plugins.build("recommender", spec).fit(train, stream.generator())
        begun = process_time()
        ranked = rank(
            model,
            train,
            test,
            targets=plugins.build("targets", "ar"),
            relevance=RELEVANT,
            ties="random",
            nc=plugins.build("nc", "drop"),
            fallback=None,
            list_depth=LIST_DEPTH,
            tie_stream=stream,
            target_stream=stream,
        )
        judged = Judged.of(
            user=ranked.positions["user"],
            position=ranked.positions["position"].filled(0).astype(np.int64),
            rating=np.asarray(ranked.positions["rating"]),
            targets_ranked=ranked.users["scored"].astype(np.int64),
            view="full",
            scale=test.scale,
            relevance=RELEVANT,
            score=ranked.positions["score"].filled(np.nan),
            item=ranked.positions["item"],
        )
        values = [metric.measure(judged, CUTOFFS) for metric in metrics]
        return process_time() - begun, float(np.mean(values[0][:, CUTOFFS.index(10)]))

    for spec in ("popularity", "item_knn(k=20)", "hkv(factors=50,epochs=10)"):
        rank_and_measure(spec, crowd(), crowd(seed=2))  # compiles what is needed
        yield rank_and_measure(spec, train, test)


def by_lenskit(folder: Path) -> Measured:
    """Recommend lists of 100 by a pipeline for each model, then analyse them."""
    import pandas as pd
    from lenskit import metrics
    from lenskit.als import ImplicitMFScorer
    from lenskit.basic import PopScorer
    from lenskit.batch import recommend
    from lenskit.data import ItemListCollection, from_interactions_df
    from lenskit.knn import ItemKNNScorer
    from lenskit.pipeline import topn_pipeline

    def frame(side: str) -> Any:
        return pd.DataFrame(dict(zip(("user_id", "item_id", "rating"), columns(folder, side), strict=True)))

    train, test = from_interactions_df(frame("train")), frame("test")
    users = np.unique(test["user_id"].to_numpy())
    judged = ItemListCollection.from_df(test[test["rating"] >= RELEVANT].drop(columns="rating"), key="user_id")
    analysis = metrics.RunAnalysis()
    for metric in ("NDCG", "Precision", "Recall", "Hit", "RecipRank", "RBP", "DCG"):
        for n in CUTOFFS:
            analysis.add_metric(getattr(metrics, metric)(n=n))

    def rank_and_measure(pipeline: Any) -> float:
        found = analysis.measure(recommend(pipeline, users, n=max(CUTOFFS), n_jobs=1), judged)
        return float(found.list_metrics()["NDCG@10"].mean())

    knn = ItemKNNScorer(max_nbrs=20, feedback="implicit")
    for scorer in (PopScorer(), knn, ImplicitMFScorer(embedding_size=50, epochs=10)):
        pipeline = topn_pipeline(scorer, n=max(CUTOFFS))
        pipeline.train(train)
        yield timed(rank_and_measure, pipeline)


def by_cornac(folder: Path) -> Measured:
    """Evaluate each model by Cornac's own function."""
    from cornac.data import Dataset
    from cornac.eval_methods.base_method import ranking_eval
    from cornac.metrics import MAP, MRR, NDCG, FMeasure, HitRatio, Precision, Recall
    from cornac.models import BPR, ItemKNN, MostPop

    train = Dataset.from_uir(triples(folder, "train"))
    test = Dataset.build(
        triples(folder, "test"), global_uid_map=train.uid_map, global_iid_map=train.iid_map, exclude_unknowns=True, fmt="UIR"
    )
    at = [metric(k=k) for metric in (NDCG, Precision, Recall, HitRatio, FMeasure) for k in CUTOFFS]
    measures = [*at, MAP(), MRR()]

    def rank_and_measure(model: Any) -> float:
        means, _ = ranking_eval(model, measures, train, test, rating_threshold=RELEVANT)
        return float(means[CUTOFFS.index(10)])

    factors = BPR(k=50, max_iter=20, num_threads=1, seed=1)
    for model in (MostPop(), ItemKNN(k=20, similarity="cosine", num_threads=1, verbose=False), factors):
        model.fit(train)
        yield timed(rank_and_measure, model)


def triples(folder: Path, side: str) -> list[tuple[int, int, float]]:
    user, item, rating = columns(folder, side)
    return list(zip(user.tolist(), item.tolist(), rating.tolist(), strict=True))


BY: dict[str, Callable[[Path], Measured]] = {"recsens": by_recsens, "lenskit": by_lenskit, "cornac": by_cornac}

if __name__ == "__main__":
    main()
