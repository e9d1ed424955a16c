"""Draws where there are draws: splits that draw nothing are made once beside splits that are drawn several times."""

import pytest

from in_process import PRESENTED, compute, table
from recsens.conclusions.verdicts.pairs import experiment_verdicts
from recsens.conclusions.verdicts.study_tables import read_results
from recsens.report.glance import glances
from recsens.report.settings.statement import statement
from recsens.study import load_study
from recsens.workflow.plan import Plan
from workspaces import Workspace

DRAWN = {
    "design": {"split": "temporal(ratio=0.8)", "repeats": 3, "users": "with_ratings(test=1)"},
    "vary": {"split": ["leave_out(which=last)", "random(ratio=0.5)"]},
}


@pytest.mark.slow
def test_time_splits_and_random_splits_stand_in_one_row_with_their_own_numbers_of_draws(workspace: Workspace, monkeypatch):
    root = workspace.root
    workspace.write_study("drawn", **DRAWN)
    compute(root, "drawn", without=PRESENTED)
    compared = table(root, "drawn", "comparisons")
    n_folds = compared[compared["fold"] != "all"].groupby("split")["fold"].nunique()
    assert n_folds.to_dict() == {"temporal(ratio=0.8)": 1, "leave_out(which=last)": 1, "random(ratio=0.5)": 3}
    verdicts = table(root, "drawn", "verdicts")
    assert set(verdicts.loc[verdicts["resampled_p"] != "", "split"]) <= {"random(ratio=0.5)"}
    study = load_study(root / "config/studies/drawn.yaml")
    results = read_results([root / "results/studies/drawn/verdicts.csv"])
    [glance] = glances(experiment_verdicts(study, results.verdicts)[0])
    [(_, headers)] = [group for strip in glance.strips for group in strip.groups if "fold" in str(group)]
    assert [header.rpartition(" (")[2] for header, _ in headers] == ["1 fold)", "1 fold)", "3 folds)"]
    monkeypatch.chdir(root)
    [line] = [each for each in statement({"Tiny": Plan("drawn").designs["Tiny"][0]}) if each.name == "Repeats of the split"]
    assert line.meaning == "The split draws nothing at random, so it is made once."
    assert line.sentences[0].startswith("This split draws nothing at random and was made once; splits that draw were drawn 3 times")
