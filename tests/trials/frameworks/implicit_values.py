"""Run by implicit's own Python: fit two models, and write their lists and implicit's metrics of them."""

import csv
import json
import sys
from pathlib import Path

import numpy as np
from implicit.als import AlternatingLeastSquares
from implicit.bpr import BayesianPersonalizedRanking
from implicit.evaluation import ranking_metrics_at_k
from implicit.nearest_neighbours import CosineRecommender
from scipy.sparse import csr_matrix

folder = Path(sys.argv[1])


def ratings(name):
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [(row["user"], row["item"], float(row["rating"])) for row in csv.DictReader(file)]


train, test = ratings("train"), ratings("test")
users, items = ({name: at for at, name in enumerate(dict.fromkeys(row[role] for row in train + test))} for role in (0, 1))


def matrix(rows):
    values = np.array([rating for _, _, rating in rows], dtype=np.float32)
    at = ([users[user] for user, _, _ in rows], [items[item] for _, item, _ in rows])
    return csr_matrix((values, at), shape=(len(users), len(items)))


known = matrix(train)
names = list(items)
values = {"items": len(items)}
for name, model in (
    ("als", AlternatingLeastSquares(factors=16, iterations=5, random_state=1, num_threads=1)),
    ("bpr", BayesianPersonalizedRanking(factors=16, iterations=20, random_state=1, num_threads=1)),
    ("tied", CosineRecommender(K=2, num_threads=1)),
):
    model.fit(known, show_progress=False)
    for threshold in (1, 4):
        held = matrix([row for row in test if row[2] >= threshold])
        for k in (5, 10):
            found = ranking_metrics_at_k(model, known, held, K=k, show_progress=False, num_threads=1)
            values.setdefault(name, {}).setdefault(str(threshold), {}).update(
                {f"{metric}@{k}": value for metric, value in found.items()}
            )
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["user", "item", "score"])
        for user, at in users.items():
            ids, scores = model.recommend(at, known[at], N=50)
            lines.writerows((user, names[item], repr(float(score))) for item, score in zip(ids, scores, strict=True))

(folder / "values.json").write_text(json.dumps(values, indent=1), encoding="utf-8")
