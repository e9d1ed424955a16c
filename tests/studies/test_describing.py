"""The table of data sets holds what each filter leaves of them."""

import pandas as pd

from recsens.artefacts import write_interactions
from recsens.steps.describe import describe
from recsens.steps.filter import filter as keep
from recsens.testing import from_rows

NAMES = {
    "interactions": "interactions.parquet",
    "user_ids": "user_ids.parquet",
    "item_ids": "item_ids.parquet",
    "dataset": "dataset.json",
}


def paths_in(folder):
    return {key: str(folder / name) for key, name in NAMES.items()}


def test_each_filter_of_a_chain_has_the_sizes_after_it(tmp_path):
    data = from_rows([[5, 4, 3], [4, None, None], [2, 1, None]])
    raw = paths_in(tmp_path)
    empty = {"user_columns": {}, "item_columns": {}}
    record = {"spec": "simulated", "sha256": [], "notes": {}}
    write_interactions(data, user_ids=list("abc"), item_ids=list("xyz"), record=record, paths=raw, **empty)
    kept = {}
    for name, chain in (("none", "none"), ("chain", "ratings_per_user(at_least=2)+ratings_per_item(at_least=2)")):
        kept[name] = paths_in(tmp_path / name)
        keep(**raw, **{f"kept_{key}": path for key, path in kept[name].items()}, chain=chain, identity="simulated", seed=0)
    base = kept["none"]
    describe(
        interactions=[base["interactions"]],
        user_ids=[base["user_ids"]],
        item_ids=[base["item_ids"]],
        records=[base["dataset"]],
        labels=["D"],
        filtered=[found["dataset"] for found in kept.values()],
        datasets=str(tmp_path / "datasets.csv"),
    )
    table = pd.read_csv(tmp_path / "datasets.csv", dtype=str, keep_default_na=False)
    facts, effects = table[table["chain"] == ""], table[table["chain"] != ""]
    assert list(map(float, facts[facts["metric"] == "ratings"]["value"])) == [6]
    # The second user has one rating; without them, the third item is rated once.
    found = {(row["step"], row["metric"]): float(row["value"]) for row in effects.to_dict("records")}
    assert [found[step, "ratings"] for step in "012"] == [6, 5, 4]
    assert [found[step, "users"] for step in "012"] == [3, 2, 2]
    assert [found[step, "items"] for step in "012"] == [3, 3, 2]
    assert set(effects["dataset"]) == {"D"}
