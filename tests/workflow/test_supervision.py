"""Jobs that misbehave: each ends alone, the end of the run says why, and nothing is left behind."""

import ctypes
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
import weakref
from pathlib import Path

import psutil
import pytest

from recsens import plugins
from recsens.plugins.own import _modules
from recsens.processes import KEPT
from recsens.workflow.job import ONE_BLAS_THREAD, Job, duration_in_seconds, reason_in, run

LOG = "logs/fit.log"


@pytest.fixture
def job(tmp_path, monkeypatch):
    """Run a job whose step is a function; return what it recorded for the end of the run, and its log."""
    monkeypatch.chdir(tmp_path)
    for name in (*ONE_BLAS_THREAD, "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setattr(_modules, "_FOLDERS", [])
    monkeypatch.setattr(weakref.finalize, "_registry", {})  # otherwise a job would clean up after other tests, and report it
    Path("lab").mkdir()

    def act(step, limit=None, fails=True):
        monkeypatch.setattr("recsens.workflow.steps.fit.fit", lambda **_: step())
        given = Job("fit", log=LOG, params={"plugins": ("lab",)})
        if fails:
            with pytest.raises(SystemExit) as ended:
                run(given, limit=limit)
            assert ended.value.code != 0
        else:
            run(given, limit=limit)
        return reason_in(Path(LOG)) or "", Path(LOG).read_text()

    return act


def segfault():
    ctypes.string_at(0)


def kill(number):
    os.kill(os.getpid(), number)


ENDS = {
    "os._exit(0)": (lambda: os._exit(0), "its process ended with exit code 0 before the step was finished"),
    "os._exit(3)": (lambda: os._exit(3), "its process ended with exit code 3 before the step was finished"),
    "a segmentation fault": (segfault, "its process was ended by SIGSEGV, a segmentation fault: "),
    "out of memory": (lambda: kill(signal.SIGKILL), "its process was ended by SIGKILL, as happens when memory runs out"),
    "another signal": (lambda: kill(signal.SIGALRM), "its process was ended by SIGALRM; "),
    "sys.exit(0)": (lambda: sys.exit(0), "SystemExit: 0"),
    "sys.exit()": (sys.exit, "SystemExit"),
    "a generator that stops": (lambda: next(iter(())), "StopIteration"),
}


@pytest.mark.parametrize(("step", "said"), ENDS.values(), ids=ENDS)
def test_a_job_that_ends_its_process_fails_and_the_end_of_the_run_says_why(job, step, said):
    noted, log = job(step)
    assert noted.startswith(f"step 'fit' failed: {said}")
    assert noted.endswith(f"; see {LOG}")
    assert "ERROR" in log


def test_a_crash_is_told_with_the_line_of_the_plug_in(job):
    Path("lab/guestcrash.py").write_text("import ctypes\n\n\ndef fit():\n    ctypes.string_at(0)\n")
    plugins.add_paths(["lab"])
    __import__("guestcrash")
    noted, log = job(sys.modules.pop("guestcrash").fit)
    assert noted.startswith("lab/guestcrash.py:5: step 'fit' failed: its process was ended by SIGSEGV")
    assert "Fatal Python error: Segmentation fault" in log


def test_much_output_is_kept_at_both_ends(job, capfd):
    def step():
        for line in range(200_000):
            os.write(1, f"line {line}\n".encode())

    noted, log = job(step, fails=False)
    assert noted == ""
    assert log.startswith("line 0\n")
    assert log.endswith("line 199999\n")
    assert 2 * KEPT <= len(log) <= 2 * KEPT + 100
    assert "bytes of output left out ...]" in log
    assert capfd.readouterr() == ("", "")


def test_a_job_goes_on_where_its_log_cannot(job):
    def step():
        for line in range(50_000):
            os.write(1, f"line {line}\n".encode())

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        noted, log = job(step, fails=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert noted == ""
    assert len(log) <= 4096


def test_threads_and_processes_left_behind_end_with_the_job(job):
    def step():
        threading.Thread(target=time.sleep, args=(600,)).start()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            left = subprocess.Popen(["sleep", "600"], start_new_session=True)  # noqa: S607
        Path("left").write_text(str(left.pid))

    begun = time.monotonic()
    noted, log = job(step, fails=False)
    assert time.monotonic() - begun < 300  # half of the time that the thread would take
    assert noted == ""
    assert "left processes behind" in log
    left = int(Path("left").read_text())
    psutil.wait_procs([psutil.Process(left)] if psutil.pid_exists(left) else [], timeout=60)
    assert not psutil.pid_exists(left) or psutil.Process(left).status() == psutil.STATUS_ZOMBIE


DAEMON = ["setsid", "sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!"]
RUNAWAYS = {
    "in a group of its own": lambda: subprocess.Popen(["sleep", "600"], process_group=0).pid,  # noqa: S607
    "in a session of its own": lambda: subprocess.Popen(["sleep", "600"], start_new_session=True).pid,  # noqa: S607
    "without a parent": lambda: int(subprocess.run(DAEMON, capture_output=True, check=True).stdout),
}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system does not tell whose child a process is")
@pytest.mark.parametrize("start", RUNAWAYS.values(), ids=RUNAWAYS)
def test_a_process_that_a_plug_in_starts_ends_with_its_job(job, start):
    _, log = job(lambda: Path("left").write_text(str(start())), fails=False)
    assert "left processes behind" in log
    assert not _runs(int(Path("left").read_text()))


@pytest.mark.skipif(sys.platform != "linux", reason="as above")
def test_children_that_others_have_started_and_those_that_are_over_are_left_out(job):
    with subprocess.Popen(["sleep", "600"]) as other:  # noqa: S607
        _, log = job(lambda: subprocess.Popen(["true"], start_new_session=True).wait(), fails=False)  # noqa: S607
        assert "left processes behind" not in log
        assert other.poll() is None
        other.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="as above")
def test_a_process_that_left_its_session_ends_with_a_job_that_takes_too_long(job):
    def step():
        Path("left").write_text(str(subprocess.Popen(["sleep", "600"], start_new_session=True).pid))  # noqa: S607
        time.sleep(600)

    noted, _ = job(step, limit="0.5 s")
    assert "it exceeded the profile's time limit" in noted
    assert not _runs(int(Path("left").read_text()))


def test_what_is_to_run_at_exit_runs(job):
    def step():
        kept = tempfile.TemporaryDirectory()
        globals()["_kept"] = kept
        Path("folder").write_text(kept.name)

    job(step, fails=False)
    assert not Path(Path("folder").read_text()).exists()


def test_a_job_that_goes_on_beyond_its_limit_is_ended(job):
    Path("lab/guesthangs.py").write_text("import time\n\n\ndef fit():\n    time.sleep(600)\n")
    plugins.add_paths(["lab"])
    __import__("guesthangs")
    noted, log = job(sys.modules.pop("guesthangs").fit, limit="0.5 s")
    assert noted == (
        f"lab/guesthangs.py:5: step 'fit' failed: it exceeded the profile's time limit ('limit: 0.5 s'), and was ended; see {LOG}"
    )
    assert "KeyboardInterrupt" in log


def test_a_job_that_does_not_stop_when_asked_to_is_killed(job):
    def step():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        time.sleep(600)

    noted, _ = job(step, limit="0.5 s")
    assert "step 'fit' failed: it exceeded the profile's time limit ('limit: 0.5 s')" in noted


def test_a_job_within_its_limit_is_left_alone(job):
    assert job(lambda: None, limit="1 h", fails=False)[0] == ""


@pytest.mark.parametrize("written", ["30", "half an hour", "0 min", "-1 s", "1:30", 30, ""])
def test_a_limit_that_is_no_duration_is_refused(job, written):
    noted, _ = job(lambda: None, limit=written)
    assert f"limit: '{written}' is not a duration" in noted
    assert "30 min" in noted


def test_limits_are_read_in_their_units():
    assert [duration_in_seconds(text) for text in ("45 s", "30min", "1.5 h", "1 d")] == [45, 1800, 5400, 86400]


PROGRAM = """
import sys, time
from pathlib import Path
from recsens.workflow.job import Job, reason_in, run

class Slow(Job):
    def call(self):
        import subprocess
        left = subprocess.Popen(["sleep", "600"], start_new_session=True)  # noqa: S607
        Path("pids").write_text(f"{__import__('os').getpid()} {left.pid}")
        Path("started").touch()
        time.sleep(600)

run(Slow("fit", log="logs/fit.log"))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_job_that_is_stopped_stops_its_work_too(tmp_path, number):
    job = subprocess.Popen([sys.executable, "-c", PROGRAM], cwd=tmp_path, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while not (tmp_path / "started").exists() and time.monotonic() < until:
        time.sleep(0.02)
    worker, left = map(int, (tmp_path / "pids").read_text().split())
    assert os.getsid(worker) == worker
    job.send_signal(number)
    assert job.wait(timeout=120) != 0
    # If it is killed with SIGKILL, only its own child ends with it; the next run ends what that child started.
    gone = [worker, left] if number != signal.SIGKILL else [worker]
    while any(_runs(each) for each in gone) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(_runs(each) for each in gone)
    if number == signal.SIGKILL:
        os.kill(left, signal.SIGKILL)


def _runs(process):
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
