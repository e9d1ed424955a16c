"""Slurm: Snakemake's options for a cluster, and the jobs that an earlier run left there."""

import hashlib
import logging
import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from recsens.workflow.lock import RunError
from recsens.workflow.profiles import entries_of, value_of

log = logging.getLogger(__name__)

_EXECUTORS = ("recsens-slurm", "slurm")
"""Our executor for Slurm, and Snakemake's own; both take the same options, prefixed with the executor's name."""

_LOGS = Path(".snakemake/slurm_logs")
"""Snakemake's folder with logs of Slurm jobs; it exists if this checkout has ever sent such jobs."""

_SNAKEMAKES_OWN = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|snakejob\..+\.sh")
"""Pattern of Snakemake's default names of Slurm jobs, with its executor for Slurm and with its generic executor."""

_ANSWERS_IN = 30.0
"""Seconds within which Slurm must answer; its commands may ignore SIGTERM."""

_ENDS_IN = 120.0
"""Seconds after which cancelled jobs should be gone."""

_LOOK_EVERY = 0.5

_LONGEST_LOOK = 180
"""Longest time, in seconds, between Snakemake's checks of jobs; it may miss a job that the cluster forgets sooner."""


def options_for_slurm(profile: Path, given: Sequence[str], results: Path) -> list[str]:
    """Return Snakemake's options for this cluster; empty if jobs do not go to Slurm.

    Slurm jobs are named after the folder of results. So if this run is killed, the next run can find the jobs. The state of jobs is
    read from ``squeue``, because ``sacct`` does not work without job accounting, and Snakemake misreads what ``sacct`` prints for
    cancelled jobs, and waits for ever. ``sacct`` is used only on a cluster that soon forgets jobs and has job accounting. Options
    that the profile or ``given`` sets are not changed.

    Raises
    ------
    RunError
        If jobs go to Slurm but its commands are missing or do not answer.
    """
    entries = entries_of(profile)
    executor = value_of("executor", given, entries)
    if executor not in _EXECUTORS:
        return []
    options, prefix, status = [], f"{executor}-jobname-prefix", f"{executor}-status-command"
    if value_of(prefix, given, entries) is None:
        options += [f"--{prefix}", _job_name_prefix(results)]
    if value_of(status, given, entries) is None:
        options += [f"--{status}", _status_command()]
    return options


def cancel_jobs_left(results: Path) -> None:
    """Cancel the Slurm jobs of killed runs, which would keep writing, and wait until they end; the caller must hold the lock.

    These are jobs named after the same results, from any checkout, and jobs that a plain Snakemake sent in this folder.

    Raises
    ------
    RunError
        If this checkout has sent jobs to Slurm but cannot find out whether any still run, or if they do not end.
    """
    if shutil.which("squeue") is None:
        return
    try:
        left = _jobs_of(results)
        if left:
            log.warning("cancelling %d Slurm jobs, left behind by an earlier run", len(left))
            _output_of("scancel", *left)
        begun = time.monotonic()
        while left and time.monotonic() - begun < _ENDS_IN:
            time.sleep(_LOOK_EVERY)
            left = _jobs_of(results)
    except (OSError, subprocess.SubprocessError) as error:
        if not _LOGS.is_dir():
            return
        raise RunError(
            f"Slurm does not answer ({_error_text(error)}), and jobs of an earlier run may still be writing",
            where=str(results.resolve()),
            remedy=f"run again when 'squeue' works; if none of your jobs is left, delete {_LOGS}",
        ) from error
    if left:
        raise RunError(
            f"Slurm jobs of an earlier run do not end: {', '.join(left)}",
            where=str(results.resolve()),
            remedy="end them with scancel, or ask the cluster's administrator; finished results stay",
        )


def _jobs_of(results: Path) -> list[str]:
    """List the numbers of Slurm jobs that are waiting, running or about to end."""
    listed = _output_of("squeue", "--me", "--noheader", "--array", "--format=%i|%j|%Z")
    jobs = [line.strip().split("|", 2) for line in listed.splitlines() if line.count("|") >= 2]
    here, prefix = str(Path.cwd()), _job_name_prefix(results)
    return [
        number for number, name, folder in jobs if name.startswith(prefix) or (_SNAKEMAKES_OWN.fullmatch(name) and folder == here)
    ]


def _job_name_prefix(results: Path) -> str:
    """Return the prefix of job names for a folder of results; links to the folder give the same prefix."""
    return f"recsens_{hashlib.sha256(str(results.resolve()).encode()).hexdigest()[:16]}"


def _status_command() -> str:
    """Return the command that shows the state of jobs on this cluster."""
    try:
        said = _output_of("scontrol", "show", "config")
    except FileNotFoundError as error:
        raise RunError(
            "Slurm's commands are missing (no 'scontrol' on the path)",
            remedy="run where jobs are submitted, such as on a login node, or on this machine with --profile default",
        ) from error
    except (OSError, subprocess.SubprocessError) as error:
        raise RunError(f"Slurm does not answer: {_error_text(error)}", remedy="run again when 'squeue' works") from error
    settings = dict(re.findall(r"^(\w+)\s*=\s*(\S+)", said, re.MULTILINE))
    has_accounts = settings.get("AccountingStorageType", "(null)") not in {"accounting_storage/none", "(null)"}
    remembers = int(settings.get("MinJobAge", "0")) > _LONGEST_LOOK
    return "sacct" if has_accounts and not remembers else "squeue"


def _output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=_ANSWERS_IN).stdout  # noqa: S603


def _error_text(error: Exception) -> str:
    said = getattr(error, "stderr", None)
    return said.strip().splitlines()[-1] if isinstance(said, str) and said.strip() else str(error)
