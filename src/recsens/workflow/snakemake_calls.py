"""Call Snakemake to make a target; its output goes to a log."""

import errno
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from recsens.artefacts.addresses import RESULTS
from recsens.study.location import config_file, is_checkout, snakefile
from recsens.workflow.job import reason_in
from recsens.workflow.job_names import in_own_words
from recsens.workflow.leftovers import clear_up
from recsens.workflow.lock import PASSED_ON, RunError, check_writable, writing
from recsens.workflow.plan import Plan
from recsens.workflow.progress import EVENTS, Progress
from recsens.workflow.stopping import end_run
from recsens.workflow.study_setting import as_setting
from recsens.workflow.writer import MARK, Writer

OWN = Path(".snakemake")
"""Snakemake's folder in the working directory."""

_RESULTS = Path(RESULTS)

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
    with writing(log):
        log.parent.mkdir(parents=True, exist_ok=True)
        said = log.open("wb")
    with said, _events() as (read, write):
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
        raise _failed(noted, log)


@contextmanager
def _events() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Open both ends of a pipe; reads from the first return without waiting."""
    read, write = os.pipe()
    os.set_blocking(read, False)
    with os.fdopen(read, "rb", buffering=0) as reader, os.fdopen(write, "wb", buffering=0) as writer:
        yield reader, writer


def _failed(noted: Sequence[str], log: Path) -> RunError:
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
