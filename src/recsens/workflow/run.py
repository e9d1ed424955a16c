"""Run a study with Snakemake, as the only writer of the results, after cleaning up what a broken run left behind."""

import errno
import hashlib
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from recsens import plugins
from recsens.artefacts.addresses import RESULTS
from recsens.artefacts.statements import Making, below_results, making, shortened
from recsens.artefacts.storage import read_statement, write_text
from recsens.compiled.machine_code import COMPILING, folder_of_machine_code
from recsens.errors import ArtefactError
from recsens.plugins.specs import Spec
from recsens.study import Study
from recsens.study.location import config_file, is_checkout, snakefile
from recsens.workflow import code_digests
from recsens.workflow.code_digests import code_digest
from recsens.workflow.job import Job, reason_in
from recsens.workflow.job_inputs import own_files, watched
from recsens.workflow.job_names import in_own_words, names_of
from recsens.workflow.leftovers import clear_up, end_orphans, is_locked, remove_leftovers
from recsens.workflow.lock import (
    MARK,
    PASSED_ON,
    RunError,
    Writer,
    check_replaceable,
    check_results,
    check_writable,
    name_unwritable,
    only_writer,
)
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs
from recsens.workflow.profiles import sends_jobs_away
from recsens.workflow.programs import describe_commands, refuse_other_versions
from recsens.workflow.progress import EVENTS, Progress
from recsens.workflow.slurm import cancel_jobs_left
from recsens.workflow.staleness import UNSOUND, Audited, compare_results, is_sound, jobs_to_do, kept_in_words
from recsens.workflow.stopping import end_run, interruption_named
from recsens.workflow.study_setting import as_setting

MARKS_OF_MAKE = (".installed", ".ready")
"""Files that ``make`` writes to a checkout's environment: after the installation, and after compiling all kernels."""


def compile_ahead(study: Study) -> None:
    """Compile the kernels that a study needs, unless they are compiled already.

    In a checkout, `make run` calls this function, and `make setup` compiles all kernels. If make did not set up the environment of
    a checkout, nothing is compiled here. If compiling fails, the jobs compile the kernels that they need.
    """
    installed, compiled = (Path(sys.prefix, name).is_file() for name in MARKS_OF_MAKE)
    if compiled or (is_checkout() and not installed):
        return
    # This file, next to the machine code, lists the plug-ins with kernels that have been compiled from the same sources.
    mark = folder_of_machine_code() / f"kernels-{code_digest(['recsens.workflow.compile_kernels'])}.txt"
    done = set(mark.read_text(encoding="utf-8").split()) if mark.is_file() else set()
    # The user's own plug-ins compile their own kernels.
    needed = {name for name in _plugins_of(study) if "." not in name}
    if needed <= done:
        return
    sys.stderr.write(f"{COMPILING}\n")
    command = [sys.executable, "-m", "recsens.workflow.compile_kernels", *sorted(needed - done)]
    if subprocess.run(command, env={**os.environ, "PYTHONSAFEPATH": "1"}, check=False).returncode == 0:  # noqa: S603 - our own command
        with suppress(OSError):
            write_text(mark, "\n".join(sorted(done | needed)))


def _plugins_of(study: Study) -> Iterator[str]:
    """Yield the names of plug-ins that may have kernels, including nested plug-ins."""
    for experiment in study.all_experiments():
        named: list[tuple[str, Spec]] = [("recommender", spec) for spec in experiment.systems.values()]
        # Targets 'ar' need no task: the task of each recommender already ranks all items.
        named += [("targets", design.targets) for design in experiment.designs() if str(design.targets) != "ar"]
        named += [("metric", measured.metric.spec) for measured in experiment.metrics]
        named += [("analysis", entry.analysis) for entry in experiment.analyses.values()]
        for kind, spec in named:
            yield spec.name
            yield from (inner.name for _, inner in plugins.build(kind, spec).nested())


_OF_DATA = {"ingest", "complete_relevance", "filter", "side_tables", "split", "check_targets"}
"""Steps of the target ``data``. If one of them is needed, the target runs first, to refuse unsuitable data before any fit."""

_RESULTS = Path(RESULTS)

_MAX_ARGUMENTS = 1_000_000
"""Number of characters of file names that safely fit on a command line; if there are more, rules are named instead of files."""


