"""Run by RePlay's own Python: measure lists by every accuracy metric, and write the values of each user and the averages."""

import json
import sys
from pathlib import Path

import polars as pl
from replay.metrics import MAP, MRR, NDCG, HitRate, OfflineMetrics, PerUser, Precision, Recall, RocAuc

folder = Path(sys.argv[1])
METRICS = (NDCG, Precision, Recall, MAP, MRR, HitRate, RocAuc)
names = {"query_column": "user", "item_column": "item"}

test = pl.read_csv(folder / "test.csv", schema_overrides={"user": pl.String, "item": pl.Int64})
values = {}
for path in sorted(folder.glob("*.run.csv")):
    run = pl.read_csv(path, schema_overrides={"user": pl.String, "item": pl.Int64, "score": pl.Float64})
    for threshold in (1, 4):
        held = test.filter(pl.col("rating") >= threshold)
        metrics = [metric([5, 10]) for metric in METRICS]
        found = OfflineMetrics(metrics, rating_column="score", **names)(run, held)
        by_user = [metric([10], mode=PerUser(), rating_column="score", **names)(run, held) for metric in METRICS]
        each = {name: of_users for found_by in by_user for name, of_users in found_by.items()}
        values[f"{path.name} {threshold}"] = {"means": found, "users": each}

(folder / "values.json").write_text(json.dumps(values, indent=1), encoding="utf-8")
