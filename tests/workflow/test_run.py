"""Runs: their targets, the calls of Snakemake, and the messages when one fails."""

import io
import json
import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

from recsens import cli
from recsens.errors import DataError, RecsensError
from recsens.workflow import job as planned_jobs
from recsens.workflow import prepare_run
from recsens.workflow import run as running
from recsens.workflow.lock import RunError
from recsens.workflow.progress import EVENTS, Progress
from recsens.workflow.run import run_workflow
from recsens.workflow.staleness import Audited
from recsens.workflow.study_setting import check_settings


@pytest.fixture
def snakemake(tmp_path, monkeypatch):
    """A replacement for Snakemake: it records its calls, and makes the results of a target sound."""
    asked = []

    def run_target(plan, options, target, lock, progress):
        asked.append([*options, target])
        for each in ("data",) if target == "data" else ("data", "all", "waiting"):
            plan.pop(each, None)

    monkeypatch.setattr(running, "run_target", run_target)
    monkeypatch.setattr(running, "findings", found)
    monkeypatch.setattr(running, "names_of", lambda plan: str)
    monkeypatch.setattr(running, "compile_ahead", lambda study: None)
    monkeypatch.setattr(running, "refuse_other_versions", lambda plan, tell: None)
    monkeypatch.setattr(running, "describe_commands", lambda plan, planned: [])
    monkeypatch.chdir(tmp_path)
    return asked


ALWAYS = ["--rerun-triggers", "software-env", "--max-checksum-file-size", "0"]


class Planned(dict[str, list[str]]):
    """Results that a plan calls unsound: among its data, among all others, and those that wait for others."""

    path = "s.yaml"
    name = "s"
    study = None
    own = ("scores.csv",)
    all_designs: tuple[object, ...] = ()
    sources: Mapping[str, object] = {}


def found(plan, target="all"):
    """Find the results that a plan calls unsound."""
    inputs = {"own_files": plan.own} if isinstance(plan, Planned) else {}
    split, fit = (
        SimpleNamespace(step=step, files_written=["made"], inputs=inputs, wildcards={}, record="") for step in ("split", "fit")
    )
    of_data = [Audited(path, "stale", "its parameters have changed", split) for path in plan.get("data", ())]
    if target == "data":
        return of_data
    return [
        Audited(__file__, "sound", "", fit),
        *of_data,
        *(Audited(path, "stale", "its parameters have changed", fit) for path in plan.get("all", ())),
        *(Audited(path, "waiting", "a model is made anew", fit) for path in plan.get("waiting", ())),
    ]


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Replace Python with Snakemake by a shell script."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(running, "findings", found)
    monkeypatch.setattr(running, "names_of", lambda plan: str)
    monkeypatch.setattr(running, "compile_ahead", lambda study: None)
    monkeypatch.setattr(running, "refuse_other_versions", lambda plan, tell: None)
    monkeypatch.setattr(running, "describe_commands", lambda plan, planned: [])

    def write(script):
        path = tmp_path / "program"
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(path))

    return write


def test_data_are_made_first_and_only_what_is_unsound_is_forced(snakemake):
    plan = Planned({"data": ["roles"], "all": ["model", "report"], "waiting": ["summary"]})
    assert run_workflow(plan, ["--cores", "1"])
    common = ["--cores", "1", *ALWAYS, "--forcerun"]
    assert snakemake == [[*common, "roles", "data"], [*common, "model", "report", "all"]]


def test_where_the_data_are_sound_they_are_not_run_on_their_own(snakemake):
    assert run_workflow(Planned({"all": ["report"]}), [])
    assert [asked[-1] for asked in snakemake] == ["all"]


def test_where_only_data_are_wanted_nothing_else_is_run(snakemake):
    assert run_workflow(Planned({"data": ["roles"], "all": ["report"]}), [], target="data")
    assert snakemake == [[*ALWAYS, "--forcerun", "roles", "data"]]


