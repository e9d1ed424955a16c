"""Groups in whole studies: against the study's own comparisons, and those of a study of a group's users alone; refusals."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from in_process import PRESENTED, call, compute
from recsens.artefacts.filesets import InteractionFiles
from recsens.artefacts.folds import read_interactions, read_roles, sides
from recsens.comparison.groups import Grouping
from recsens.comparison.significance import adjusted
from recsens.errors import DesignError
from recsens.plugins.specs import parse
from recsens.study import load_study
from recsens.study.keys_by_step import digest_for_step
from workspaces import Workspace, copied

PAIR = ["system_a", "system_b", "metric"]
N_USERS, N_ITEMS = 60, 50
GROUPS = ["activity", "column(age)", "column(gender)", "popularity(n=2)", "column(genres,of=items)", "cold(most=8,of=items)"]


def write_ratings(folder: Path) -> None:
    """Write ratings in MovieLens 1M's form, with side files; users and items differ in their numbers of ratings."""
    folder.mkdir()
    rng = np.random.default_rng(5)
    users, items = (rng.permutation(np.linspace(0.1, 0.95, n)) for n in (N_USERS, N_ITEMS))
    rated = np.argwhere(rng.random((N_USERS, N_ITEMS)) < np.outer(users, items)) + 1
    lines = (f"{user}::{item}::{1 + (user * item + item) % 5}::{1000 * user + item}\n" for user, item in rated)
    (folder / "ratings.dat").write_text("".join(lines))
    ages = (1, 18, 25, 35, 45, 50, 56)
    people = (f"{user}::{'FM'[user % 2]}::{ages[user % 7]}::{user % 3}::0\n" for user in range(1, N_USERS + 1))
    (folder / "users.dat").write_text("".join(people))
    films = (f"{item}::Film {item}::{('War', 'Drama|War', 'Comedy')[item % 3]}\n" for item in range(1, N_ITEMS + 1))
    (folder / "movies.dat").write_text("".join(films))


