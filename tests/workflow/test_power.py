"""What ``recsens power`` plans from a study's results: which comparisons are open, what would decide them, and at which price."""

import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from in_process import compute
from recsens.cli import main
from recsens.study.columns import TABLES
from workspaces import Workspace, copied

DATASETS = {f"S{n}": f"simulated(users=60,items=200,ratings=2000,replicate={n})" for n in range(1, 4)}
FAMILIES = {f"Site {n}": [f"S{n}"] for n in range(1, 4)}
SYSTEMS = {
    "kNN": "user_knn(k=10)",
    "kNN 12": "user_knn(k=12)",
    "BPR": "bpr(epochs=5)",
    # There are 60 users, so these two are the same.
    "All": "user_knn(k=100)",
    "All again": "user_knn(k=101)",
}
STUDY = {
    "datasets": DATASETS,
    "systems": SYSTEMS,
    "over_datasets": {"families": FAMILIES},
    "metrics": ["nDCG@5"],
    "design": {"split": "random(ratio=0.8)", "repeats": 3, "fits": 2, "correction": "holm"},
    "vary": {},
}


@pytest.fixture(scope="module")
def root(checkout_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    workspace = Workspace(copied(checkout_once, tmp_path_factory.mktemp("power") / "checkout"))
    workspace.write_study("planned", **STUDY)
    compute(workspace.root, "planned", without={"figure", "report", "overlap", "describe_ties"})
    workspace.write_study("later", **STUDY)
    taken = [(d, s, f"repeat-{n}", 2 + n, 1, 100, 0) for d in DATASETS for s in SYSTEMS for n in range(3)]
    costs = workspace.root / "results/studies/planned/benchmarks/costs.csv"
    costs.parent.mkdir(exist_ok=True)
    pd.DataFrame(taken, columns=TABLES["costs"].names).to_csv(costs, index=False)
    return workspace.root


def answer(root: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    monkeypatch.chdir(root)
    answered = CliRunner().invoke(main, ["power", *arguments])
    assert answered.exit_code == 0, answered.output
    return answered.output


def test_open_comparisons_are_those_without_a_verdict_and_those_that_other_splits_could_change(root, monkeypatch):
    plan = json.loads(answer(root, monkeypatch, "planned", "--json"))
    verdicts = pd.read_csv(root / "results/studies/planned/verdicts.csv", keep_default_na=False)
    base = verdicts[verdicts["is_base"] & verdicts["is_base_metric"]]
    none_wins = base[(base["winner"] == "") & (pd.to_numeric(base["standard_error"]) > 0)]
    undecided = set(none_wins[["dataset", "system_a", "system_b"]].itertuples(index=False, name=None))
    open_ = {(each["dataset"], *each["systems"]): each for each in plan["open"] if each["dataset"] != "over data sets"}
    assert undecided
    assert undecided <= open_.keys()
    assert all(open_[key]["winner"] for key in open_.keys() - undecided)
    # Two systems with the same rankings cannot be told apart by more of anything.
    assert not any({"All", "All again"} == set(each["systems"]) for each in open_.values())
    p_adjusted = base.set_index(["dataset", "system_a", "system_b"])["p_adjusted"]
    levels = {key: each["level"] for key, each in open_.items()}
    assert {levels[key] for key in levels if p_adjusted[key] == 1} == {0.05 / 10}
    assert all(0.05 / 10 <= level <= 0.05 for level in levels.values())
    over = pd.read_csv(root / "results/studies/planned/over_datasets.csv", keep_default_na=False)
    combined = {(row.system_a, row.system_b) for row in over[over["is_base"] & (over["winner"] == "")].itertuples()}
    assert {tuple(each["systems"]) for each in plan["open"] if each["dataset"] == "over data sets"} == combined


def test_more_draws_and_data_sets_never_make_a_decision_less_likely_and_cost_what_the_run_took(root, monkeypatch):
    plan = json.loads(answer(root, monkeypatch, "planned", "--json", "--probability", "0.5"))
    numbers = [len(DATASETS) if each["dataset"] == "over data sets" else 1 for each in plan["open"]]
    ways = [
        (n, each["systems"], kind, way) for n, each in zip(numbers, plan["open"], strict=True) for kind, way in each["ways"].items()
    ]
    priced = [each for each in ways if each[-1]["needed"] is not None]
    assert {kind for _, _, kind, _ in priced} >= {"users", "splits"}
    for n, systems, kind, way in priced:
        # A system takes 3, 4 and 5 seconds on the three draws, and those that draw are fitted twice.
        whole = 12 * (3 if "BPR" in systems else 2)
        each = {"splits": whole / 3, "users": n * whole / way["has"], "families": whole, "fits": 12}[kind]
        assert way["seconds"] == pytest.approx((way["needed"] - way["has"]) * each)
    # More users can make the draws all of the noise, which few degrees of freedom judge severely.
    ways = [(each["now"], way) for each in plan["open"] for kind, way in each["ways"].items() if kind != "users"]
    assert all(way["one_more"] > now - 0.02 for now, way in ways)


def test_only_systems_that_draw_can_be_fitted_more_often(root, monkeypatch):
    plan = json.loads(answer(root, monkeypatch, "planned", "--json"))
    of_datasets = [each for each in plan["open"] if each["dataset"] != "over data sets"]
    assert {"BPR" in each["systems"] for each in of_datasets} >= {False}
    assert all(("fits" in each["ways"]) == ("BPR" in each["systems"]) for each in of_datasets)


def test_the_table_says_what_it_rests_on(root, monkeypatch):
    printed = answer(root, monkeypatch, "planned")
    assert "if the difference found is the true one" in printed
    assert "kNN - kNN 12, over data sets, nDCG@5" in printed


def test_a_study_without_results_is_refused(root, monkeypatch):
    monkeypatch.chdir(root)
    answered = CliRunner().invoke(main, ["power", "later"])
    assert answered.exit_code == 1
    assert "no results yet" in answered.output
    assert "recsens run later" in answered.output


def test_a_study_that_changed_since_its_run_is_refused(root, monkeypatch):
    monkeypatch.chdir(root)
    workspace = Workspace(root)
    workspace.write_study("planned", **{**STUDY, "design": {**STUDY["design"], "repeats": 5}})
    answered = CliRunner().invoke(main, ["power", "planned"])
    workspace.write_study("planned", **STUDY)
    assert answered.exit_code == 1
    assert "the study has changed since its results were computed" in answered.output
