"""Train pipelines of LensKit, export them, and write LensKit's own lists."""

import numpy as np
import pandas as pd
from lenskit import batch
from lenskit.als import BiasedMFScorer, ImplicitMFScorer
from lenskit.basic import BiasScorer, PopScorer
from lenskit.data import ItemListCollection, from_interactions_df
from lenskit.knn import EASEScorer, ItemKNNScorer, UserKNNScorer
from lenskit.pipeline import topn_pipeline
from lenskit.training import TrainingOptions
from shared import DATA, DEPTH, OUT, keep

import recsens_export  # isort: skip

named = {"user": "user_id", "item": "item_id"}
train = from_interactions_df(pd.read_csv(DATA / "train.csv").rename(columns=named))
test = ItemListCollection.from_df(pd.read_csv(DATA / "test.csv").rename(columns=named), ["user_id"])
tried = {
    "EASE": EASEScorer(regularization=500),
    "ItemKNN": ItemKNNScorer(k=20, feedback="implicit"),
    "ItemKNN-explicit": ItemKNNScorer(k=20, feedback="explicit"),
    "UserKNN": UserKNNScorer(k=20, feedback="explicit"),
    "WMF": ImplicitMFScorer(embedding_size=16, epochs=5),
    "WMF-prefer": ImplicitMFScorer(embedding_size=16, epochs=5, user_embeddings="prefer"),
    "BiasedMF": BiasedMFScorer(embedding_size=16, epochs=5),
    "Bias": BiasScorer(),
    "Popularity": PopScorer(),
}
for name, scorer in tried.items():
    pipeline = topn_pipeline(scorer, n=DEPTH)
    pipeline.train(train, TrainingOptions(rng=1))
    scores = recsens_export.from_lenskit(pipeline, train, test=test)
    told = scores.save(OUT / f"{name}.npz")
    found = batch.recommend(pipeline, [int(user) for user in train.users.ids()], n=DEPTH, n_jobs=1)
    keep(name, {key.user_id: np.asarray(items.ids()) for key, items in found}, told)
scores.save_split(OUT / "split")
