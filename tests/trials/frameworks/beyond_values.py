"""Measure the lists of docs/metrics-compared.md by metrics beyond accuracy, in a framework's environment and without recsens.

The program is called with a framework and a folder that contains pairs.json: pairs of user and item, by name. It writes
values.json.
"""

import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np

FRAMEWORK, FOLDER, DEPTH = sys.argv[1], Path(sys.argv[2]), 2
PAIRS = json.loads((FOLDER / "pairs.json").read_text(encoding="utf-8"))
ITEMS = ["a", "b", "c", "d", "e"]
LISTS = {user: [item for of, item in PAIRS["lists"] if of == user] for user, _ in PAIRS["lists"]}


def lenskit():
    """Measure lists of items."""
    from lenskit.data import ItemList
    from lenskit.metrics import ListGini

    metric = ListGini(DEPTH, items=len(ITEMS))
    each = [metric.compute_list_data(ItemList(items, ordered=True), ItemList()) for items in LISTS.values()]
    return {"ListGini": metric.global_aggregate(each)}


def recbole():
    """Measure a matrix of items, which RecBole numbers from 1, because item 0 is padding."""
    import torch
    from recbole.evaluator import metrics
    from recbole.evaluator.collector import DataStruct

    data = DataStruct()
    data.set("rec.items", torch.tensor([[1 + ITEMS.index(item) for item in items] for items in LISTS.values()]))
    data.set("data.num_items", 1 + len(ITEMS))
    data.set("data.count_items", Counter(1 + ITEMS.index(item) for _, item in PAIRS["train"]))
    config = {"topk": [DEPTH], "metric_decimal_place": 12, "tail_ratio": 0.1}
    names = ("ItemCoverage", "GiniIndex", "ShannonEntropy", "AveragePopularity", "TailPercentage")
    return {name: float(next(iter(getattr(metrics, name)(config).calculate_metric(data).values()))) for name in names}


def replay():
    """Measure data frames."""
    import polars as pl
    from replay.metrics import Coverage, Surprisal

    lists = pl.DataFrame(
        [(user, item, float(-rank)) for user, items in LISTS.items() for rank, item in enumerate(items)],
        schema=["query_id", "item_id", "rating"],
        orient="row",
    )
    train = pl.DataFrame(PAIRS["train"], schema=["query_id", "item_id"], orient="row")
    return {each.__name__: float(np.squeeze(list(each(DEPTH)(lists, train).values()))) for each in (Coverage, Surprisal)}


(FOLDER / "values.json").write_text(json.dumps(globals()[FRAMEWORK]()), encoding="utf-8")
