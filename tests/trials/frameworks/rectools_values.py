"""Run by RecTools' own Python: fit three models, export them, and write their lists and RecTools' metrics of them."""

import json
import os
import sys
import warnings
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import pandas as pd
from implicit.als import AlternatingLeastSquares
from rectools import metrics, models
from rectools.dataset import Dataset

folder = Path(sys.argv[1])
sys.path.insert(0, str(folder))
import recsens_export  # isort: skip # noqa: E402

warnings.simplefilter("ignore")


def ratings(name):
    found = pd.read_csv(folder / f"{name}.csv").rename(columns={"user": "user_id", "item": "item_id", "rating": "weight"})
    return found.assign(datetime=pd.Timestamp("2026-01-01"))


train, test = ratings("train"), ratings("test")
dataset = Dataset.construct(train)
METRICS = ("Precision", "Recall", "MAP", "MRR", "NDCG", "HitRate", "F1Beta")
asked = {f"{name}@{k}": getattr(metrics, name)(k=k) for name in METRICS for k in (5, 10)}
values = {}
for name, model in (
    ("EASE", models.EASEModel(regularization=500)),
    ("WMF", models.ImplicitALSWrapperModel(AlternatingLeastSquares(factors=16, iterations=5, random_state=1))),
    ("Pop", models.PopularModel()),
):
    model.fit(dataset)
    if name == "Pop":
        items, counts = model.popularity_list
        model.popularity_list = (items, counts // 20)  # so that many items have equal scores
    recsens_export.from_rectools(model, dataset, test=test).save(folder / f"{name}.npz")
    users = [user for user in test["user_id"].unique() if user in set(dataset.user_id_map.external_ids)]
    found = model.recommend(users=users, dataset=dataset, k=10, filter_viewed=True)
    lists = found.rename(columns={"user_id": "user", "item_id": "item"})[["user", "item", "score"]]
    lists.to_csv(folder / f"{name}.csv", index=False)
    values[name] = metrics.calc_metrics(asked, found, test)

(folder / "values.json").write_text(json.dumps(values, indent=1), encoding="utf-8")
