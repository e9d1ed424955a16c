"""Runs that hardly match the sets, and sets that hardly match each other, are refused with their files and the reason."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import recsens
from recsens.cli import main
from recsens.errors import DataError
from recsens.inputs.foreign_results import ForeignResults
from recsens.runs.audits._audit import Options, audit

N_USERS, N_ITEMS = 12, 20


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Sets of 12 users and 20 items, and two runs with lists of five test items."""
    root = tmp_path / "results"
    root.mkdir()
    rng = np.random.default_rng(3)
    pairs = pd.DataFrame(
        {"user": np.repeat(np.arange(1, N_USERS + 1), N_ITEMS), "item": np.tile(np.arange(1, N_ITEMS + 1), N_USERS)}
    )
    pairs["rating"] = rng.integers(1, 6, len(pairs))
    is_train = pairs["item"] % 2 == pairs["user"] % 2
    pairs[is_train].to_csv(root / "train.csv", index=False)
    pairs[~is_train].to_csv(root / "test.csv", index=False)
    for name in ("A", "B"):
        scored = (
            pairs[~is_train].assign(score=rng.random((~is_train).sum())).sort_values(["user", "score"], ascending=[True, False])
        )
        scored.groupby("user").head(5)[["user", "item", "score"]].to_csv(root / f"{name}.csv", index=False)
    return root


def change(folder: Path, name: str, **columns: object) -> pd.DataFrame:
    """Rewrite a file with other columns."""
    table = pd.read_csv(folder / name).assign(**columns)
    table.to_csv(folder / name, index=False)
    return table


def answer(folder: Path, *options: str, status: int = 1) -> str:
    quick = ("-m", "nDCG@3", "--base", "convention=recsens", "--base", "relevance=4", "--base", "test=t", "--no-page")
    done = CliRunner().invoke(main, ["audit", str(folder), "--to", str(folder.parent / "audit"), *quick, *options])
    assert done.exit_code == status, done.output
    assert "data/run-" not in done.output
    return done.output


def test_a_run_whose_users_have_a_decimal_point_is_refused_by_its_file(folder: Path):
    change(folder, "B.csv", user=lambda rows: rows["user"].astype(float))
    said = answer(folder)
    assert f"{folder / 'B.csv'}: the run hardly matches the sets: 0 of 12 users with train and test ratings have a list" in said
    assert said.endswith("they differ in a decimal point: '7.0' is not '7'\n")


def test_a_run_whose_items_are_others_is_refused(folder: Path):
    change(folder, "B.csv", item=lambda rows: rows["item"] + 100)
    assert "100% of its rows have one of 20 items that are in no set" in answer(folder)


def test_items_in_no_set_keep_their_places_in_an_audit_as_in_an_evaluation(folder: Path):
    junk = change(folder, "B.csv")
    first = junk.groupby("user")["score"].max().reset_index().assign(item="junk", score=lambda rows: rows["score"] + 1)
    pd.concat([junk, first[["user", "item", "score"]]]).to_csv(folder / "C.csv", index=False)
    said = answer(folder, status=0)
    assert "1 of its items, in 17 % of its rows, are in no set: they keep their places and are not relevant" in said
    audited = pd.read_csv(folder.parent / "audit" / "summary.csv").query("is_base").set_index("system")["value"]
    runs = {
        name: recsens.evaluate(folder / f"{name}.csv", folder / "test.csv", ["nDCG@3"], train=folder / "train.csv") for name in "BC"
    }
    assert {name: audited[name] for name in "BC"} == pytest.approx({name: run.means["nDCG@3"] for name, run in runs.items()})
    assert audited["C"] < audited["B"]
    assert [any("one item that no set has, in 17 % of the rows" in note for note in run.notes) for run in runs.values()] == [
        False,
        True,
    ]
    # C is B below one such item.
    unknown = "Items that are in no set take 17 % of the rows of C: without them, "
    assert said.startswith(unknown)
    assert "C beats B" not in said[len(unknown) :].split(".")[0]


