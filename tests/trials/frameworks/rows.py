"""Write the first items that a framework's own models recommend, in the framework's environment and without recsens.

The program is called with a framework, a folder that contains train.csv, and the names of models in docs/coming-from.md. It writes
lists.json: the first items of each user, by model. Parameters are those of the components in the column "here".
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

FRAMEWORK, FOLDER, NAMES = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
sys.argv = sys.argv[:1]  # RecBole reads the command line too
DEPTH = 10

with (FOLDER / "train.csv").open(encoding="utf-8", newline="") as file:
    ROWS = [(row["user"], row["item"], float(row["rating"]), int(row["timestamp"])) for row in csv.DictReader(file)]
USER, ITEM, RATING, TIME = map(np.array, zip(*ROWS, strict=True))
USERS, OF_USER = np.unique(USER, return_inverse=True)
ITEMS, OF_ITEM = np.unique(ITEM, return_inverse=True)
MATRIX = csr_matrix((RATING, (OF_USER, OF_ITEM)))


def cornac():
    """Fit models of Cornac."""
    from cornac import models
    from cornac.data import Dataset

    train = Dataset.from_uir([row[:3] for row in ROWS], seed=1)
    made = {
        "MostPop": models.MostPop,
        "BaselineOnly": lambda: models.BaselineOnly(seed=1, verbose=False),
        "EASE": lambda: models.EASE(lamb=500, posB=False, verbose=False),
        "MF": lambda: models.MF(k=10, max_iter=20, learning_rate=0.005, lambda_reg=0.02, seed=1, num_threads=1),
        "SVD": lambda: models.SVD(k=10, max_iter=20, learning_rate=0.005, lambda_reg=0.02, seed=1, num_threads=1),
        "BPR": lambda: models.BPR(k=10, max_iter=100, learning_rate=0.05, lambda_reg=0.01, seed=1, num_threads=1),
        "WBPR": lambda: models.WBPR(k=10, max_iter=100, learning_rate=0.05, lambda_reg=0.01, seed=1, num_threads=1),
        "WMF": lambda: models.WMF(k=10, seed=1, verbose=False),
        "GMF": lambda: models.GMF(num_epochs=5, backend="pytorch", seed=1, verbose=False),
        "MLP": lambda: models.MLP(num_epochs=5, backend="pytorch", seed=1, verbose=False),
        "NeuMF": lambda: models.NeuMF(num_epochs=5, backend="pytorch", seed=1, verbose=False),
    }
    for name in NAMES:
        model = made[name]().fit(train)
        yield name, {user: model.recommend(user, DEPTH, remove_seen=True, train_set=train) for user in train.user_ids}


def implicit():
    """Fit models of implicit."""
    from implicit import als, bpr, nearest_neighbours

    made = {
        "AlternatingLeastSquares": lambda: als.AlternatingLeastSquares(factors=100, random_state=1, num_threads=1),
        "BayesianPersonalizedRanking": lambda: bpr.BayesianPersonalizedRanking(factors=100, random_state=1, num_threads=1),
        "CosineRecommender": lambda: nearest_neighbours.CosineRecommender(K=20, num_threads=1),
    }
    matrix = MATRIX.astype(np.float32)
    for name in NAMES:
        model = made[name]()
        model.fit(matrix, show_progress=False)
        found, _ = model.recommend(np.arange(len(USERS)), matrix, N=DEPTH)
        yield name, {USERS[at]: ITEMS[listed] for at, listed in enumerate(found)}


def lenskit():
    """Train pipelines of LensKit."""
    import pandas as pd
    from lenskit import als, basic, batch, funksvd, knn, pipeline, training
    from lenskit.data import from_interactions_df
    from lenskit.sklearn import svd

    train = from_interactions_df(pd.DataFrame({"user_id": USER, "item_id": ITEM, "rating": RATING}))

    made = {
        "PopScorer": basic.PopScorer,
        "BiasScorer": lambda: basic.BiasScorer(damping=5),
        "ImplicitMFScorer": lambda: als.ImplicitMFScorer(embedding_size=50, weight=40),
        "BiasedMFScorer": lambda: als.BiasedMFScorer(embedding_size=50),
        "FunkSVDScorer": lambda: funksvd.FunkSVDScorer(embedding_size=50),
        "EASEScorer": lambda: knn.EASEScorer(regularization=500),
        "SLIMScorer": lambda: knn.SLIMScorer(l1_reg=1, l2_reg=1),
        "SLIMScorer(max_nbrs=100)": lambda: knn.SLIMScorer(l1_reg=1, l2_reg=1, max_nbrs=100),
        "BiasedSVDScorer": lambda: svd.BiasedSVDScorer(embedding_size=50),
    }
    for name in NAMES:
        line = pipeline.topn_pipeline(made[name](), n=DEPTH)
        line.train(train, training.TrainingOptions(rng=1))
        found = batch.recommend(line, [str(user) for user in train.users.ids()], n=DEPTH, n_jobs=1)
        yield name, {key.user_id: np.asarray(items.ids()) for key, items in found}


def recbole():
    """Train models of RecBole."""
    import torch
    from recbole.config import Config
    from recbole.data import create_dataset, data_preparation
    from recbole.utils import get_model, get_trainer, init_seed

    of_model = {
        "ItemKNN": {"k": 100, "shrink": 0.0},
        "EASE": {"reg_weight": 250.0},
        "SLIMElastic": {"alpha": 0.004, "l1_ratio": 0.5},
        "BPR": {"embedding_size": 64, "epochs": 30},
        "NeuMF": {"epochs": 20},
        # Without the rating as a feature; negatives are drawn as for other models.
        "FM": {
            "epochs": 20,
            "metrics": ["Recall"],
            "valid_metric": "Recall@10",
            "load_col": {"inter": ["user_id", "item_id"]},
            "train_neg_sample_args": {"distribution": "uniform", "sample_num": 1, "dynamic": False, "candidate_num": 0},
        },
    }
    (FOLDER / "data").mkdir(exist_ok=True)
    # RecBole needs validation and test rows; these repeat a few train rows, and are not read.
    for side, rows in (("train", ROWS), ("valid", ROWS[:9]), ("test", ROWS)):
        lines = ["user_id:token\titem_id:token\trating:float", *("\t".join(map(str, row[:3])) for row in rows)]
        (FOLDER / "data" / f"data.{side}.inter").write_text("\n".join(lines) + "\n", encoding="utf-8")
    common = {
        "data_path": str(FOLDER),
        "checkpoint_dir": str(FOLDER / "saved"),
        "seed": 1,
        "show_progress": False,
        "state": "ERROR",
        "benchmark_filename": ["train", "valid", "test"],
        "load_col": {"inter": ["user_id", "item_id", "rating"]},
        "eval_args": {"split": {"RS": [0.8, 0.1, 0.1]}, "group_by": None, "order": "RO", "mode": "full"},
    }
    for name in NAMES:
        config = Config(model=name, dataset="data", config_dict={**common, "epochs": 1, **of_model.get(name, {})})
        init_seed(config["seed"], reproducibility=True)
        dataset = create_dataset(config)
        train_data, *_ = data_preparation(config, dataset)
        model = get_model(config["model"])(config, train_data.dataset).to(config["device"])
        get_trainer(config["MODEL_TYPE"], config["model"])(config, model).fit(train_data, verbose=False, show_progress=False)
        users = dataset.token2id(dataset.uid_field, list(USERS))
        yield name, _first(model, dataset, users, torch)


def _first(model, dataset, users, torch):
    """Return each user's first items without train items: RecBole's own lists would leave out the copied validation rows only."""
    items = dataset.token2id(dataset.iid_field, list(ITEMS))
    lists = {}
    model.eval()
    for start in range(0, len(users), 64):
        some = torch.as_tensor(np.asarray(users[start : start + 64]))
        with torch.no_grad():
            scores = _scores(model, dataset, some, torch).reshape(len(some), -1).cpu().numpy()[:, items]
        scores[MATRIX[start : start + 64].toarray() > 0] = -np.inf
        for at, row in enumerate(scores):
            lists[USERS[start + at]] = ITEMS[np.argsort(-row, kind="stable")[:DEPTH]]
    return lists


def _scores(model, dataset, users, torch):
    """Score all items for users; RecBole's context-aware models score pairs only."""
    if hasattr(model, "field_names"):
        every = torch.arange(dataset.item_num)
        pairs = {dataset.uid_field: users.repeat_interleave(len(every)), dataset.iid_field: every.repeat(len(users))}
        from recbole.data.interaction import Interaction

        return model.predict(Interaction(pairs))
    return model.full_sort_predict({dataset.uid_field: users})


