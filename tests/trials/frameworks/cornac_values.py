"""Run by Cornac's own Python: fit two models, and write their scores of every pair and Cornac's metrics of them."""

import csv
import json
import sys
from pathlib import Path

import numpy as np
from cornac.eval_methods import BaseMethod
from cornac.metrics import AUC, MAE, MAP, MRR, MSE, NCRR, NDCG, RMSE, FMeasure, HitRatio, Precision, Recall
from cornac.models import EASE, MF, MostPop

folder = Path(sys.argv[1])


def ratings(name):
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [(row["user"], row["item"], float(row["rating"])) for row in csv.DictReader(file)]


def models():
    """Return unfitted models, because fitting a model again would continue from its present state."""
    mf = MF(k=10, max_iter=30, seed=1, num_threads=1, verbose=False)
    return [EASE(name="EASE", lamb=500, verbose=False), mf, MostPop()]


def sets_of_metrics():
    """Return sets of metrics to be measured together: Cornac sorts lists only down to the largest cut-off of a set."""
    cut = [each(k=k) for each in (NDCG, NCRR, Precision, Recall, FMeasure, HitRatio) for k in (3, 10)]
    return [cut, [MAE(), RMSE(), MSE(), NDCG(), NCRR(), MRR(), MAP(), AUC()]]


def write(name, rows):
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["user", "item", "score"])
        lines.writerows((user, item, repr(float(score))) for user, item, score in rows)


values = {}
for threshold in (1.0, 4.0):
    method = BaseMethod.from_splits(
        train_data=ratings("train"),
        test_data=ratings("test"),
        val_data=ratings("validation"),
        exclude_unknowns=True,
        rating_threshold=threshold,
    )
    for metrics in sets_of_metrics():
        for model in models():
            result, _ = method.evaluate(model, metrics, user_based=True, show_validation=False)
            found = {name: float(value) for name, value in result.metric_avg_results.items() if not name.endswith("(s)")}
            values.setdefault(model.name, {}).setdefault(str(threshold), {}).update(found)

users, items = method.train_set.uid_map, method.train_set.iid_map
for model in models():
    model.fit(method.train_set)
    write(model.name, ((user, *pair) for user, at in users.items() for pair in zip(items, np.ravel(model.score(at)), strict=True)))
    rated = [(user, item) for user, item, _ in ratings("test") if user in users and item in items]
    write(f"{model.name}-rated", ((user, item, np.ravel(model.rate(users[user], items[item]))[0]) for user, item in rated))

(folder / "values.json").write_text(json.dumps(values, indent=1), encoding="utf-8")
