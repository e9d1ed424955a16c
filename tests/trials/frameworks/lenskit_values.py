"""Run by LensKit's own Python: train three pipelines, export them, and write LensKit's metrics of their lists."""

import json
import sys
from pathlib import Path

import pandas as pd
from lenskit import batch
from lenskit.als import ImplicitMFScorer
from lenskit.basic import PopScorer
from lenskit.data import ItemListCollection, from_interactions_df
from lenskit.knn import EASEScorer
from lenskit.metrics import DCG, NDCG, RBP, Hit, Precision, Recall, RecipRank, RunAnalysis
from lenskit.pipeline import topn_pipeline
from lenskit.training import TrainingOptions

folder = Path(sys.argv[1])
sys.path.insert(0, str(folder))
import recsens_export  # isort: skip # noqa: E402


def ratings(name):
    return pd.read_csv(folder / f"{name}.csv").rename(columns={"user": "user_id", "item": "item_id"})


class CoarsePopularity(PopScorer):
    """Count ratings by the twenty, so that many items have equal scores; LensKit's own quantiles are all different."""

    def _train_internal(self, scores):
        return scores // 20


train = from_interactions_df(ratings("train"))
test = ItemListCollection.from_df(ratings("test"), ["user_id"])
values = {}
scorers = {"EASE": EASEScorer(regularization=500), "WMF": ImplicitMFScorer(embedding_size=16, epochs=5), "Pop": CoarsePopularity()}
for name, scorer in scorers.items():
    pipeline = topn_pipeline(scorer, n=10)
    pipeline.train(train, TrainingOptions(rng=1))
    recsens_export.from_lenskit(pipeline, train, test=test).save(folder / f"{name}.npz")
    found = batch.recommend(pipeline, test, n=10, n_jobs=1)
    lists = found.to_df().rename(columns={"user_id": "user", "item_id": "item"})[["user", "item", "score"]]
    lists.to_csv(folder / f"{name}.csv", index=False)
    analysis = RunAnalysis()
    for n in (5, 10):
        for metric in (DCG, NDCG, RBP, Hit, Precision, Recall, RecipRank):
            analysis.add_metric(metric(n=n), f"{metric.__name__}@{n}")
        analysis.add_metric(NDCG(n=n, gain="rating"), f"NDCG(gain=rating)@{n}")
    values[name] = analysis.measure(found, test).list_summary()["mean"].to_dict()

(folder / "values.json").write_text(json.dumps(values, indent=1), encoding="utf-8")