def replay():
    """Fit models of RePlay in Spark."""
    import pandas as pd
    from replay.data import Dataset, FeatureHint, FeatureInfo, FeatureSchema, FeatureType
    from replay.models import SLIM, ALSWrap, ItemKNN, PopRec
    from replay.utils.session_handler import get_spark_session
    from replay.utils.spark_utils import convert2spark

    get_spark_session(spark_memory=2, shuffle_partitions=2)
    schema = FeatureSchema(
        [
            FeatureInfo("user_id", FeatureType.CATEGORICAL, FeatureHint.QUERY_ID),
            FeatureInfo("item_id", FeatureType.CATEGORICAL, FeatureHint.ITEM_ID),
            FeatureInfo("rating", FeatureType.NUMERICAL, FeatureHint.RATING),
            FeatureInfo("timestamp", FeatureType.NUMERICAL, FeatureHint.TIMESTAMP),
        ]
    )
    columns = {"user_id": OF_USER, "item_id": OF_ITEM, "rating": RATING, "timestamp": TIME}
    train = Dataset(schema, convert2spark(pd.DataFrame(columns)))
    made = {
        "PopRec": PopRec,
        "ItemKNN": lambda: ItemKNN(num_neighbours=10),
        "SLIM": lambda: SLIM(beta=0.01, lambda_=0.01, seed=1),
        "ALSWrap": lambda: ALSWrap(rank=10, seed=1),
    }
    for name in NAMES:
        found = made[name]().fit_predict(train, k=DEPTH).toPandas().sort_values("rating", ascending=False, kind="stable")
        lists = found.groupby("user_id")["item_id"].apply(list)
        yield name, {USERS[user]: ITEMS[listed] for user, listed in lists.items()}


def surprise():
    """Fit algorithms of Surprise, which makes no lists: these are the items with the highest estimates."""
    import surprise as own

    reader = own.Reader(line_format="user item rating timestamp", sep=",", skip_lines=1, rating_scale=(1, 5))
    train = own.Dataset.load_from_file(str(FOLDER / "train.csv"), reader).build_full_trainset()
    made = {
        "BaselineOnly": lambda: own.BaselineOnly(verbose=False),
        "SVD": lambda: own.SVD(n_factors=100, random_state=1),
    }
    for name in NAMES:
        algo, lists = made[name]().fit(train), {}
        for user, row in zip(USERS[::5], MATRIX[::5].toarray(), strict=True):
            estimates = np.array(
                [-np.inf if rated else algo.predict(user, item, clip=False).est for item, rated in zip(ITEMS, row, strict=True)]
            )
            lists[user] = ITEMS[np.argsort(-estimates, kind="stable")[:DEPTH]]
        yield name, lists


if __name__ == "__main__":
    made = {name: {str(user): list(map(str, items)) for user, items in lists.items()} for name, lists in globals()[FRAMEWORK]()}
    (FOLDER / "lists.json").write_text(json.dumps(made), encoding="utf-8")