def test_a_run_of_half_the_users_can_be_audited_if_the_user_says_so(folder: Path):
    change(folder, "B.csv").query("user <= 6").to_csv(folder / "B.csv", index=False)
    said = answer(folder)
    assert "6 of 12 users with train and test ratings have a list" in said
    assert "users such as '7', '8', '9' are missing: add them; if this is intended, --least-matched 0.5" in said
    answer(folder, "--least-matched", "0.5", status=0)


def test_a_test_set_that_spells_items_differently_is_refused(folder: Path):
    change(folder, "test.csv", item=lambda rows: rows["item"].astype(float))
    said = answer(folder)
    assert f"{folder / 'test.csv'}: 20 of 20 items of the test set are not in the train set" in said
    assert "only test has '2.0', '4.0', '6.0', only train has '1', '3', '5'" in said


def test_new_items_that_no_rule_explains_are_accepted(folder: Path):
    for name in ("test.csv", "A.csv", "B.csv"):
        change(folder, name, item=lambda rows: rows["item"] + 500)
    answer(folder, status=0)


def test_the_test_set_as_train_set_is_refused(folder: Path):
    (folder / "train.csv").write_bytes((folder / "test.csv").read_bytes())
    assert f"{folder / 'train.csv'}: all 120 pairs of the train set are in the test set too" in answer(folder)


def test_train_pairs_in_a_run_are_counted(folder: Path):
    train = pd.read_csv(folder / "train.csv")[["user", "item"]].assign(score=9.0).groupby("user").head(2)
    pd.concat([train, pd.read_csv(folder / "B.csv")]).to_csv(folder / "B.csv", index=False)
    assert (
        "lists of 7 items, cut: nothing is known after the first 5 ranked items; 24 of its 84 rows are train or validation pairs"
        in answer(folder, status=0)
    )


def test_scores_that_may_be_ranks_are_pointed_out(folder: Path):
    change(folder, "B.csv", score=lambda rows: rows.groupby("user").cumcount() + 1)
    said = answer(folder, status=0)
    assert said.count("its scores rise from row to row: if they are ranks, order by rank") == 1


def test_lists_that_end_too_early_are_named(folder: Path):
    change(folder, "B.csv").groupby("user").head(2).to_csv(folder / "B.csv", index=False)
    said = answer(folder)
    assert f"{folder / 'B.csv'}: the lists have 2 items, but every metric needs more: nDCG@3" in said
    assert "cut-offs up to 2, such as -m nDCG@2" in said


def test_a_table_that_is_no_run_is_refused_as_a_table(folder: Path):
    (folder / "metrics.csv").write_text("metric,value\nnDCG,0.3\n", encoding="utf-8")
    said = answer(folder)
    assert f"{folder / 'metrics.csv'}:1: no column 'user'" in said
    assert "here it is metric,value; if the file is not a run, move it out of the folder" in said


def test_a_missing_header_can_be_declared(folder: Path):
    (folder / "B.csv").write_text((folder / "B.csv").read_text(encoding="utf-8").partition("\n")[2], encoding="utf-8")
    assert "; or declare them: --columns user,item,score" in answer(folder)
    answer(folder, "--columns", "user,item,score", status=0)


def test_nothing_is_refused_if_nothing_need_match(folder: Path):
    change(folder, "B.csv").query("user <= 1").to_csv(folder / "B.csv", index=False)
    [given] = ForeignResults.of_folder(folder).values()
    with pytest.raises(DataError, match="1 of 12 users"):
        audit(given, folder.parent / "audit", Options(page=False))
    assert audit(given, folder.parent / "audit", Options(metrics=["nDCG@3"], page=False, least_matched=0.0)).pairs


def test_names_with_umlauts_and_signs_become_labels(folder: Path):
    (folder / "A.csv").rename(folder / "Nächste (k=40).csv")
    said = answer(folder.rename(folder.parent / "Äpfel"), status=0)
    assert "run Nachste (k_40): " in said
    assert "Nächste (k=40).csv; lists of 5 items" in said


def test_a_name_without_latin_letters_is_refused(folder: Path):
    (folder / "A.csv").rename(folder / "ближайшие.csv")
    assert "rename the file, or --run A=..." in answer(folder)