def test_where_more_is_unsound_than_a_command_can_name_whole_rules_are_made_anew(snakemake, monkeypatch):
    monkeypatch.setattr(running, "_MAX_ARGUMENTS", 10)
    assert run_workflow(Planned({"all": ["report", "summary"]}), [])
    assert snakemake == [[*ALWAYS, "--forcerun", "fit", "all"]]


def test_a_run_that_leaves_a_result_unsound_fails(snakemake, monkeypatch):
    monkeypatch.setattr(running, "run_target", lambda *_: None)
    with pytest.raises(RunError, match="1 results are still not up to date, such as report: its par"):
        run_workflow(Planned({"all": ["report"]}), [])


def test_where_nothing_is_to_be_done_nothing_is_run_or_written(tmp_path, snakemake):
    assert not run_workflow(Planned({}), [])
    assert snakemake == []
    assert list(tmp_path.iterdir()) == []


def test_a_workflow_that_stops_is_said_to_have_stopped(program):
    program("exit 1")
    with pytest.raises(RunError, match="the workflow stopped") as refused:
        running.run_targets(Planned({"all": ["report"]}), [], "all")
    assert "finished results stay" in str(refused.value)


@pytest.mark.parametrize("code", [0, 1])
def test_a_file_of_the_users_that_changes_during_a_run_is_what_the_run_says_to_be_wrong(program, code):
    program(f"echo new > scores.csv; exit {code}")
    with pytest.raises(DataError, match=r"scores\.csv: the file has changed since this run was planned"):
        running.run_targets(Planned({"data": ["roles"], "all": ["report"]}), [], "all")


def failing(*reasons: str) -> str:
    """Write a script whose jobs fail, with reasons in their logs."""
    lines = []
    for n, reason in enumerate(reasons):
        lines.append(f"echo 'ERROR recsens: {reason}' > {n}.log")
        told = json.dumps({"event": "failed", "job": n, "logs": [f"{n}.log"]})
        lines.append(f"echo '{told}' > /dev/fd/${EVENTS}")
    return "\n".join([*lines, "exit 1"])


def test_what_jobs_refused_is_repeated_at_the_end_each_reason_once(program):
    program(failing("a.csv: no user", "a.csv: no user", "b.csv: no item"))
    with pytest.raises(RunError) as refused:
        running.run_targets(Planned({"all": ["report"]}), [], "all")
    assert str(refused.value).startswith("the workflow stopped\na.csv: no user\nb.csv: no item\n  then: run again")
    assert str(refused.value).endswith("\n  Snakemake's output: results/logs/run/s.log")


def test_a_job_that_found_the_disk_full_is_followed_by_what_to_do(program):
    program(failing("No space left on device; see fit.log"))
    with pytest.raises(RunError, match=r"see fit\.log\n  then: free some space, and run again"):
        running.run_targets(Planned({"all": ["report"]}), [], "all")


def test_why_a_job_failed_in_an_earlier_run_is_not_told_again(program):
    Path("0.log").write_text("ERROR recsens: long ago\n", encoding="utf-8")
    os.utime("0.log", (1, 1))
    program(failing("a.csv: no user").replace("echo 'ERROR recsens: a.csv: no user' > 0.log", "echo why"))
    with pytest.raises(RunError, match=r"the last lines of .*:\nwhy"):
        running.run_targets(Planned({"all": ["report"]}), [], "all")


@pytest.mark.parametrize("full", ["results", ".snakemake"])
def test_a_failure_that_no_job_explains_is_explained_by_the_disk(program, monkeypatch, full):
    looks: list[str] = []

    def check_writable(folder, room=0):
        folder.mkdir(exist_ok=True)
        looks.append(folder.name)
        if looks.count(full) == 2:
            raise RunError(f"{full} is full")

    program("exit 1")
    monkeypatch.setattr(running, "check_writable", check_writable)
    with pytest.raises(RunError, match="is full"):
        running.run_targets(Planned({"all": ["report"]}), [], "all")