def run_workflow(plan: Plan, options: Sequence[str], *, target: str = "all") -> bool:
    """Bring a study's results up to date.

    Each result states how it was made. These statements, not the times of files, show which results are up to date.


    Parameters
    ----------
    plan
        The plan of the study.
    options
        Options for Snakemake.
    target
        Target of the workflow to make: ``all``, or ``data`` for only the splits.

    Returns
    -------
    bool
        Whether any job had to run. If not, nothing is written.

    Raises
    ------
    ConfigError
        In the same cases as `refuse_other_versions`.
    RunError
        If the results are not writable, if another process is writing them, or if a job failed.
    RunStopped
        If the run is interrupted.
    """
    check_results(_RESULTS)
    if target == "all":
        refuse_other_versions(plan, lambda line: sys.stderr.write(f"{line}\n"))
    with interruption_named():
        if is_sound(findings(plan, target)):
            return False
        run_targets(plan, options, target)
        return True


def findings(plan: Plan, target: str = "all") -> list[Audited]:
    """Return the state of each result that a workflow target needs, without writing anything."""
    return compare_results(_jobs_of_target(plan, target))


@lru_cache(maxsize=2)
def _jobs_of_target(plan: Plan, target: str) -> list[Job]:
    """List a target's jobs. The list is cached during a run; the run checks at its end whether files have changed."""
    return planned_jobs(plan, target)


def run_targets(plan: Plan, options: Sequence[str], target: str) -> None:
    """Run a workflow target, after its data, as the only writer of the results; raises the same errors as `run_workflow`.

    Raises
    ------
    DataError
        If the study file, or another of the user's own files, changes during the run.
    """
    for folder in (_RESULTS, OWN):
        check_writable(folder)
    end_orphans(_RESULTS)
    with only_writer(_RESULTS) as lock:
        cancel_jobs_left(_RESULTS)
        if is_locked():
            clear_up(_RESULTS)
        planned = findings(plan, target)
        if kept := kept_in_words(planned):
            sys.stderr.write(f"{kept}\n")
        if target == "all":
            sys.stderr.writelines(f"{line}\n" for line in describe_commands(plan, planned))
            compile_ahead(plan.study)
        progress = Progress(sys.stderr, names_of(plan), are_sent_away=sends_jobs_away(options))
        # Snakemake plans every target anew, so it would plan different jobs if these files changed.
        with watched({str(plan.path), *(path for finding in planned for path in own_files(finding.job.inputs))}) as refuse_changes:
            for each in ("data", target) if target != "data" else ("data",):
                refuse_changes()
                state = findings(plan, target)
                to_do = state if each == target else [finding for finding in state if finding.job.step in _OF_DATA]
                if not is_sound(to_do):
                    check_replaceable(path for job in jobs_to_do(to_do) for path in job.files_written)
                    with _name_all_damaged(plan, target):
                        run_target(plan, [*options, *_force_options(to_do)], each, lock, progress)
        if not is_sound(planned):
            # There are half-written files if a cluster killed jobs and Snakemake sent them again.
            remove_leftovers(_RESULTS)
    # The code may have been edited meanwhile.
    code_digests.forget_code()
    _jobs_of_target.cache_clear()
    unsound = [finding for finding in findings(plan, target) if finding.state != "sound"]
    if unsound:
        first = f"{unsound[0].path}: {unsound[0].why}"
        raise RunError(
            f"{len(unsound):,} results are still not up to date, such as {first}",
            remedy="run again without changing data, study or code meanwhile; if you used an option such as --until, leave it out",
        )


@contextmanager
def _name_all_damaged(plan: Plan, target: str) -> Iterator[None]:
    """If a job refuses a damaged result, name all damaged results, because each job meets only the first that it reads.

    Raises RunError, with the one command that makes them anew.
    """
    try:
        yield
    except RunError as error:
        if "damaged: " not in str(error):
            raise
        damaged = [each.path for each in compare_results(_jobs_of_target(plan, target), whole=True) if each.state == "damaged"]
        makes = f"rm -f -- {shlex.join(damaged)} && recsens run {shlex.quote(str(plan.path))}"
        raise RunError(
            f"{error}\n  damaged results: {len(damaged)}", remedy=f"make them anew with one command:\n{makes}"
        ) from error


def show_latest(report: Path, latest: Path) -> None:
    """Copy a study's report to the top of the results, with adjusted links; an identical copy is not written again.

    Raises
    ------
    RunError
        If the copy cannot be written.
    """
    prefix = report.parent.relative_to(latest.parent).as_posix()
    content = report.read_bytes()
    page = re.sub(r'(href|src)="(?!#|[a-z]+:)', rf'\1="{prefix}/', content.decode())
    made = Making("copy of a report", {below_results(report): shortened(hashlib.sha256(content))})
    with name_unwritable(latest):
        if not _has_text(latest, page, made):
            with making(made):
                write_text(latest, page)


def _has_text(path: Path, text: str, made: Making) -> bool:
    """Whether a file contains a text and states the same inputs."""
    with suppress(ArtefactError):
        statement = read_statement(path)
        return statement is not None and statement.made.inputs == made.inputs and path.read_text(encoding="utf-8") == text
    return False


