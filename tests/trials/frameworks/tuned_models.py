"""Fit a framework's models with given parameters, in the framework's environment and without recsens; write their first items.

The program is called with a framework and a folder, which contains train.csv files in folders and jobs.json: the parameters of each
candidate, by model. It writes lists.json: each user's first items, by model, candidate and folder.
"""

import csv
import json
import os
import sys
import warnings
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
warnings.simplefilter("ignore")

import numpy as np  # noqa: E402
from scipy.sparse import csr_matrix  # noqa: E402

FRAMEWORK, FOLDER = sys.argv[1], Path(sys.argv[2])
DEPTH = 10


class Ratings:
    """The train set in a folder."""

    def __init__(self, folder):
        with (FOLDER / folder / "train.csv").open(encoding="utf-8", newline="") as file:
            self.rows = [(row["user"], row["item"], float(row["rating"])) for row in csv.DictReader(file)]
        self.user, self.item, self.rating = map(np.array, zip(*self.rows, strict=True))
        self.users, of_user = np.unique(self.user, return_inverse=True)
        self.items, of_item = np.unique(self.item, return_inverse=True)
        self.matrix = csr_matrix((self.rating.astype(np.float32), (of_user, of_item)))

    def named(self, found):
        """Name users and items of an array of items, user by user; places that a model does not fill are -1."""
        return {user: [self.items[item] for item in own if item >= 0] for user, own in zip(self.users, found, strict=True)}


def cornac(train):
    """Return the makers of Cornac's models."""
    from cornac import models
    from cornac.data import Dataset

    data = Dataset.from_uir(train.rows, seed=1)

    def lists(model):
        model.fit(data)
        return {user: list(model.recommend(user, DEPTH, remove_seen=True, train_set=data)) for user in data.user_ids}

    return {
        "EASE": lambda regularization: lists(models.EASE(lamb=regularization, posB=False, verbose=False)),
        "BPR": lambda factors, epochs, learning_rate, regularization: lists(
            models.BPR(k=factors, max_iter=epochs, learning_rate=learning_rate, lambda_reg=regularization, seed=1, num_threads=1)
        ),
    }


def implicit(train):
    """Return the makers of implicit's models."""
    from implicit import als, bpr, nearest_neighbours

    def lists(model, confidences=train.matrix):
        model.fit(confidences, show_progress=False)
        return train.named(model.recommend(np.arange(len(train.users)), train.matrix, N=DEPTH)[0])

    def weighted(alpha):
        confidences = train.matrix.copy()
        confidences.data = 1 + alpha * confidences.data
        return confidences

    return {
        "AlternatingLeastSquares": lambda factors, regularization, alpha: lists(
            als.AlternatingLeastSquares(factors, regularization, iterations=20, random_state=1, num_threads=1), weighted(alpha)
        ),
        "BayesianPersonalizedRanking": lambda factors, epochs, learning_rate, regularization: lists(
            bpr.BayesianPersonalizedRanking(
                factors, learning_rate, regularization, iterations=epochs, random_state=1, num_threads=1
            )
        ),
        "CosineRecommender": lambda k: lists(nearest_neighbours.CosineRecommender(K=k + 1, num_threads=1)),
    }


def lenskit(train):
    """Return the makers of LensKit's scorers."""
    import pandas as pd
    from lenskit import als, batch, knn, pipeline, training
    from lenskit.data import from_interactions_df

    data = from_interactions_df(pd.DataFrame({"user_id": train.user, "item_id": train.item, "rating": train.rating}))

    def lists(scorer):
        line = pipeline.topn_pipeline(scorer, n=DEPTH)
        line.train(data, training.TrainingOptions(rng=1))
        found = batch.recommend(line, list(map(str, data.users.ids())), n=DEPTH, n_jobs=1)
        return {key.user_id: list(items.ids()) for key, items in found}

    return {
        "EASEScorer": lambda regularization: lists(knn.EASEScorer(regularization=regularization)),
        "ImplicitMFScorer": lambda factors, regularization, alpha: lists(
            als.ImplicitMFScorer(embedding_size=factors, regularization=regularization, weight=alpha, epochs=20, use_ratings=True)
        ),
        "ItemKNNScorer": lambda k: lists(knn.ItemKNNScorer(k=k, feedback="implicit")),
        "UserKNNScorer": lambda k: lists(knn.UserKNNScorer(k=k, feedback="implicit")),
    }


def rectools(train):
    """Return the makers of RecTools' models."""
    import pandas as pd
    from implicit.nearest_neighbours import CosineRecommender
    from rectools import models
    from rectools.dataset import Dataset

    columns = {"user_id": train.user, "item_id": train.item, "weight": train.rating, "datetime": pd.Timestamp("2000-01-01")}
    data = Dataset.construct(pd.DataFrame(columns))

    def lists(model):
        model.fit(data)
        found = model.recommend(users=data.user_id_map.external_ids, dataset=data, k=DEPTH, filter_viewed=True)
        return found.groupby("user_id")["item_id"].apply(list).to_dict()

    return {
        "EASEModel": lambda regularization: lists(models.EASEModel(regularization=regularization)),
        "PureSVDModel": lambda factors: lists(models.PureSVDModel(factors=factors, random_state=1)),
        "ImplicitItemKNNWrapperModel": lambda k: lists(models.ImplicitItemKNNWrapperModel(CosineRecommender(K=k + 1))),
    }


if __name__ == "__main__":
    jobs = json.loads((FOLDER / "jobs.json").read_text(encoding="utf-8"))
    made = {model: [{} for _ in candidates] for model, candidates in jobs.items()}
    for place in sorted(path.parent.name for path in FOLDER.glob("*/train.csv")):
        makers = globals()[FRAMEWORK](Ratings(place))
        for model, candidates in jobs.items():
            for number, parameters in enumerate(candidates):
                lists = makers[model](**parameters)
                made[model][number][place] = {str(user): list(map(str, items)) for user, items in lists.items()}
    (FOLDER / "lists.json").write_text(json.dumps(made), encoding="utf-8")