@pytest.mark.parametrize(
    ("error", "said"), [(TypeError("no such type\nand pages more"), "TypeError: no such type"), (MemoryError(), "MemoryError")]
)
def test_a_job_that_ended_in_a_traceback_is_noted_with_its_log(tmp_path, monkeypatch, error, said):
    def fail():
        raise error

    monkeypatch.setitem(sys.modules, "recsens.workflow.steps.fit", SimpleNamespace(fit=fail))
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setattr(logging, "captureWarnings", lambda capture: None)
    log = tmp_path / "logs" / "fit.log"
    with pytest.raises(SystemExit, match=r"recsens: step 'fit' failed\nTraceback"):
        planned_jobs.run(planned_jobs.Job("fit", log=str(log)))
    assert planned_jobs.reason_in(log) == f"step 'fit' failed: {said}; see {log}"


def test_files_that_bear_the_name_of_a_library_do_not_take_its_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "queue.py").write_text("raise SystemExit('imported')")
    progress = Progress(io.StringIO(), str)
    running.run_target(Planned(), ["--version"], "all", os.open(tmp_path / "queue.py", os.O_RDONLY), progress)
    assert (tmp_path / "results/logs/run/s.log").read_text()[0].isdigit()


def test_the_last_report_stands_at_the_top_and_its_links_lead_to_the_study(tmp_path):
    report = tmp_path / "results" / "studies" / "s" / "report.html"
    report.parent.mkdir(parents=True)
    report.write_text(
        '<a href="summary.csv">x</a><a href="#top">y</a><a href="https://example.org">z</a><img src="data:image/png">'
    )
    latest = tmp_path / "results" / "report.html"
    running.show_latest(report, latest)
    page = Path(latest).read_text(encoding="utf-8")
    for link in ('href="studies/s/summary.csv"', 'href="#top"', 'href="https://example.org"', 'src="data:image/png"'):
        assert link in page


def test_a_report_that_stands_at_the_top_already_is_not_written_again(tmp_path, monkeypatch):
    report, latest = tmp_path / "results/studies/s/report.html", tmp_path / "results/report.html"
    report.parent.mkdir(parents=True)
    report.write_text("page", encoding="utf-8")
    running.show_latest(report, latest)
    monkeypatch.setattr(running, "write_text", _full_disk)
    running.show_latest(report, latest)
    report.write_text("another page", encoding="utf-8")
    with pytest.raises(RunError, match=r"report\.html: cannot be written: No space left on device") as refused:
        running.show_latest(report, latest)
    assert "free some space" in str(refused.value)


@pytest.mark.parametrize("changed", [False, True])
def test_a_study_that_was_finished_is_so_even_where_its_page_cannot_be_copied(tmp_path, monkeypatch, changed):
    monkeypatch.chdir(tmp_path)
    report = Path("results/studies/s/report.html")
    report.parent.mkdir(parents=True)
    report.write_text("page", encoding="utf-8")
    monkeypatch.setattr(running, "write_text", _full_disk)
    monkeypatch.setattr(prepare_run, "run_workflow", lambda *_: changed)
    monkeypatch.setattr(prepare_run, "options_for", lambda *_: [])
    plan = SimpleNamespace(path=Path("s.yaml"), folder=report.parent)
    if changed:
        with pytest.raises(RunError, match="cannot be written"):
            prepare_run.bring_up_to_date(plan)
    else:
        assert prepare_run.bring_up_to_date(plan) == (False, report)


def _full_disk(*_):
    raise OSError(28, os.strerror(28))


