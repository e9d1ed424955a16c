"""Runs: one at a time in a folder, and nothing left over from one that was killed."""

import logging
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from recsens import jobs, running
from recsens.errors import REFUSALS
from recsens.running import MARK, RunError

HOLD = (
    "import time\nfrom recsens.running import _only_run_here\n"
    "with _only_run_here():\n    print('held', flush=True)\n    time.sleep(60)\n"
)


@pytest.fixture
def processes():
    """Start processes that end with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(script: str, **options: object) -> subprocess.Popen[str]:
        started.append(subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, **options))
        assert started[-1].stdout.readline()
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def snakemake(monkeypatch):
    """Note what Snakemake is asked for, and answer a dry run."""
    asked = []

    def answer(study, options, *, quiet):
        asked.append(list(options))
        return "Nothing to be done" if "up to date" in study else ""

    monkeypatch.setattr(running, "_snakemake", answer)
    return asked


def test_a_second_run_in_the_same_folder_is_refused_and_the_first_named(tmp_path, monkeypatch, processes, snakemake):
    monkeypatch.chdir(tmp_path)
    first = processes(HOLD, cwd=tmp_path)
    with pytest.raises(RunError, match=f"another run is under way here \\(process {first.pid}\\)") as refused:
        running.run_workflow("s.yaml", options=[], dry_run=False)
    assert str(tmp_path) in str(refused.value)
    assert "wait for it, or end it" in str(refused.value)
    assert snakemake == []


def test_a_run_in_another_folder_does_not_matter(tmp_path, monkeypatch, processes, snakemake):
    (tmp_path / "other").mkdir()
    processes(HOLD, cwd=tmp_path / "other")
    monkeypatch.chdir(tmp_path)
    assert running.run_workflow("s.yaml", options=[], dry_run=False)


def test_the_lock_of_a_killed_run_does_not_outlive_it(tmp_path, monkeypatch, processes, snakemake):
    monkeypatch.chdir(tmp_path)
    first = processes(HOLD, cwd=tmp_path)
    first.kill()
    first.wait()
    assert running.run_workflow("s.yaml", options=[], dry_run=False)


def test_a_run_that_ended_leaves_the_folder_free(tmp_path, monkeypatch, snakemake):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert running.run_workflow("s.yaml", options=[], dry_run=False)


def test_what_a_killed_run_left_behind_is_ended_and_nothing_else(tmp_path, monkeypatch, processes, snakemake, caplog):
    monkeypatch.chdir(tmp_path)
    sleep = "import time\nprint('here', flush=True)\ntime.sleep(60)\n"
    orphan = processes(sleep, env={MARK: str(tmp_path)})
    elsewhere = processes(sleep, env={MARK: str(tmp_path / "other")})
    unmarked = processes(sleep, cwd=tmp_path)
    with caplog.at_level(logging.WARNING):
        running.run_workflow("s.yaml", options=[], dry_run=False)
    assert not psutil.pid_exists(orphan.pid)
    assert elsewhere.poll() is None
    assert unmarked.poll() is None
    assert f"ending process {orphan.pid}, left behind by an earlier run" in caplog.text


def test_a_run_never_ends_itself_although_it_carries_the_mark(tmp_path):
    script = "from recsens.running import _end_orphans\n_end_orphans()\nprint('alive')\n"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env={MARK: str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "alive\n")


def test_stages_are_asked_for_in_order_and_locks_of_killed_runs_opened(tmp_path, monkeypatch, snakemake):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".snakemake" / "locks").mkdir(parents=True)
    (tmp_path / ".snakemake" / "locks" / "0.input.lock").touch()
    assert running.run_workflow("s.yaml", options=["--cores", "1"], dry_run=False)
    assert snakemake[0] == ["--cores", "1", "--unlock"]
    assert snakemake[1] == ["--cores", "1", "--dry-run", "--", "all"]
    assert [asked[-1] for asked in snakemake[2:]] == list(running.STAGES)


def test_nothing_is_run_where_nothing_is_to_be_done(tmp_path, monkeypatch, snakemake):
    monkeypatch.chdir(tmp_path)
    assert not running.run_workflow("up to date.yaml", options=[], dry_run=False)
    assert snakemake == [["--dry-run", "--", "all"]]


def test_a_workflow_that_stops_is_said_to_have_stopped(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(RunError, match="the workflow stopped") as refused:
        running.run_workflow("s.yaml", options=[], dry_run=False)
    assert "what was finished stays" in str(refused.value)


def test_who_stops_a_run_is_told_that_it_can_go_on(tmp_path, monkeypatch):
    def stop(command, **_):
        raise KeyboardInterrupt

    (tmp_path / ".snakemake").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(subprocess, "run", stop)
    with pytest.raises(RunError, match="stopped\n  what to do: run again"):
        running._snakemake("s.yaml", [], quiet=False)


def test_what_jobs_refused_is_repeated_at_the_end_each_reason_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".snakemake").mkdir()

    def refuse(command, *, env, **_):
        for reason in ("a.csv: no user", "a.csv: no user", "b.csv: no item"):
            monkeypatch.setenv(REFUSALS, env[REFUSALS])
            jobs._note(reason)
        return subprocess.CompletedProcess(command, 1, "", "")

    monkeypatch.setattr(subprocess, "run", refuse)
    with pytest.raises(RunError) as refused:
        running._snakemake("s.yaml", [], quiet=False)
    assert str(refused.value).startswith("the workflow stopped\na.csv: no user\nb.csv: no item\n  then: run again")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (TypeError("no such type\nand pages more"), "TypeError: no such type"),
        (MemoryError(), "MemoryError"),
    ],
)
def test_a_job_that_ended_in_a_traceback_is_noted_with_its_log(tmp_path, monkeypatch, error, said):
    def fail():
        raise error

    monkeypatch.setitem(sys.modules, "recsens.steps.fit", SimpleNamespace(fit=fail))
    monkeypatch.setattr(os, "environ", {**os.environ, REFUSALS: str(tmp_path / "refusals.txt")})
    monkeypatch.setattr(logging, "captureWarnings", lambda capture: None)
    log = tmp_path / "logs" / "fit.log"
    with pytest.raises(SystemExit, match=r"recsens: step 'fit' failed\nTraceback"):
        jobs.run_step("fit", log=str(log), threads=1)
    assert (tmp_path / "refusals.txt").read_text(encoding="utf-8") == f"step 'fit' failed: {said}; see {log}\0"


def test_every_process_of_a_run_carries_its_mark(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(subprocess, "run", lambda command, *, env, **_: subprocess.CompletedProcess(command, 0, env[MARK], ""))
    assert running._snakemake("s.yaml", [], quiet=True) == str(tmp_path)


def test_files_that_bear_the_name_of_a_library_do_not_take_its_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "queue.py").write_text("raise SystemExit('imported')")
    assert running._snakemake("s.yaml", ["--version"], quiet=True)[0].isdigit()


def test_ones_own_mark_is_read(processes):
    sleeping = processes("import time\nprint('here', flush=True)\ntime.sleep(60)\n", env={MARK: "somewhere"})
    assert running._mark_of(psutil.Process(sleeping.pid)) == "somewhere"
    assert running._mark_of(psutil.Process(1)) is None


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
