"""The command line: what the manual shows, formats, refusals."""

import csv
import io
import json
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from recsens.cli import main
from recsens.evaluation import evaluate
from recsens.plugins import names
from workspaces import REPOSITORY

PAGE = (REPOSITORY / "docs" / "evaluate-runs.md").read_text(encoding="utf-8")
TWO = ("knn.run", "pop.run", "test.qrels", "-m", "P@1", "-m", "RR")


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    for name, text in re.findall(r"^```trec (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def call(*arguments: str) -> str:
    done = CliRunner().invoke(main, ["evaluate", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(main, ["evaluate", *arguments])
    assert done.exit_code == 1
    return done.output


def test_the_manual_shows_what_the_command_prints():
    (command,) = re.findall(r"^recsens evaluate (.*P@1,2)$", PAGE, re.MULTILINE)
    (shown,) = re.findall(r"^```output knn\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert call(*command.split()) == shown


def test_every_command_of_the_manual_runs():
    commands = re.findall(r"^recsens evaluate (.*)$", PAGE, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        call(*command.split())


def test_the_programs_of_the_manual_run():
    programs = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(programs) == 3
    for program in programs:
        exec(program, {})  # noqa: S102 - a page of our own


def test_runs_side_by_side_with_p_values():
    lines = call(*TWO).splitlines()
    assert lines[0].split() == ["metric", "knn", "pop", "p"]
    # P@1: knn hits for Bob, pop for Cid. RR: .5, 1, 0, 0 against 0, .5, 1, 0.
    assert lines[1].split() == ["P@1", "0.2500", "0.2500", "1.0000"]
    assert lines[2].split()[:3] == ["RR", "0.3750", "0.3750"]
    assert lines[-1] == "p: t, each run against knn, paired by user, two-sided, not corrected"


def test_a_scale_upside_down_is_refused():
    assert "a rating scale from 5 to 1" in refused("knn.run", "test.qrels", "-m", "P@1", "--scale", "5", "1")


def test_csv_holds_every_digit_and_the_interval():
    rows = list(csv.DictReader(io.StringIO(call(*TWO, "--format", "csv"))))
    assert [(row["run"], row["metric"], row["versus"]) for row in rows] == [
        ("knn", "P@1", ""),
        ("knn", "RR", ""),
        ("pop", "P@1", "knn"),
        ("pop", "RR", "knn"),
    ]
    assert float(rows[1]["mean"]) == evaluate("knn.run", "test.qrels", ["RR"]).means["RR"]
    assert float(rows[3]["low"]) < 0 < float(rows[3]["high"])


def test_json_holds_settings_definitions_and_users():
    found = json.loads(call(*TWO, "--format", "json", "--per-user", "--no-list", "skip"))
    assert found["settings"]["no_list"] == "skip"
    assert found["metrics"] == {"P@1": "P@1", "RR": "RR"}
    knn, pop = found["runs"]
    assert knn["users"]["bob"] == {"P@1": 1.0, "RR": 1.0}
    assert (knn["n_users"], knn["n_without_relevant"], knn["n_without_list"]) == (3, 1, 1)
    assert pop["comparisons"]["RR"]["n_users"] == 3


def test_latex_is_a_table():
    text = call(*TWO, "--format", "latex")
    assert r"\begin{tabular}{@{}lrrr@{}}" in text
    assert r"P@1 & 0.2500 & 0.2500 & 1.0000 \\" in text


def test_values_of_each_user():
    lines = call("knn.run", "test.qrels", "-m", "RR", "--per-user", "--no-list", "skip").splitlines()
    assert [line.split() for line in lines] == [
        ["run", "user", "RR"],
        ["knn", "ann", "0.5000"],
        ["knn", "bob", "1.0000"],
        ["knn", "cid", "0.0000"],
    ]
    assert call("knn.run", "test.qrels", "-m", "RR", "--per-user", "--format", "csv").splitlines()[1] == "knn,ann,0.5"


def test_another_tools_names():
    assert call("knn.run", "test.qrels", "--convention", "trec_eval", "-m", "ndcg_cut_10", "-m", "map").startswith("metric ")


def test_runs_called_alike_are_told_apart_by_their_folders(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "knn.run").write_text((tmp_path / "knn.run").read_text())
    assert call("a/knn.run", "b/knn.run", "test.qrels", "-m", "RR").split()[:4] == ["metric", "a/knn", "b/knn", "p"]
    assert call("a/knn.run", "knn.run", "test.qrels", "-m", "RR").split()[:4] == ["metric", "a/knn", "knn", "p"]
    (tmp_path / "knn.txt").write_text((tmp_path / "knn.run").read_text())
    assert call("knn.run", "knn.txt", "test.qrels", "-m", "RR").split()[:4] == ["metric", "knn.run", "knn.txt", "p"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("knn.run",), "one file is given"),
        (("knn.run", "knn.run", "test.qrels"), "a run is given twice"),
        (("knn.run", "nowhere", "-m", "RR"), "nowhere: no such file"),
        (("knn.run", "test.qrels", "-m", "precisio@3"), "did you mean 'precision'"),
        (("knn.run", "pop.run", "test.qrels", "--test", "u"), "unknown test 'u'"),
    ],
)
def test_refusals_are_messages(arguments, message):
    assert message in refused(*arguments)


def test_every_metric_is_listed():
    listed = CliRunner().invoke(main, ["metrics"]).output
    for name in names("metric"):
        assert re.search(rf"^{name}(\[@n\]|@n)?: ", listed, re.MULTILINE), name
    assert "map_cut@n" in CliRunner().invoke(main, ["metrics", "--convention", "trec_eval"]).output


def test_neither_pandas_nor_scikit_learn_is_waited_for():
    program = (
        "import sys; from recsens.evaluation import evaluate; evaluate('knn.run', 'test.qrels', ['RR', 'nDCG@5']);"
        "sys.exit(', '.join({'pandas', 'sklearn', 'scipy.stats', 'snakemake'} & set(sys.modules)) or None)"
    )
    done = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
