"""Fit models of RecTools, export them, and write RecTools' own lists."""

import os
import warnings

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import pandas as pd
from implicit.als import AlternatingLeastSquares
from implicit.bpr import BayesianPersonalizedRanking
from implicit.nearest_neighbours import BM25Recommender
from rectools import models
from rectools.dataset import Dataset
from shared import DATA, DEPTH, OUT, keep

import recsens_export  # isort: skip

warnings.simplefilter("ignore")
named = {"user": "user_id", "item": "item_id", "rating": "weight", "timestamp": "datetime"}
train = pd.read_csv(DATA / "train.csv").rename(columns=named)
train["datetime"] = pd.to_datetime(train["datetime"], unit="s")
dataset = Dataset.construct(train)
test = pd.read_csv(DATA / "test.csv").rename(columns=named)
tried = {
    "EASE": models.EASEModel(regularization=500),
    "WMF": models.ImplicitALSWrapperModel(AlternatingLeastSquares(factors=16, iterations=5, random_state=1)),
    "BPR": models.ImplicitBPRWrapperModel(BayesianPersonalizedRanking(factors=16, iterations=20, random_state=1)),
    "ItemKNN": models.ImplicitItemKNNWrapperModel(BM25Recommender(K=20)),
    "PureSVD": models.PureSVDModel(factors=16, random_state=1),
    "Popular": models.PopularModel(),
}
for name, model in tried.items():
    model.fit(dataset)
    scores = recsens_export.from_rectools(model, dataset, test=test)
    told = scores.save(OUT / f"{name}.npz")
    found = model.recommend(users=dataset.user_id_map.external_ids, dataset=dataset, k=DEPTH, filter_viewed=True)
    keep(name, found.groupby("user_id")["item_id"].apply(list).to_dict(), told)
scores.save_split(OUT / "split")
