"""Trial tables of other programs: curves and verdicts, worked out by hand."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from recsens.cli import main

# Of A's three trials, the best of one is each of them in turn; of two, .3 once (beside .1) and .4 twice.
TABLE = "system,validation,test\nA,.1,2\nA,.3,4\nA,.4,9\nB,.5,1\nB,.2,3\nB,.1,5\n"


def audit(table: str, tmp_path: Path, *options: str) -> Result:
    (tmp_path / "trials.csv").write_text(table)
    return CliRunner().invoke(
        main, ["audit", "--trials", str(tmp_path / "trials.csv"), "--to", str(tmp_path / "to"), "--no-page", *options]
    )


def test_expected_values_by_hand(tmp_path: Path):
    done = audit(TABLE, tmp_path, "-m", "nDCG@10", "--json")
    assert done.exit_code == 0, done.output
    found = {(row["system"], row["effort"]): row["value"] for row in json.loads(done.output)["values"]}
    assert found["A", 1] == pytest.approx((2 + 4 + 9) / 3)
    assert found["A", 2] == pytest.approx((4 + 2 * 9) / 3)
    assert found["A", 3] == pytest.approx(9)
    assert found["B", 2] == pytest.approx((3 + 2 * 1) / 3)
    assert not json.loads(done.output)["verdicts"]


def test_the_parameters_as_written_are_in_every_search(tmp_path: Path):
    table = "system;trial;validation;test\nA;default;.35;7\nA;1;.1;2\nA;2;.3;4\nA;3;.4;9\n"
    done = audit(table, tmp_path, "-m", "nDCG@10", "--json")
    found = {row["effort"]: row["value"] for row in json.loads(done.output)["values"]}
    assert [found[k] for k in (0, 1, 3)] == pytest.approx([7, (7 + 7 + 9) / 3, 9])


def test_verdicts_need_users(tmp_path: Path):
    # A's one trial beats B's for each of eight users, B's other trial beats A's; which B has is the draw of one trial.
    rows = [
        f"{system},{trial},u{user},{validation},{test + user % 3 / 100}"
        for system, trial, validation, test in (("A", "x", 0.5, 0.5), ("B", "x", 0.1, 0.1), ("B", "y", 0.2, 0.9))
        for user in range(8)
    ]
    table = "\n".join(["system,trial,user,validation,test", *rows])
    done = audit(table, tmp_path, "-m", "P@10", "--json")
    assert done.exit_code == 0, done.output
    shares = {(r["effort_a"], r["effort_b"]): (r["share_a"], r["share_b"]) for r in json.loads(done.output)["verdicts"]}
    assert shares[1, 1] == (0.5, 0.5)
    assert shares[2, 2] == (0, 1)
    text = audit(table, tmp_path, "-m", "P@10").output
    assert "with 2 trials for each, B wins in at least 95 % of searches" in text
    with (tmp_path / "to/effort.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 4


def test_users_are_paired_by_name_whatever_their_order(tmp_path: Path):
    # A is a little better for each user; in the order of the rows, users would be paired with others.
    values = {f"u{user}": user / 10 for user in range(8)}
    rows = [f"A,x,{user},.5,{value + 0.01 + number / 1000}" for number, (user, value) in enumerate(values.items())]
    rows += [f"B,x,{user},.5,{value}" for user, value in reversed(values.items())]
    done = audit("\n".join(["system,trial,user,validation,test", *rows]), tmp_path, "-m", "P@10", "--json")
    assert [row["winner"] for row in json.loads(done.output)["verdicts"]] == ["A"]


def test_only_some_parameters_as_written_make_no_effort_of_zero(tmp_path: Path):
    table = "system,trial,validation,test\nA,default,.3,7\nA,1,.1,2\nB,1,.1,2\nB,2,.2,2\n"
    found = json.loads(audit(table, tmp_path, "-m", "P@10", "--json").output)["values"]
    assert {row["effort"] for row in found} == {1, 2}


def test_lower_values_of_an_error_are_better(tmp_path: Path):
    done = audit("system,validation,test\nA,.9,.8\nA,.5,.4\n", tmp_path, "-m", "RMSE", "--json")
    found = {row["effort"]: row["value"] for row in json.loads(done.output)["values"]}
    assert found[2] == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        (TABLE, (), "needs the metric"),
        (TABLE, ("-m", "P@5,10"), "needs the metric"),
        (TABLE.replace("validation", "valid"), ("-m", "P@5"), "there is no column 'validation'"),
        (TABLE.replace(",9", ",nine"), ("-m", "P@5"), "'nine' is not a number"),
        ("system,user,validation,test\nA,1,2,3\n", ("-m", "P@5"), "no column 'trial'"),
        ("system,trial,user,validation,test\nA,1,1,2,3\nA,1,2,5,3\n", ("-m", "P@5"), "two validation values"),
        ("system,trial,user,validation,test\nA,1,1,2,3\nA,2,2,5,3\n", ("-m", "P@5"), "lacks a user"),
        ("system,validation,test\nA,1,\nA,2,3\n", ("-m", "P@5"), "a value is missing"),
        ("system,validation,test\nA,,.1\nA,2,3\n", ("-m", "P@5"), "a value is missing"),
        ("system,trial,validation,test\nA,default,1,.1\n", ("-m", "P@5"), "'A' has no trials"),
        ("dataset,system,validation,test\nX,A,1,.1\nX,B,1,.1\nY,A,1,.1\n", ("-m", "P@5"), "'B' has no trials"),
        (TABLE, ("-m", "P@5", "--train", "x"), "--train does not apply to --trials"),
    ],
)
def test_tables_that_cannot_be_read_are_refused(table: str, options: tuple[str, ...], words: str, tmp_path: Path):
    done = audit(table, tmp_path, *options)
    assert done.exit_code == 1
    assert words in done.output
