"""The worker: a job behaves as in a separate Python process, whatever it does to its own process, the worker's, or threads."""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from recsens.workflow.job import Job, reason_in
from recsens.workflow.worker import Worker

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="runs on Linux alone")

LAB = """
import ctypes, json, os, signal, subprocess, sys, time
from pathlib import Path

import numba
import numpy as np
import pyarrow as pa
from numba.np.ufunc import parallel
from threadpoolctl import threadpool_info

from recsens.data.datasets import DataSet


class Guest(DataSet):
    act: str = "nothing"

    def load(self, files, stream):
        getattr(sys.modules[__name__], self.act)()
        return DataSet.build("simulated(users=60,items=200,ratings=2000)").load(files, stream)


def nothing():
    print("chatter")


def look():
    blas = [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]
    found = {
        "numba": [numba.get_num_threads(), numba.config.NUMBA_NUM_THREADS, parallel.NUM_THREADS],
        "arrow": pa.cpu_count(),
        "blas": sorted(set(blas)),
        "openmp": os.environ["OMP_NUM_THREADS"],
        "leads": os.getsid(0) == os.getpid(),
        "random": float(np.random.rand()),
        "sigint": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
    }
    Path("found.json").write_text(json.dumps(found))


def crash():
    ctypes.string_at(0)


def leave():
    os._exit(3)


def hang():
    Path("started").write_text(str(os.getpid()))
    time.sleep(600)


def hang_once():
    if not Path("started").exists():
        hang()


def fork():
    Path("left").write_text(str(subprocess.Popen(["sleep", "600"]).pid))


def kill_supervisor():
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(600)


def use_kernels():
    from recsens.compiled.machine_code import LOADED
    from recsens.metrics._kernels import count_above, fill_reached

    Path("loaded").write_text(" ".join(LOADED) or "none")
    count_above(np.array([0]), np.array([0, 1]), np.array([True]), np.zeros(1), np.zeros(1))
    fill_reached(np.zeros(1), np.array([0, 1]), np.zeros(1))
"""


@pytest.fixture(scope="module")
def worker(tmp_path_factory):
    """One worker for all tests of this module, because starting it is slow."""
    folder = tmp_path_factory.mktemp("worker")
    (folder / "lab").mkdir()
    (folder / "lab" / "guests.py").write_text(LAB, encoding="utf-8")
    before = Path.cwd()
    os.chdir(folder)
    started = Worker()
    yield started
    started.close()
    os.chdir(before)


def job(act: str, threads: int = 1) -> Job:
    """Return a job that changes something in its process while it reads the user's own data set."""
    outputs = {"data": ["interactions.parquet", "user_ids.parquet", "item_ids.parquet", "dataset.json"]}
    spec = f"guests.Guest(act={act})"
    origin = {"seed": 0, "identity": "tiny"}
    params = {"spec": spec, "address": spec, "origin": origin, "plugins": ["lab"], "digests": []}
    return Job("ingest", log="logs/ingest.log", threads=threads, inputs={"files": []}, outputs=outputs, params=params)


def said() -> str:
    """Return what the last job recorded for the end of the run."""
    return str(reason_in(Path("logs/ingest.log")))


def process_of(worker: Worker) -> psutil.Process:
    """Return the process of a worker."""
    assert worker._process is not None
    return psutil.Process(worker._process.pid)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_job_sees_its_own_number_of_threads(worker, threads):
    Path("found.json").unlink(missing_ok=True)
    assert worker.run(job("look", threads)).code == 0
    found = json.loads(Path("found.json").read_text())
    assert found["numba"] == [threads] * 3
    assert found["arrow"] == int(found["openmp"]) == threads
    assert found["blas"] == [1]
    assert found["leads"]
    assert found["sigint"]


def test_what_forks_has_one_thread_and_no_pool(worker):
    worker.run(job("nothing"))
    process = process_of(worker)
    assert process.num_threads() == 1
    maps = Path(f"/proc/{process.pid}/maps").read_text()
    assert "libgomp" not in maps  # it would keep the number of threads with which it was loaded


def test_jobs_find_the_kernels_of_earlier_jobs_loaded_but_for_those_that_start_threads(worker):
    for _ in range(2):  # The first job may have to compile them.
        assert worker.run(job("use_kernels")).code == 0
    assert worker.run(job("use_kernels")).code == 0
    loaded = Path("loaded").read_text().split()
    assert "recsens.metrics._kernels:count_above" in loaded
    assert "recsens.metrics._kernels:fill_reached" not in loaded
    assert process_of(worker).num_threads() == 1


def test_jobs_do_not_draw_the_same_numbers(worker):
    drawn = []
    for _ in range(2):
        worker.run(job("look"))
        drawn.append(json.loads(Path("found.json").read_text())["random"])
    assert drawn[0] != drawn[1]


ENDS = {
    "crash": ("lab/guests.py:41: step 'ingest' failed: its process was ended by SIGSEGV", None),
    "leave": ("step 'ingest' failed: its process ended with exit code 3", None),
    "hang": ("lab/guests.py:50: step 'ingest' failed: it exceeded the profile's time limit ('limit: 1 s'), and was ended", "1 s"),
}


@pytest.mark.parametrize(("act", "why", "limit"), [(act, *ends) for act, ends in ENDS.items()], ids=ENDS)
def test_a_job_that_misbehaves_fails_as_it_would_alone_and_the_worker_lives_on(worker, act, why, limit):
    worker.run(job("nothing"))
    process = process_of(worker)
    used = worker.run(job(act), limit)
    assert used.code == 1
    assert said().startswith(why)
    assert "ERROR" in Path("logs/ingest.log").read_text()
    assert process_of(worker) == process


def test_a_process_left_behind_ends_with_its_job(worker):
    worker.run(job("fork"))
    left = int(Path("left").read_text())
    assert "left processes behind" in Path("logs/ingest.log").read_text()
    assert is_gone(left)


def test_a_job_whose_supervisor_is_killed_fails_and_the_worker_lives_on(worker):
    worker.run(job("nothing"))
    process = process_of(worker)
    assert worker.run(job("kill_supervisor")) is None
    assert process_of(worker) == process


@pytest.mark.slow
def test_a_worker_that_is_killed_is_started_again_and_its_jobs_are_run_again(worker):
    Path("started").unlink(missing_ok=True)
    worker.run(job("nothing"))
    killed = process_of(worker)
    answers = []
    running = threading.Thread(target=lambda: answers.append(worker.run(job("hang_once"))))
    running.start()
    hanging = int(wait_for("started"))
    killed.send_signal(signal.SIGKILL)
    running.join(timeout=60)
    [used] = answers
    assert used.code == 0
    assert is_gone(hanging)
    assert process_of(worker) != killed


def test_the_resources_of_a_job_are_known(worker):
    used = worker.run(job("nothing"))
    assert used.cpu > 0
    assert used.peak_mib > 50


def test_jobs_end_with_who_asked_for_them(worker):
    Path("started").unlink(missing_ok=True)
    running = threading.Thread(target=lambda: worker.run(job("hang")))
    running.start()
    hanging = int(wait_for("started"))
    worker.close()
    running.join(timeout=60)
    assert not running.is_alive()
    assert is_gone(hanging)


def wait_for(file: str) -> str:
    """Wait until a file has content, and return it."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if Path(file).exists() and (text := Path(file).read_text()):
            return text
        time.sleep(0.02)
    raise AssertionError(file)


def is_gone(pid: int) -> bool:
    """Whether a process ends within seconds."""
    for _ in range(500):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.02)
    return False