@pytest.fixture(scope="module")
def root(checkout_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    workspace = Workspace(copied(checkout_once, tmp_path_factory.mktemp("groups") / "checkout"))
    write_ratings(workspace.root / "mine")
    keys = {
        "datasets": {"Mine": f'movielens(release=1m,path="{workspace.root / "mine"}")'},
        "systems": {"Popularity": "popularity", "kNN": "user_knn(k=5)", "Random": "random"},
        "metrics": ["nDCG@5", "P@5", "Unrated@5", "AUC", "Gini@5"],
        "groups": GROUPS,
        "vary": {},
    }
    workspace.write_study("once", **keys)
    workspace.write_study("folds", **keys | {"design": {"split": "k_fold(k=3)"}})
    workspace.write_study("ratings", **keys | {"metrics": ["RR@5"], "design": {"targets": "one_r"}})
    logarithms = {"split": "random(ratio=0.5)", "test": "t(log=true,epsilon=0.00001)", "correction": "holm"}
    workspace.write_study("logarithms", **keys | {"metrics": ["P@5", "nDCG@5"], "design": logarithms})
    for study in ("once", "folds", "ratings", "logarithms"):
        compute(workspace.root, study, without=PRESENTED)
    return workspace.root


def table(root: Path, study: str, name: str) -> pd.DataFrame:
    return pd.read_csv(root / f"results/studies/{study}/{name}.csv", keep_default_na=False, na_values=[""])


@pytest.mark.parametrize("study", ["once", "folds", "ratings"])
def test_groups_of_users_divide_the_difference(root: Path, study: str):
    found, compared = table(root, study, "groups"), table(root, study, "comparisons")
    whole = compared[compared["fold"] == "all"].set_index(PAIR)
    for grouping in ("activity", "column(age)", "column(gender)"):
        for pair, own in found[found["grouping"] == grouping].groupby(PAIR):
            difference = whole.loc[pair, "difference"]
            assert own["of_users"].unique().tolist() == [whole.loc[pair, "users"]]
            assert own["difference"].min() - 1e-9 <= difference <= own["difference"].max() + 1e-9
            if study == "once":
                assert own["users"].sum() == own["of_users"].iloc[0]
                counted = own[own["users"] > 0]
                assert np.average(counted["difference"], weights=counted["users"]) == pytest.approx(difference, abs=1e-9)


def test_the_comparison_within_a_group_is_that_of_a_study_of_its_users(root: Path):
    found = table(root, "once", "groups")
    inactive = found[found["group"] == "least active"].set_index(PAIR)
    most = int(inactive["most"].iloc[0])
    keys = yaml.safe_load((root / "config/studies/once.yaml").read_text(encoding="utf-8"))
    design = {"split": "random(ratio=0.5)", "users": f"with_ratings(most_train={most})"}
    Workspace(root).write_study("only", **{**keys, "groups": [], "design": design})
    compute(root, "only", without=PRESENTED)
    compared = table(root, "only", "comparisons").query("fold == 'all'").set_index(PAIR)
    for pair, row in inactive.iterrows():
        numbers = ["difference", "low", "high", "p_value"]
        assert row[numbers].tolist() == pytest.approx(compared.loc[pair, numbers].tolist(), nan_ok=True), pair
        assert row["users"] == compared.loc[pair, "users"]


def test_hits_among_groups_of_items_add_up(root: Path):
    values, summary = table(root, "once", "group_values"), table(root, "once", "summary")
    whole = summary[summary["metric"] == "P@5"].set_index("system")
    for system, own in values[(values["metric"] == "P@5") & (values["grouping"] == "popularity(n=2)")].groupby("system"):
        hits = (own["users"] * own["value"]).sum()
        assert hits == pytest.approx(whole.loc[system, "value"] * whole.loc[system, "n_users"])


def test_under_1r_ratings_of_a_partition_of_items_add_up(root: Path):
    found = table(root, "ratings", "groups")
    assert set(found["metric"]) == {"RR@5"}
    folder = next((root / "results/seed-0").glob("movielens*/none"))
    data = read_interactions(InteractionFiles.within(folder))
    train, test = sides(data, read_roles(str(folder / "random/repeat-0/roles.parquet"), data))
    assert test.rating is not None
    n_rankings = np.bincount(test.item[test.rating >= 4], minlength=test.n_items)
    sizes = {label: n_rankings[own].sum() for label, own in Grouping.build(parse("popularity(n=2)")).divide(train).items()}
    values, whole = table(root, "ratings", "group_values"), table(root, "ratings", "summary").set_index("system")["value"]
    for system, own in values[values["grouping"] == "popularity(n=2)"].groupby("system"):
        assert len(own) >= 2
        total = sum(sizes[label] * value for label, value in zip(own["group"], own["value"], strict=True))
        assert total == pytest.approx(n_rankings.sum() * whole[system]), system


def test_p_is_adjusted_over_the_groups_of_a_pair_and_few_users_have_none(root: Path):
    found = table(root, "folds", "groups")
    for _, own in found.groupby(PAIR):
        assert own["p_adjusted"].tolist() == pytest.approx(adjusted(own["p_value"].to_numpy(), "holm").tolist(), nan_ok=True)
        assert (own["p_value"].isna() | (own["users"] >= 10)).all()
        assert own.groupby("grouping")["p_equal"].nunique(dropna=False).max() == 1
    assert (found["users"] < 10).any()
    wins = found[found["winner"].notna()]
    assert (wins["p_adjusted"] < 0.05).all()
    # Values that pool users, and whole lists of items, have no groups; neither direction of Unrated is better.
    assert set(found["metric"]) == {"nDCG@5", "P@5", "Unrated@5", "AUC"}
    assert not (wins["metric"] == "Unrated@5").any()
    assert (table(root, "folds", "group_values").groupby(["system", "metric"]).size() == len(found) / 12).all()


def test_p_is_adjusted_over_pairs_too_if_the_design_corrects(root: Path):
    found = table(root, "logarithms", "groups")
    for _, own in found.groupby("metric"):
        assert len(own.groupby(PAIR)) == 3
        assert own["p_adjusted"].tolist() == pytest.approx(adjusted(own["p_value"].to_numpy(), "holm").tolist(), nan_ok=True)
    alone = found.groupby(PAIR)["p_adjusted"].min()
    assert alone.max() > found["p_value"].min()


def test_the_difference_is_the_tested_one_and_must_favour_the_system_with_the_better_value(root: Path):
    found = table(root, "logarithms", "groups")
    known = found[found["low"].notna()]
    assert (known["low"] <= known["difference"]).all()
    assert (known["difference"] <= known["high"]).all()
    of_values = found["value_a"] - found["value_b"]
    assert (np.abs(found["difference"] - of_values) > 0.1).any()
    against = np.sign(found["difference"]) != np.sign(of_values)
    assert found[against]["winner"].isna().all()
    assert (against & (found["users"] >= 10)).any()


def test_a_column_that_no_data_set_has_is_refused_and_one_that_some_lack_left_out(root: Path, caplog: pytest.LogCaptureFixture):
    workspace, study = Workspace(root), load_study(root / "config/studies/once.yaml")
    mine = {label: str(spec) for label, spec in study.datasets.items()}
    keys = {"metrics": ["P@5"], "vary": {}}
    workspace.write_study("typo", **keys, datasets=mine, groups=["column(agee)"])
    with pytest.raises(DesignError, match="no data set has such groups: the table of users has only"):
        compute(root, "typo", without=PRESENTED)
    (root / "people.csv").write_text("user,age\n1,30\n2,20\n")
    own = f'delimited(path="{root}/mine/ratings.dat",separator="::",users="{root}/people.csv")'
    workspace.write_study("typo", **keys, datasets={"Own": own}, groups=["column(agee)"])
    refused = call(root, "check", "typo")
    assert refused.exit_code == 1
    assert "the table of users has only age; did you mean 'age'?" in refused.output
    both = {**mine, "Tiny": "simulated(users=60,items=200,ratings=2000)"}
    workspace.write_study("both", **keys, datasets=both, groups=["column(age)"])
    compute(root, "both", without=PRESENTED)
    assert set(table(root, "both", "groups")["dataset"]) == {"Mine"}
    assert "Tiny has no groups 'column(age)'" in caplog.text


def test_groups_by_the_test_set_are_refused_when_a_study_is_read(workspace: Workspace):
    workspace.write_study("peeking", groups=["activity(of=test)"])
    refused = call(workspace.root, "check", "peeking")
    assert refused.exit_code == 1
    assert "condition on the result" in refused.output


def test_a_study_that_does_not_ask_keeps_the_digests_of_all_other_steps(workspace: Workspace):
    workspace.write_study("plain")
    workspace.write_study("asking", groups=["activity"])
    plain, asking = (load_study(workspace.root / f"config/studies/{name}.yaml") for name in ("plain", "asking"))
    steps = ("summarise", "compare", "multiverse", "decide_winners", "effort", "unrated", "describe_ties")
    assert [digest_for_step(asking, step) for step in steps] == [digest_for_step(plain, step) for step in steps]
    assert digest_for_step(asking, "report") != digest_for_step(plain, "report")
    assert "groups" not in plain.own.figures()
