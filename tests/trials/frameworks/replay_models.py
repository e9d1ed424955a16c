"""Fit models of RePlay in Spark, export them, and write RePlay's own lists."""

import pandas as pd
from replay.data import Dataset, FeatureHint, FeatureInfo, FeatureSchema, FeatureType
from replay.models import ALSWrap, ItemKNN, PopRec
from replay.utils.session_handler import get_spark_session
from replay.utils.spark_utils import convert2spark
from shared import DATA, DEPTH, OUT, keep

import recsens_export  # isort: skip

get_spark_session(spark_memory=2, shuffle_partitions=2)
named = {"user": "user_id", "item": "item_id"}
schema = FeatureSchema(
    [
        FeatureInfo("user_id", FeatureType.CATEGORICAL, FeatureHint.QUERY_ID),
        FeatureInfo("item_id", FeatureType.CATEGORICAL, FeatureHint.ITEM_ID),
        FeatureInfo("rating", FeatureType.NUMERICAL, FeatureHint.RATING),
        FeatureInfo("timestamp", FeatureType.NUMERICAL, FeatureHint.TIMESTAMP),
    ]
)
train = Dataset(schema, convert2spark(pd.read_csv(DATA / "train.csv").rename(columns=named)))
test = pd.read_csv(DATA / "test.csv").rename(columns=named)
tried = {"WMF": ALSWrap(rank=16, seed=1), "ItemKNN": ItemKNN(num_neighbours=20), "PopRec": PopRec()}
for name, model in tried.items():
    model.fit(train)
    scores = recsens_export.from_replay(model, train, test=test)
    told = scores.save(OUT / f"{name}.npz")
    found = model.predict(train, k=DEPTH).toPandas().sort_values("rating", ascending=False, kind="stable")
    keep(name, found.groupby("user_id")["item_id"].apply(list).to_dict(), told)
scores.save_split(OUT / "split")
