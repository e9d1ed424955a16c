"""What a Snakemake does differently within a run: it takes part in the lock of the results, and compares no times."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from recsens.artefacts.addresses import RESULTS
from recsens.workflow.left_behind import end_orphans
from recsens.workflow.lock import RunError, check_results, check_writable, is_passed_on, only_writer
from recsens.workflow.sources import NO_RESULTS
from recsens.workflow.stopping import end_at_once_in_snakemake
from recsens.workflow.writer import MARK, Writer

JUDGED = "RECSENS_JUDGED"
"""Environment variable of a Snakemake that is told which results to make, since what they state has been looked at."""


def judged(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of a rule so that no time of the user's own files makes a job run, where results have been judged."""
    if JUDGED not in os.environ:
        return dict(inputs)
    from snakemake.io import ancient  # noqa: PLC0415 - plain Python need not wait for Snakemake

    return {name: ancient(files) if files and name in NO_RESULTS else files for name, files in inputs.items()}


def hold_results() -> None:
    """Hold the lock of the results until this process ends; one that `recsens run` has started holds it already.

    Where another process is writing the results, or they cannot be written, Snakemake ends with the message alone.
    """
    try:
        _hold(Path(RESULTS))
    except RunError as error:
        sys.exit(f"recsens: {error}")


def hold_results_in_module(workflow: Any) -> None:
    """Have a run hold the results where this workflow is a module of another Snakefile, whose own ``onstart`` is called after.

    An ``onstart`` that stands behind the module takes the place of this one, and has to call `hold_results` itself.
    """
    own = workflow._onstart  # noqa: SLF001 - Snakemake calls only the handlers of the main Snakefile, and has no other way to add one

    def start(log: str) -> None:
        hold_results()
        own(log)

    workflow._onstart = start  # noqa: SLF001 - as above


def _hold(results: Path) -> None:
    if is_passed_on(results):
        end_at_once_in_snakemake()
        _accept_inputs_of_the_future()
        return
    check_results(results)
    check_writable(results)
    end_orphans(results)
    held = ExitStack()
    held.enter_context(only_writer(results))
    atexit.register(held.close)
    # Jobs inherit the mark: those of a killed Snakemake are ended by whoever writes next.
    os.environ[MARK] = str(Writer.here(results))


def _accept_inputs_of_the_future() -> None:
    """Have Snakemake keep what a job has made from a file with a later time, which otherwise fails: no time says what is sound.

    Such files come from archives packed in another time zone, and from disks with clocks of their own.
    """
    from snakemake.dag import DAG  # noqa: PLC0415 - plain Python need not wait for Snakemake

    async def accept(*_: Any) -> None:
        """Compare no times."""

    DAG.check_output_mtime = accept
