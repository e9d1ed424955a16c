"""One writer at a time: the lock of the results, and what a killed writer leaves behind."""

import errno
import fcntl
import logging
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from recsens.workflow import in_snakemake
from recsens.workflow.leftovers import clear_up, end_orphans, is_locked, leftovers
from recsens.workflow.lock import (
    MARK,
    PASSED_ON,
    RunError,
    Writer,
    check_results,
    check_writable,
    is_passed_on,
    marked,
    only_writer,
)

HOLD = (
    "import time\nfrom pathlib import Path\nfrom recsens.workflow.lock import only_writer\n"
    "with only_writer(Path('results')):\n    print('held', flush=True)\n    time.sleep(60)\n"
)
SLEEP = "import time\nprint('here', flush=True)\ntime.sleep(60)\n"


@pytest.fixture
def processes():
    """Start processes that end with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(script: str, *arguments: str, **options: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", script, *arguments]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options))
        assert started[-1].stdout.readline()
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def checkouts(tmp_path, monkeypatch):
    """Make two folders that share their results by a link, and work in the first."""
    one, two = tmp_path / "one", tmp_path / "two"
    (one / "results").mkdir(parents=True)
    two.mkdir()
    (two / "results").symlink_to(one / "results")
    monkeypatch.chdir(one)
    return one, two


def dead(results: Path) -> Writer:
    """Describe a writer that has ended on this host."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return replace(Writer.here(results), process=ended.pid)


def test_checkouts_that_share_results_by_a_link_exclude_each_other(checkouts, processes):
    one, two = checkouts
    first = processes(HOLD, cwd=two)
    with pytest.raises(RunError, match="another run is writing these results") as refused, only_writer(Path("results")):
        pass
    told = str(refused.value)
    assert told.startswith(str(one / "results"))
    assert f"process {first.pid} on {socket.gethostname()}, started in {two}" in told
    assert "wait until it ends, or end it" in told


def test_results_of_another_folder_are_free(checkouts, tmp_path, processes):
    (tmp_path / "other/results").mkdir(parents=True)
    processes(HOLD, cwd=tmp_path / "other")
    with only_writer(Path("results")):
        pass


def test_the_lock_of_a_killed_writer_does_not_outlive_it(checkouts, processes):
    first = processes(HOLD, cwd=checkouts[0])
    first.kill()
    first.wait()
    with only_writer(Path("results")):
        pass


def test_the_file_of_a_lock_is_empty_while_nobody_holds_it(checkouts):
    with only_writer(Path("results")):
        assert Writer.read(Path("results/.lock").read_text(encoding="utf-8")) == Writer.here(Path("results"))
    assert Path("results/.lock").read_bytes() == b""


def test_who_inherits_the_lock_holds_it_and_knows_so(checkouts, monkeypatch):
    script = "from pathlib import Path\nfrom recsens.workflow.lock import is_passed_on\nprint(is_passed_on(Path('results')))\n"

    def knows(**options):
        return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, **options).stdout

    with only_writer(Path("results")) as lock:
        passed_on = {**os.environ, PASSED_ON: str(lock)}
        assert knows(env=passed_on, pass_fds=[lock]) == "True\n"
        assert knows(env=passed_on) == "False\n"
    monkeypatch.setenv(PASSED_ON, "no number")
    assert not is_passed_on(Path("results"))


def test_the_lock_is_held_as_long_as_an_heir_lives(checkouts, processes):
    with only_writer(Path("results")) as lock:
        processes(SLEEP, pass_fds=[lock])
    with pytest.raises(RunError, match=r"another run .* \(process unknown\)"), only_writer(Path("results")):
        pass