def test_a_profile_is_found_by_its_name_or_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in (
        "workflow/profiles/slurm/config.yaml",
        "mine/config.yaml",
        "workflow/Snakefile",
        "workflow/scripts/recsens_step.py",
    ):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).touch()
    assert prepare_run.find_profile("slurm") == Path("workflow/profiles/slurm")
    assert prepare_run.find_profile("workflow/profiles/slurm") == Path("workflow/profiles/slurm")
    assert prepare_run.find_profile("mine") == Path("mine")
    with pytest.raises(RecsensError, match="no profile 'slrm'; did you mean 'slurm'") as refused:
        prepare_run.find_profile("slrm")
    assert refused.value.allowed == "slurm, or the path of a folder that contains a config.yaml"


@pytest.mark.parametrize(("said", "meant"), [("all", None), ("2", 2)])
def test_processors_are_a_number_or_all(said, meant):
    assert cli._CORES.convert(said, None, None) == meant


@pytest.mark.parametrize("said", ["0", "-1", "two", "1.5"])
def test_what_is_no_number_of_processors_is_refused(said):
    with pytest.raises(click.BadParameter, match="neither a whole number from 1 nor 'all'"):
        cli._CORES.convert(said, None, None)


def test_options_behind_two_dashes_go_to_snakemake(tmp_path, monkeypatch):
    given = []
    plan = SimpleNamespace(study=SimpleNamespace(title="S"), folder="results/studies/s")

    def bring_up_to_date(plan, *, profile, cores, more):
        given.append(more)
        return prepare_run.Finished(changed=False, page=Path("report.html"))

    monkeypatch.setattr(prepare_run, "ready_plan", lambda study, profile: given.append(study) or plan)
    monkeypatch.setattr(prepare_run, "bring_up_to_date", bring_up_to_date)
    monkeypatch.setattr("recsens.workflow.results_in_words.results_in_words", lambda plan: [])
    monkeypatch.setattr("recsens.workflow.run_preview.counts_of", lambda plan: "1 study")
    monkeypatch.setattr("recsens.workflow.run_preview.remarks_on", lambda plan: [])
    for arguments in (["mine", "--", "--set-threads", "fit=2"], ["--", "--verbose"]):
        assert CliRunner().invoke(cli.main, ["run", *arguments]).exit_code == 0
    assert given == ["mine", ("--set-threads", "fit=2"), "quickstart", ("--verbose",)]


@pytest.mark.parametrize(
    ("option", "said"),
    [("-n", "recsens run STUDY --dry-run"), ("--config=study=b", "name the study before"), ("-d", "change into"), ("-C", "name")],
)
def test_options_that_a_run_sets_itself_are_refused(option, said):
    refused = CliRunner().invoke(cli.main, ["run", "mine", "--", "--keep-going", option])
    assert refused.exit_code == 1
    assert f"'{option.partition('=')[0]}' cannot be passed to Snakemake, because a run sets it itself" in refused.stderr
    assert said in refused.stderr


@pytest.mark.parametrize(
    "arguments", [["mine", "--", "-Cstdy=x"], ["mine", "--", "--config", "stdy=x"], ["--", "--config", "stdy=x"]]
)
def test_a_study_named_behind_the_dashes_is_refused_however_it_is_spelt(arguments):
    refused = CliRunner().invoke(cli.main, ["run", *arguments])
    assert refused.exit_code == 1
    assert "name the study before '--'" in refused.stderr


def test_a_misspelt_setting_is_refused_and_those_of_other_workflows_are_not():
    check_settings(["study", "samples", "outdir"])
    with pytest.raises(RecsensError, match="unknown setting 'stdy'; did you mean 'study'"):
        check_settings(["stdy", "study"])


def test_options_for_snakemake_are_refused_where_it_is_not_started():
    refused = CliRunner().invoke(cli.main, ["run", "mine", "-n", "--", "--set-threads", "fit=2"])
    assert refused.exit_code == 1
    assert "--dry-run ignores Snakemake's options, so '--set-threads fit=2'" in refused.stderr
    assert "snakemake --dry-run --config study=mine " in refused.stderr
