"""What cannot be a printed number is refused in a sentence; tables and the command line."""

import json
import re
import shlex
from functools import partial

import pytest
from click.testing import CliRunner

from approved import refusal
from recsens.cli import main
from recsens.errors import RecsensError
from recsens.runs.printed_values import look_up
from workspaces import REPOSITORY

RUN = (["u", "u", "v"], ["a", "b", "a"], [2.0, 1.0, 1.0])
TEST = (["u", "v"], ["b", "a"], [5.0, 3.0])


def test_bad_input_is_refused_in_a_sentence(approved):
    cases = (
        "ndgc@10=0.4",
        "nDCG@10=430",
        "P@10=-0.1",
        "P@10=0,43",
        "P@10=high",
        "P@10",
        "P@0=0.3",
        "B:P@10=0.3",
        "Gini@10=0.3",
        "nDCG(gain=odd)@10=0.3",
        [],
        ["P@1=0.5", "P@1=0.6"],
        7,
    )
    approved({str(printed): refusal(partial(look_up, printed, {"A": RUN}, TEST), RecsensError) for printed in cases})


def test_without_a_run_nothing_is_searched():
    with pytest.raises(RecsensError, match="no run is given"):
        look_up("P@1=0.5", {}, TEST)


def test_a_number_of_several_runs_says_of_which_it_is():
    with pytest.raises(RecsensError, match="does not name its run; write it as A:P"):
        look_up("P@1=0.5", {"A": RUN, "B": RUN}, TEST)


@pytest.mark.parametrize("departures", [-1, 7, 1.5, True])
def test_departures_are_a_small_number(departures):
    with pytest.raises(RecsensError, match="departures"):
        look_up("P@1=0.5", {"A": RUN}, TEST, departures=departures)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, value, table in (("run", "score", RUN), ("test", "rating", TEST)):
        lines = [",".join(map(str, row)) for row in zip(*table, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"user,item,{value}", *lines]), encoding="utf-8")
    (tmp_path / "wide.csv").write_text("run,MRR,P@1\nA,0.75,0.5\n", encoding="utf-8")
    (tmp_path / "long.csv").write_text("metric,run,value\nMRR,A,0.75\nP@1,A,0.5\n", encoding="utf-8")
    return tmp_path


def call(*arguments):
    return CliRunner().invoke(main, ["audit", *arguments, "--test", "test.csv"])


@pytest.mark.parametrize("printed", [["wide.csv"], ["long.csv"], ["MRR=0.75", "P@1=0.5"], ["A:MRR=0.75", "A:P@1=0.5"]])
def test_tables_and_texts_say_the_same(files, printed):
    options = [word for one in printed for word in ("--printed", one)]
    done = call(*options, "--run", "A=run.csv", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert found["printed"] == [{"run": "A", "metric": "MRR", "printed": "0.75"}, {"run": "A", "metric": "P@1", "printed": "0.5"}]
    assert found["classes"][0]["values"] == [0.75, 0.5]


def test_the_command_prints_few_lines(files):
    done = call("--printed", "MRR=0.75", "--run", "run.csv")
    assert done.exit_code == 0, done.output
    assert 2 <= len(done.output.splitlines()) <= 20
    assert done.output.startswith("MRR=0.75: ")


def test_runs_have_names_of_their_own(files, approved):
    cases = (
        ("--run", "A=run.csv", "--run", "A=test.csv"),
        ("--run", "=run.csv"),
        (),
        ("--run", "A=none.csv"),
    )
    told = {" ".join(options): call("--printed", "MRR=0.75", *options) for options in cases}
    assert {done.exit_code for done in told.values()} == {1}
    approved({options: done.output for options, done in told.items()})


def test_a_table_with_a_short_row_is_refused(files):
    (files / "wide.csv").write_text("run,MRR,P@1\nA,0.75\n", encoding="utf-8")
    done = call("--printed", "wide.csv", "--run", "A=run.csv")
    assert "wide.csv:2" in done.output


def test_what_is_wrong_in_a_table_is_said_with_its_line(files, approved):
    cases = (
        b"run,MRR,P@1\nA,0.75,0.5\nB\xe9,0.5,0.5\n",
        b"run,MRR,P@1\n\nA,0.75,\x00\n",
        b"run,MRR,P@1\n\nA,0.75," + b"0" * 308 + b"\n",
        b"run,MRR,P@1\n\nA,0.75,high\n",
        b"run,MRR,P@0\nA,0.75,0.5\n",
        b"run,MRR\nA," + b"5" * 200_000 + b"\n",
    )
    told = {}
    for content in cases:
        (files / "wide.csv").write_bytes(content)
        done = call("--printed", "wide.csv", "--run", "A=run.csv")
        assert done.exit_code == 1
        assert isinstance(done.exception, SystemExit)
        told[str(content[:60])] = done.output
    approved(told)


@pytest.mark.parametrize("text", ["0." + "1" * 308, "1" * 400, "0." + "0" * 400 + "1%"])
def test_a_number_of_hundreds_of_digits_is_refused(text):
    with pytest.raises(RecsensError, match="more than 20 digits"):
        look_up(f"P@1={text}", {"A": RUN}, TEST)


def test_the_manual_shows_what_the_command_prints(tmp_path, monkeypatch):
    page = (REPOSITORY / "docs" / "printed.md").read_text(encoding="utf-8")
    for name, text in re.findall(r"^```csv (\S+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (command,) = re.findall(r"^recsens (audit .*)$", page, re.MULTILINE)
    (shown,) = re.findall(r"^```output map\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    done = CliRunner().invoke(main, shlex.split(command))
    assert done.output == shown
