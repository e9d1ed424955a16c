"""Tables of unrated items: against the study's own comparisons, values under complete relevance, and studies that do not ask."""

from pathlib import Path

import numpy as np
import pandas as pd

from in_process import PRESENTED, compute
from recsens.study import load_study
from recsens.study.keys_by_step import digest_for_step
from workspaces import Workspace

KEYS = [
    "dataset",
    "system_a",
    "system_b",
    "metric_full",
    "split",
    "filter",
    "targets",
    "view",
    "coverage",
    "test",
    "aggregate",
    "relevance",
]
ASKED = {
    "systems": {"Popularity": "popularity", "kNN": "user_knn(k=10)", "EASE": "ease"},
    "metrics": ["P@5", "R@5", "nDCG@5", "AP@5", "AP(denominator=shown)@5", "RR@5", "Success@5", "Unrated@5"],
    "tipping": [0.05, 0.3],
}


def table(root: Path, study: str, name: str) -> pd.DataFrame:
    return pd.read_csv(root / f"results/studies/{study}/{name}.csv", keep_default_na=False, na_values=[""], low_memory=False)


def test_differences_and_wins_are_those_of_the_comparisons(workspace: Workspace):
    root = workspace.root
    vary = {
        "view": ["condensed"],
        "filter": ["ratings_per_user(5)"],
        "targets": ["one_r"],
        "coverage": ["reduced"],
        "test": ["wilcoxon"],
        "aggregate": ["median"],
        "relevance": [3],
    }
    workspace.write_study("asked", **ASKED, vary=vary, design={"split": "random(ratio=0.5)", "repeats": 2})
    compute(root, "asked", without=PRESENTED)
    found, compared = table(root, "asked", "unrated"), table(root, "asked", "comparisons")
    both = found.merge(compared[compared["fold"] == "all"], on=KEYS, suffixes=("", "_compared"))
    assert len(both) == len(found)
    # Seven metrics, three pairs; condensed rankings, 1R and medians hold no unrated items or average nothing.
    assert len(found) == 7 * 3 * 5
    assert set(found["view"]) == {"full"}
    assert np.allclose(found["difference"], both["difference_compared"], atol=1e-9)
    by_t = both[both["test"] != "wilcoxon"]
    assert (by_t["is_significant"] == (by_t["p_value"] < 0.05)).all()
    assert both[both["test"] == "wilcoxon"]["rate_lost"].isna().all()
    assert ((found["lowest"] <= found["difference"]) & (found["difference"] <= found["highest"])).all()
    assert ((found["interval_low"] <= found["lowest"]) & (found["highest"] <= found["interval_high"])).all()
    assert np.allclose(found["lowest_a"] - found["lowest_b"], found["difference"])
    by_rate = table(root, "asked", "unrated_rates")
    assert set(by_rate[by_rate["is_listed"]]["rate"]) == {0.05, 0.3}
    assert len(by_rate[by_rate["is_listed"]]) == 2 * len(found)
    assert set(by_rate[~by_rate["is_base"]]["rate"]) == {0.05, 0.3}
    measured = by_rate[by_rate["rate"] == 0].merge(both, on=KEYS)
    assert np.allclose(measured["standard_error_x"], measured["standard_error_y"], rtol=1e-6)


def test_values_of_other_readings_are_those_of_the_tables(workspace: Workspace):
    metrics = [*ASKED["metrics"][:-1], "F1@5", "ERR@5", "DCG(gain=exp)@5", "RBP@5", "ARHR@5", "SetP@5", "AUC"]
    vary = {"unrated": ["relevant", "rate(.05)", "left_out"]}
    workspace.write_study("read", **{**ASKED, "metrics": metrics}, vary=vary, design={"split": "random(ratio=0.5)"})
    compute(workspace.root, "read", without=PRESENTED - {"describe_ties"})
    found, by_rate, values, compared = (
        table(workspace.root, "read", name) for name in ("unrated", "unrated_rates", "summary", "comparisons")
    )
    assert set(found["view"]) == {"full"}
    assert np.allclose(found["residual_b"], found["highest_b"] - found["lowest_b"], rtol=0, atol=1e-12)
    # Two metrics have no formula, but are measured as before under the other readings.
    measured = {view: set(own["metric"]) for view, own in values.dropna(subset=["value"]).groupby("view")}
    assert measured["relevant"] == measured["rate(0.05)"] == set(metrics) - {"SetP@5", "AUC"}
    assert measured["full"] == measured["condensed"] == set(metrics)
    by_reading = values.set_index(["view", "metric", "system"])["value"]
    for side in ("a", "b"):
        keys = found[["metric", f"system_{side}"]].itertuples(index=False)
        relevant = [by_reading["relevant", *key] for key in keys]
        assert np.allclose(found[f"highest_{side}"], relevant, rtol=0, atol=2e-12)
        at_rate = by_rate[by_rate["rate"] == 0.05]
        expected = [by_reading["rate(0.05)", *key] for key in at_rate[["metric", f"system_{side}"]].itertuples(index=False)]
        assert np.allclose(at_rate[f"value_{side}"], expected, rtol=0, atol=2e-12)
    # Values of a random order, and users in whom nothing can differ, are not known for them.
    assert values.groupby("view")["expected_random"].count()[["relevant", "rate(0.05)"]].tolist() == [0, 0]
    assert (compared[compared["fold"] == "all"].groupby("view")["p_value"].count()["relevant"]) == 3 * (len(metrics) - 2)


def test_a_study_that_does_not_ask_keeps_its_digests_and_writes_no_table(workspace: Workspace):
    plain = {key: value for key, value in ASKED.items() if key != "tipping"}
    paths = {name: workspace.root / f"config/studies/{name}.yaml" for name in ("plain", "asked")}
    workspace.write_study("plain", **plain)
    workspace.write_study("asked", **ASKED)
    steps = ("summarise", "count_users", "compare", "multiverse", "decide_winners", "effort", "describe_ties")
    digests = [{step: digest_for_step(load_study(path), step) for step in steps} for path in paths.values()]
    assert digests[0] == digests[1]
    assert digest_for_step(load_study(paths["plain"]), "report") != digest_for_step(load_study(paths["asked"]), "report")
    compute(workspace.root, "plain", without=PRESENTED)
    assert not list(workspace.root.glob("results/studies/plain/unrated*"))
