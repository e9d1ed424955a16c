"""Stopping a run: Snakemake and its jobs end at once, and one sentence is printed."""

import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import psutil
import pytest
from click.testing import CliRunner

from recsens import cli
from recsens.workflow import stopping
from recsens.workflow.lock import MARK, Writer
from recsens.workflow.stopping import RunStopped, Stop, interruption_named, stopped_by_signals

SAID = "stopped; run again: finished results stay, and only the rest is computed\n"

SNAKEMAKE = """
import os, subprocess, sys, time
from recsens.workflow import in_snakemake
in_snakemake.begin()
in_snakemake.hold_results()
os.write(int(os.environ["RECSENS_EVENTS"]), b'{"event": "progress", "done": 1, "total": 3}\\n')
deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
job = subprocess.Popen([sys.executable, "-c", deaf], start_new_session=True, stdout=subprocess.PIPE)
job.stdout.readline()
open("up", "w").write(str(job.pid))
try:
    time.sleep(60)
except KeyboardInterrupt:
    print("Terminating processes on user request, this might take some time.", file=sys.stderr)
    job.wait()
    open("ended", "w").close()
"""
"""Behaves like an interrupted Snakemake: it prints a message, and waits for its jobs."""

RUN = """
import sys
from recsens.cli import main
from recsens.workflow import run, prepare_run
from types import SimpleNamespace
from recsens.workflow.staleness import Audited
sys.executable = sys.argv.pop(1)
job = SimpleNamespace(step="fit", files_written=["model"], inputs={}, wildcards={}, record="")
run.names_of = lambda plan: str
run.compile_ahead = lambda study: None
run.refuse_other_versions = lambda plan, tell: None
run.describe_commands = lambda *_: []
run.findings = lambda *_: [Audited("report", "missing", "", job)]
prepare_run.options_for = lambda *_: []
prepare_run.ready_plan = lambda *_: SimpleNamespace(path="s.yaml", name="s", sources={}, study=SimpleNamespace(title="S"))
import recsens.workflow.run_preview, recsens.workflow.run_preview
recsens.workflow.run_preview.counts_of = lambda plan: "1 study"
recsens.workflow.run_preview.remarks_on = lambda plan: []
sys.argv[1:] = ["run", "s"]
main()
"""


@pytest.fixture
def python(tmp_path):
    """Replace Python with Snakemake by a program with one job that ignores SIGTERM and has its own session."""
    program = tmp_path / "python"
    (tmp_path / "stand_in.py").write_text(SNAKEMAKE, encoding="utf-8")
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{tmp_path / "stand_in.py"}"\n', encoding="utf-8")
    program.chmod(0o755)
    return str(program)


@pytest.fixture
def run(python, tmp_path):
    """Start a run, and wait until its Snakemake has started."""
    running = subprocess.Popen(
        [sys.executable, "-c", RUN, python], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not is_up(tmp_path):
        assert running.poll() is None, running.stderr.read()
        time.sleep(0.01)
    yield running
    running.kill()
    running.communicate()


def is_up(folder):
    """Whether the Snakemake of a run has started its job."""
    return (folder / "up").exists() and (folder / "up").read_text(encoding="utf-8") != ""


def is_gone(pid: int) -> bool:
    """Whether a process that was killed has ended; the system may take a moment to clear it away."""
    for _ in range(200):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_a_run_and_its_jobs_at_once_in_one_sentence(run, tmp_path, number):
    run.send_signal(number)
    _, said = run.communicate()
    assert (tmp_path / "ended").exists()  # Snakemake was not killed: the job for which it waits was ended
    assert run.returncode == 128 + number
    assert said == f"S: 1 study\n{SAID}"
    assert is_gone(int((tmp_path / "up").read_text(encoding="utf-8")))
    assert (tmp_path / "results/.lock").read_bytes() == b""


def test_ctrl_c_on_a_terminal_ends_the_line_of_progress_and_says_one_sentence(python, tmp_path):
    ours, theirs = pty.openpty()
    # The first terminal that the leader of a session opens becomes its own: Ctrl-C there sends SIGINT.
    takes_it = "import os; os.open(os.ttyname(0), os.O_RDWR)\n"
    running = subprocess.Popen(
        [sys.executable, "-c", takes_it + RUN, python],
        cwd=tmp_path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    said = b""
    with os.fdopen(ours, "r+b", buffering=0) as terminal:
        while not (is_up(tmp_path) and b"jobs done" in said):
            said += terminal.read(1000)
        terminal.write(b"\x03")
        with suppress(OSError):  # the terminal is gone with the run
            while part := terminal.read(1000):
                said += part
    assert running.wait() == 128 + signal.SIGINT
    assert re.search(rf"1 of 2 jobs done, 1 to go[^\r\n]*\r?\n{re.escape(SAID.strip())}\r\n$", said.decode())
    assert "Traceback" not in said.decode()
    assert is_gone(int((tmp_path / "up").read_text(encoding="utf-8")))


def test_a_second_signal_does_not_wait(run, tmp_path):
    run.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    run.send_signal(signal.SIGTERM)
    run.communicate()
    assert run.returncode == 128 + signal.SIGTERM
    assert is_gone(int((tmp_path / "up").read_text(encoding="utf-8")))


def test_a_run_that_started_nothing_has_nothing_to_end(tmp_path):
    stopping.end_run(Writer.here(tmp_path))


def test_what_stays_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(stopping, "_SNAKEMAKE_ENDS_IN", 0.1)
    writer = Writer.here(tmp_path)
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
    child = subprocess.Popen([sys.executable, "-c", deaf], env={MARK: str(writer)}, stdout=subprocess.PIPE)
    child.stdout.readline()
    stopping.end_run(writer)
    assert child.wait() == -signal.SIGKILL
    child.stdout.close()


def test_signals_stop_within_the_block_only_and_ignored_ones_stay_ignored():
    def asks():
        return signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGHUP)

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        usual = asks()
        with stopped_by_signals():
            os.kill(os.getpid(), signal.SIGHUP)
            with pytest.raises(Stop) as stop:
                os.kill(os.getpid(), signal.SIGTERM)
        assert stop.value.number == signal.SIGTERM
        assert asks() == usual
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_thread_leaves_signals_as_they_are():
    seen = []

    def look():
        with stopped_by_signals():
            seen.append(signal.getsignal(signal.SIGTERM))

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [before]


def test_who_interrupts_a_notebook_is_told_that_the_run_can_go_on():
    with pytest.raises(RunStopped, match=f"^{SAID.strip()}$") as stop, interruption_named():
        raise KeyboardInterrupt
    assert stop.value.number == signal.SIGINT


def test_other_commands_stop_in_a_word(monkeypatch):
    def stop(*_):
        raise Stop(signal.SIGTERM)

    monkeypatch.setattr("recsens.plugins.names", stop)
    done = CliRunner().invoke(cli.main, ["plugins", "metric"])
    assert done.exit_code == 128 + signal.SIGTERM
    assert done.stderr == "stopped\n"


def test_a_full_disk_is_named_though_the_system_names_no_file(monkeypatch):
    def fill(*_):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("recsens.plugins.names", fill)
    done = CliRunner().invoke(cli.main, ["plugins", "metric"])
    assert done.exit_code == 1
    assert done.stderr.startswith("Error: No space left on device\n  what to do: check that")