def test_a_file_system_without_locks_is_warned_of_and_used(checkouts, monkeypatch, caplog):
    def flock(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", flock)
    with caplog.at_level(logging.WARNING), only_writer(Path("results")):
        assert "this file system has no locks: make sure that only one run writes there" in caplog.text


def test_a_plain_snakemake_takes_the_lock_and_a_second_is_told_who_holds_it(checkouts, processes):
    hold = "from recsens.workflow.in_snakemake import hold_results\nhold_results()\n"
    first = processes(hold + SLEEP, cwd=checkouts[1])
    with pytest.raises(RunError) as refused:
        in_snakemake.hold_results()
    assert f"{checkouts[0] / 'results'}: another run is writing these results (process {first.pid} " in str(refused.value)


def test_a_plain_snakemake_marks_its_jobs(checkouts, monkeypatch):
    monkeypatch.setenv(MARK, "")
    kept = []
    monkeypatch.setattr(in_snakemake.atexit, "register", kept.append)
    in_snakemake.hold_results()
    assert Writer.read(os.environ[MARK]) == Writer.here(Path("results"))
    kept[0]()


def test_jobs_of_a_foreign_executor_hold_the_lock_together_and_keep_out_who_would_hold_it_alone(checkouts, processes):
    take_part = "from recsens.workflow.in_snakemake import taking_part\nwith taking_part():\n    "
    processes(take_part + SLEEP.replace("\n", "\n    "), cwd=checkouts[1])
    with in_snakemake.taking_part(), pytest.raises(RunError, match=r"another run .* \(process unknown\)"):
        in_snakemake.hold_results()


def test_a_job_of_a_foreign_executor_is_refused_while_another_process_writes_and_not_if_that_started_it(
    checkouts, processes, monkeypatch
):
    monkeypatch.delenv(MARK, raising=False)
    first = processes(HOLD, cwd=checkouts[1])
    with pytest.raises(RunError, match=f"another run is writing these results .process {first.pid} "), in_snakemake.taking_part():
        pass
    with pytest.raises(RunError, match=f"the run that sent this job has ended, and another one is running .process {first.pid} "):
        in_snakemake.take_part_of_main_process("0123456789abcdef")
    monkeypatch.setenv(MARK, (checkouts[0] / "results/.lock").read_text(encoding="utf-8"))
    run = in_snakemake.name_of_run()
    monkeypatch.delenv(MARK)
    in_snakemake.take_part_of_main_process(run)
    assert Writer.read(os.environ[MARK]).process == first.pid
    with in_snakemake.taking_part():
        pass


def test_what_killed_runs_left_behind_is_ended_and_nothing_else(checkouts, tmp_path, processes, caplog):
    results, one = Path("results"), str(checkouts[0])
    gone = dead(results)
    marks = {
        "same results": replace(gone, folder="/elsewhere"),
        "same folder": replace(gone, results="/elsewhere"),
        "elsewhere": replace(gone, folder="/elsewhere", results="/elsewhere"),
        "alive": Writer.here(results),
        "other host": replace(gone, host="another"),
        "other container": replace(gone, namespace="pid:[1]"),
    }
    orphans = {name: processes(SLEEP, env={MARK: str(mark)}) for name, mark in marks.items()}
    orphans["unmarked"] = processes(SLEEP, cwd=one, env={MARK: "no mark"})
    with caplog.at_level(logging.WARNING):
        end_orphans(results)
    assert {name for name, process in orphans.items() if process.poll() is not None} == {"same results", "same folder"}
    assert f"ending process {orphans['same results'].pid}, left behind by an earlier run" in caplog.text


def test_a_run_removes_the_folder_of_a_program_whose_job_was_killed(checkouts, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    left, new = (tmp_path / "tmp" / f"recsens-program-{name}" for name in ("killed", "new"))
    for folder in (left, new):
        folder.mkdir(parents=True)
        (folder / "train.csv").touch()
    two_minutes_ago = time.time() - 120
    os.utime(left, (two_minutes_ago, two_minutes_ago))
    end_orphans(Path("results"))
    assert [folder.exists() for folder in (left, new)] == [False, True]


def test_a_writer_never_ends_itself_although_it_carries_a_mark(checkouts):
    script = "from pathlib import Path\nfrom recsens.workflow.leftovers import end_orphans\n"
    script += "end_orphans(Path('results'))\nprint('alive')\n"
    environment = {**os.environ, MARK: str(dead(Path("results")))}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "alive\n")


def test_a_mark_is_read_from_a_process_that_can_be_looked_at(checkouts, processes):
    mark = Writer.here(Path("results"))
    sleeping = processes(SLEEP, env={MARK: str(mark)})
    assert [by for process, by in marked() if process.pid in {sleeping.pid, 1}] == [mark]


@pytest.mark.parametrize("text", ["", "{", "7", "{}", "null"])
def test_a_note_cut_short_is_of_no_writer(text):
    assert Writer.read(text) is None


def test_an_ended_child_that_nobody_waited_for_is_over(checkouts):
    child = subprocess.Popen([sys.executable, "-c", ""])
    while psutil.Process(child.pid).status() != psutil.STATUS_ZOMBIE:
        pass
    assert replace(Writer.here(Path("results")), process=child.pid).is_over
    child.wait()


def test_locks_and_half_written_files_of_a_killed_snakemake_are_removed(checkouts):
    lock, half, whole = Path(".snakemake/locks/0.input.lock"), Path("results/a/.x.npz.12.part"), Path("results/a/x.part")
    for path in (lock, half, whole):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert is_locked()
    clear_up(Path("results"))
    assert not is_locked()
    assert [path.exists() for path in (lock, half, whole)] == [False, False, True]


def test_the_lock_of_a_live_snakemake_is_never_removed(checkouts, tmp_path, processes):
    lock = Path(".snakemake/locks/0.input.lock")
    lock.parent.mkdir(parents=True)
    lock.touch()
    script = tmp_path / "snakemake"
    script.write_text(SLEEP, encoding="utf-8")
    processes("import runpy, sys\nrunpy.run_path(sys.argv[1])", str(script), cwd=tmp_path)
    alive = processes("import runpy, sys\nrunpy.run_path(sys.argv[1])", str(script), cwd=checkouts[0])
    with pytest.raises(RunError, match=rf"Snakemake is already running in this folder \(process {alive.pid}\)"):
        clear_up(Path("results"))
    assert lock.exists()


def test_results_that_are_no_folder_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = Path("results")
    check_results(results)
    results.symlink_to("gone")
    with pytest.raises(RunError, match="results: is a link to 'gone', where there is no folder") as refused:
        check_results(results)
    assert "mount its disk" in str(refused.value)
    results.unlink()
    results.touch()
    with pytest.raises(RunError, match="results: is a file"):
        check_results(results)


@pytest.mark.parametrize(
    ("number", "remedy"),
    [(errno.EROFS, "permission to write"), (errno.EACCES, "permission to write"), (errno.ENOSPC, "free some space")],
)
def test_a_folder_that_cannot_be_written_is_refused_with_the_reason(tmp_path, monkeypatch, number, remedy):
    def refuse(**_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("recsens.workflow.lock.TemporaryFile", refuse)
    with pytest.raises(RunError, match=f"cannot be written: {os.strerror(number)}") as refused:
        check_writable(tmp_path)
    assert remedy in str(refused.value)


def test_a_disk_with_less_room_than_asked_for_counts_as_full(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 17, before[1]))
    try:
        check_writable(tmp_path)
        with pytest.raises(RunError, match="cannot be written"):
            check_writable(tmp_path, room=1 << 18)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_looking_whether_a_folder_can_be_written_leaves_nothing(tmp_path):
    check_writable(tmp_path / "results")
    assert list((tmp_path / "results").iterdir()) == []


def test_shards_are_left_over_where_they_are_empty_or_older_than_their_ranking(tmp_path):
    for folder, shard, whole in (("empty", b"", b"w"), ("older", b"s", b"w"), ("newer", b"s", b"w"), ("alone", b"s", None)):
        (tmp_path / folder).mkdir()
        part = tmp_path / folder / "shard-0-of-2.positions.parquet"
        part.write_bytes(shard)
        os.utime(part, (9 if folder == "newer" else 5,) * 2)
        if whole is not None:
            ranking = tmp_path / folder / "positions.parquet"
            ranking.write_bytes(whole)
            os.utime(ranking, (7, 7))
    assert [path.parent.name for path in leftovers(tmp_path)] == ["empty", "older"]