def _force_options(states: Sequence[Audited]) -> list[str]:
    """Return the options that make Snakemake redo the unsound results and everything that depends on them."""
    unsound = [finding for finding in states if finding.state in UNSOUND]
    named = [finding.path for finding in unsound]
    if sum(map(len, named)) > _MAX_ARGUMENTS:
        named = sorted({finding.job.step for finding in unsound})
    # Snakemake requires a trigger; 'input' would redo every result whose input file was moved. The trigger 'software-env' needs no
    # checksums, which take as long as small jobs.
    options = ["--rerun-triggers", "software-env", "--max-checksum-file-size", "0"]
    return [*options, *(["--forcerun", *named] if named else [])]


OWN = Path(".snakemake")
"""Snakemake's folder in the working directory."""

_LOOK = 0.2
"""Seconds between two checks of a run's progress."""

_LITTLE = 1 << 24
"""If fewer bytes are free, the run failed because of a full disk; by now, some files that filled it may be gone."""

_SHOWN_LINES = 20
"""Number of last lines of Snakemake's output to show if no job says why it failed."""


def run_target(plan: Plan, options: Sequence[str], target: str, lock: int, progress: Progress) -> None:
    """Make a workflow target with Snakemake, whose output goes to a log, and show the progress.

    Raises
    ------
    RunError
        If a job failed; the message contains each reason once.
    """
    writer = Writer.here(_RESULTS)
    # In a checkout, Snakemake finds the workflow itself.
    elsewhere = [] if is_checkout() else ["--snakefile", str(snakefile()), "--configfile", str(config_file())]
    study = ["--config", f"study={as_setting(str(plan.path))}"]
    told = ["--logger", "recsens", "--quiet", "reason", "host"]
    log = _RESULTS / "logs" / "run" / f"{plan.name}.log"
    with name_unwritable(log):
        log.parent.mkdir(parents=True, exist_ok=True)
        said = log.open("wb")
    with said, _event_pipe() as (read, write):
        more = {MARK: str(writer), PASSED_ON: str(lock), EVENTS: str(write.fileno())}
        begun = log.stat().st_mtime_ns
        try:
            # Use a separate process group: then Ctrl-C reaches only this process, which ends the others in order.
            snakemake = subprocess.Popen(  # noqa: S603 - our own command
                [sys.executable, "-m", "snakemake", *elsewhere, *study, *options, *told, "--", target],
                # Without PYTHONSAFEPATH, Python would import a file such as queue.py in this folder instead of the library's.
                env={**os.environ, **more, "PYTHONSAFEPATH": "1"},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                process_group=0,
                pass_fds=[lock, write.fileno()],
            )
            write.close()
            progress.begin(read.fileno())
            while (code := snakemake.poll()) is None:
                time.sleep(_LOOK)
                progress.follow()
            progress.follow()
        except BaseException:
            # Snakemake may have started even if Popen itself was interrupted; the mark identifies its process.
            read.close()  # Otherwise Snakemake could block on a full pipe.
            progress.end()
            end_run(writer)
            clear_up(_RESULTS)
            raise
    progress.end()
    if code != 0:
        # Jobs that never started may have logs of earlier runs.
        logs = (log for log in map(Path, progress.logs_of_failed()) if log.exists() and log.stat().st_mtime_ns >= begun)
        noted = [in_own_words(plan, reason) for reason in map(reason_in, logs) if reason is not None]
        if not noted:
            # A folder that is not writable explains more than Snakemake's error.
            for folder in (_RESULTS, OWN):
                check_writable(folder if folder.exists() else Path.cwd(), room=_LITTLE)
        raise _failure_error(noted, log)


@contextmanager
def _event_pipe() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Open both ends of a pipe; reads from the first return without waiting."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    with os.fdopen(read, "rb", buffering=0) as reader, os.fdopen(write, "wb", buffering=0) as writer:
        yield reader, writer


def _failure_error(noted: Sequence[str], log: Path) -> RunError:
    # Jobs of several folds often fail for the same reason.
    why = "\n".join(dict.fromkeys(noted))
    if why:
        first = "free some space, and " if os.strerror(errno.ENOSPC) in why else ""
        return RunError(
            f"the workflow stopped\n{why}\n  then: {first}run again; finished results stay, and only the rest is computed"
            f"\n  Snakemake's output: {log}"
        )
    last = log.read_text(encoding="utf-8", errors="replace").splitlines()[-_SHOWN_LINES:]
    return RunError(
        "\n".join([f"the workflow stopped; the last lines of {log}:", *last]),
        remedy="fix the cause and run again: finished results stay, and only the rest is computed",
    )
