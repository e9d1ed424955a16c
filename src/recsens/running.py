"""Running a study: Snakemake in stages, one run a folder, whatever became of the last one."""

from __future__ import annotations

import fcntl
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from recsens.errors import REFUSALS, RecsensError
from recsens.tables import write_text
from recsens.wiring import as_setting

log = logging.getLogger(__name__)

STAGES = ("data", "rankings", "all")
"""Targets in the order they are asked for: what the data do not allow shows before any fit, and what a stage rewrites unchanged
does not re-run the next."""

MARK = "RECSENS_RUN"
"""Environment variable that every process of a run carries, so that orphans of a killed run are known."""


class RunError(RecsensError):
    """A study could not be run to its end."""


def run_workflow(study: str, *, options: Sequence[str], dry_run: bool, stages: Sequence[str] = STAGES) -> bool:
    """Bring the results of a study up to date.

    Parameters
    ----------
    study
        Path of the study file.
    options
        Options for Snakemake.
    dry_run
        Only print what would be done.
    stages
        Targets to ask for, one after another; all by default.

    Returns
    -------
    bool
        Whether there was anything to do.

    Raises
    ------
    RunError
        If another run is under way in this folder, or a job failed.
    """
    with _only_run_here():
        _end_orphans()
        if any(Path(".snakemake/locks").glob("*")):
            _snakemake(study, [*options, "--unlock"], quiet=True)
        if dry_run:
            _snakemake(study, [*options, "--dry-run"], quiet=False)
            return True
        if "Nothing to be done" in _snakemake(study, [*options, "--dry-run", "--", stages[-1]], quiet=True):
            return False
        for stage in stages:
            _snakemake(study, [*options, "--quiet", "reason", "host", "--", stage], quiet=False)
        return True


def show_latest(report: Path, latest: Path) -> None:
    """Make a study's report the one at the top of the results, with links that lead to the study's files."""
    prefix = report.parent.relative_to(latest.parent).as_posix()
    page = re.sub(r'(href|src)="(?!#|[a-z]+:)', rf'\1="{prefix}/', report.read_text(encoding="utf-8"))
    write_text(latest, page)


@contextmanager
def _only_run_here() -> Iterator[None]:
    folder = Path(".snakemake")
    folder.mkdir(exist_ok=True)
    with (folder / "recsens.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            raise RunError(
                f"another run is under way here (process {lock.read().strip() or 'unknown'})",
                where=str(Path.cwd()),
                remedy="wait for it, or end it; its results stay",
            ) from error
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def _end_orphans() -> None:
    """End the processes that a killed run left behind: they would go on writing."""
    here = str(Path.cwd())
    orphans = [process for process in psutil.process_iter() if _mark_of(process) == here and process.pid != os.getpid()]
    for process in orphans:
        log.warning("ending process %d, left behind by an earlier run", process.pid)
        process.kill()
    psutil.wait_procs(orphans, timeout=10)


def _mark_of(process: psutil.Process) -> str | None:
    try:
        return str(process.environ()[MARK])
    except (psutil.Error, KeyError, OSError):
        return None


def _snakemake(study: str, options: Sequence[str], *, quiet: bool) -> str:
    command = [sys.executable, "-m", "snakemake", "--config", f"study={as_setting(study)}", *options]
    # A file here such as queue.py or random.py would be imported in place of the library's.
    refusals = Path.cwd() / ".snakemake" / "refusals.txt"
    refusals.unlink(missing_ok=True)
    environment = {**os.environ, MARK: str(Path.cwd()), REFUSALS: str(refusals), "PYTHONSAFEPATH": "1"}
    try:
        done = subprocess.run(command, env=environment, check=False, text=True, capture_output=quiet)  # noqa: S603 - our own command
    except KeyboardInterrupt as stop:
        raise RunError("stopped", remedy="run again: what was finished stays, only the rest is done") from stop
    if done.returncode != 0:
        if quiet:
            sys.stderr.write(done.stdout + done.stderr)
        noted = refusals.read_text(encoding="utf-8").split("\0")[:-1] if refusals.is_file() else []
        # Jobs that ran on after a refusal have moved it far up; those of many folds are refused for the same reason.
        why = "\n".join(dict.fromkeys(noted))
        if why:
            raise RunError(f"the workflow stopped\n{why}\n  then: run again; what was finished stays, only the rest is done")
        raise RunError(
            "the workflow stopped; the messages above say where",
            remedy="mend the cause and run again: what was finished stays, only the rest is done",
        )
    return done.stdout + done.stderr if quiet else ""
