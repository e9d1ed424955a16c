"""The command ``audit --leaks`` and the call in a notebook: what the manual shows, forms of output, and refusals."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import recsens
from recsens.cli import main
from recsens.errors import RecsensError
from workspaces import REPOSITORY

PAGE = (REPOSITORY / "docs" / "leaks.md").read_text(encoding="utf-8")
FILES = ("--leaks", "--train", "train.csv", "--test", "test.csv")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name, text in re.findall(r"^```csv (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def told(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, ["audit", *arguments])
    assert done.exit_code == code, done.output
    return done.output


def test_the_manual_shows_what_the_command_prints():
    (command,) = re.findall(r"^recsens audit (.*)$", PAGE, re.MULTILINE)
    (shown,) = re.findall(r"^```output leaks\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    printed = told(*command.split())
    assert printed == shown
    assert max(map(len, printed.splitlines())) <= 132


def test_json_holds_every_row_and_no_user():
    text = told(*FILES, "--run", "A=lists.csv", "--json")
    whole = json.loads(text)
    assert {each["state"] for each in whole["findings"]} == {"found", "noted", "none", "not told"}
    assert len({each["detector"] for each in whole["findings"]}) == 14
    assert not re.search(r"\b(ann|bob|cid|dan)\b", text)


def test_frames_give_what_files_give_and_are_shown_as_a_page():
    train, test, lists = (pd.read_csv(f"{name}.csv") for name in ("train", "test", "lists"))
    table = recsens.leaks(train, test, {"A": lists})
    assert repr(table) + "\n" == told(*FILES, "--run", "A=lists.csv")
    page = table._repr_html_()
    assert page.count("<table") == 2
    assert "pairs in train and test" in page
    assert not re.search(r"\b(ann|bob|cid|dan)\b", page.partition("</style>")[2])


@pytest.mark.parametrize("metric", ["P@2", "R@2", "AP@2", "RR", "F1@2", "Success@1", "ERR@2"])
def test_a_metric_may_have_another_name_under_the_conventions_of_a_tool(metric: str):
    assert metric in told(*FILES, "--run", "A=lists.csv", "-m", metric)


def test_a_metric_without_cut_off_looks_at_ten_places():
    assert "of the first 10 places" in told(*FILES, "--run", "A=lists.csv", "-m", "AP")


def test_ranks_may_order_a_run():
    Path("ranks.csv").write_text("user,item,rank\nann,brazil,1\nann,casablanca,2\nbob,alien,1\n", encoding="utf-8")
    assert "A ." in told(*FILES, "--run", "A=ranks.csv", "--rank-by", "rank")


def test_bad_input_is_refused_in_a_sentence(approved):
    cases = (
        (*FILES[:3], "--run", "A=lists.csv"),
        (*FILES, "--run", "=lists.csv"),
        (*FILES, "--run", "A=lists.csv", "--to", "there"),
        (*FILES, "--run", "A=lists.csv", "-m", "P@1", "-m", "P@2"),
        (*FILES, "--run", "A=lists.csv", "--run", "A=train.csv"),
        (*FILES, "--run", "A=none.csv"),
        (*FILES, "--run", "A=lists.csv", "--metric", "nDCG@5,10"),
        (*FILES, "--run", "A=lists.csv", "--metric", "RMSE"),
        (*FILES, "--run", "A=lists.csv", "--metric", "nDGC@10"),
        (*FILES, "--run", "A=lists.csv", "--relevance", "9"),
        (*FILES, "--run", "A=lists.csv", "--relevance", "4", "--scale", "1", "4"),
        (*FILES, "--run", "A=ranks.csv"),
    )
    Path("ranks.csv").write_text("user,item,above,equal,candidates\nann,brazil,0,1,3\n", encoding="utf-8")
    approved({" ".join(arguments): told(*arguments, code=1) for arguments in cases})


def test_runs_without_names_and_dense_ratings_are_refused():
    rows = (["ann"], ["x"], [1.0])
    with pytest.raises(RecsensError, match="runs of type list"):
        recsens.leaks(rows, rows, [rows])
    with pytest.raises(RecsensError, match="no run is given"):
        recsens.leaks(rows, rows, {})


def test_a_help_text_waits_for_no_library():
    shown = "import sys; from recsens.cli import main; main(['audit', '--help'], standalone_mode=False)"
    code = f"{shown}; sys.exit(bool({{'numpy', 'pandas', 'numba', 'scipy'}} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False, stdout=subprocess.DEVNULL).returncode == 0


def test_a_folder_is_read_as_its_files(tmp_path: Path):
    names = ("train", "test", "lists")
    for fold in ("", "fold0/", "fold1/"):
        (tmp_path / "here" / fold).mkdir(parents=True)
    for name in names:
        Path("here", f"{name}.csv").write_bytes(Path(f"{name}.csv").read_bytes())
    assert told("here", "--leaks") == told(*FILES, "--run", "lists=lists.csv")
    for name in names:
        Path("here", f"{name}.csv").replace(Path("here", "fold0", f"{name}.csv"))
        Path("here", "fold1", f"{name}.csv").write_bytes(Path(f"{name}.csv").read_bytes())
    assert list(json.loads(told("here", "--leaks", "--json"))) == ["fold 0", "fold 1"]
    assert told("here", "--leaks").startswith("fold 0:\n")


def test_times_that_cannot_be_read_leave_one_detector_unanswered():
    Path("train.csv").write_text("user,item,rating,timestamp\nann,a,5,100\nann,b,4,\nbob,a,5,120\n")
    Path("test.csv").write_text("user,item,rating,timestamp\nann,c,5,130.0\nbob,c,5,140.5\n")
    said = told(*FILES, "--run", "A=lists.csv")
    assert "test older than train (train has no time stamps)" in " ".join(said.split())


@pytest.mark.parametrize("per_second", [1, 1000])
def test_times_are_compared_in_one_unit(per_second: int):
    rows = [(user, item, 1_300_000_000 + 100 * item) for user in ("ann", "bob") for item in range(6)]
    for name, part, unit in (("train", rows[:4] + rows[6:10], 1), ("test", rows[4:6] + rows[10:], per_second)):
        lines = "".join(f"{user},{item},5,{time * unit}\n" for user, item, time in part)
        Path(f"{name}.csv").write_text(f"user,item,rating,timestamp\n{lines}")
    Path("lists.csv").write_text("user,item,score\n" + "".join(f"{user},{item},{item}\n" for user, item, _ in rows))
    found = {each["detector"]: each for each in json.loads(told(*FILES, "--run", "A=lists.csv", "--json"))["findings"]}
    assert found["test older than train"]["evidence"].startswith("0 of 4")
    assert ("milliseconds" in found["test older than train"]["evidence"]) == (per_second > 1)
