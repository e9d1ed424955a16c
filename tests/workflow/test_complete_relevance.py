"""A study with a reference design, from simulated data to the scorecard."""

import csv

import pytest

from in_process import compute
from workspaces import Workspace

DATA = "simulated(users=60,items=120,ratings=1500{})"
STUDY = {
    "datasets": {"Draw 1": DATA.format(""), "Draw 2": DATA.format(",replicate=1")},
    "systems": {"Random": "random", "Popularity": "popularity", "Average": "average_rating"},
    "design": {"split": "random(ratio=0.5)"},
    "vary": {"split": ["complete(of=random(ratio=0.5))"]},
    "metrics": ["P@5", "IPSP@5", "Future@5"],
    "reference": {"under": {"split": "complete(of=random(ratio=0.5))"}, "metric": "P@5"},
}


@pytest.mark.slow
def test_every_design_is_scored_by_the_complete_truth(workspace: Workspace) -> None:
    workspace.write_study("tiny", **STUDY)
    compute(workspace.root, "tiny")
    study = workspace.root / "results/studies/tiny"
    with (study / "truth.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    # P by the observed test, IPSP by both; Future only describes.
    assert {(row["metric"], row["split"]) for row in rows} == {
        ("P@5", "random(ratio=0.5)"),
        ("IPSP@5", "random(ratio=0.5)"),
        ("IPSP@5", "complete(of=random(ratio=0.5))"),
    }
    assert {(row["data"], row["unit"], row["units"]) for row in rows if row["quantity"] == "tau"} == {("Draw", "replicate", "2")}
    assert (study / "truth.md").read_text(encoding="utf-8").count("P@5 under the base design has a Kendall's tau of") == 1
    assert (study / "figures/truth.svg").exists()
    # Under the truth, everything that is not in train is judged.
    with (study / "counted.csv").open(encoding="utf-8") as file:
        judged = {row["split"]: int(row["test_ratings"]) for row in csv.DictReader(file) if row["dataset"] == "Draw 1"}
    n_train = 1500 - judged["random(ratio=0.5)"]
    assert judged["complete(of=random(ratio=0.5))"] == 60 * 120 - n_train
