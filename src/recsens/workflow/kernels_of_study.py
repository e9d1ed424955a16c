"""Compile a study's kernels before its jobs; otherwise the times of jobs would include compilation."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from recsens import plugins
from recsens.artefacts.storage import write_text
from recsens.compiled.machine_code import COMPILING, folder_of_machine_code
from recsens.plugins.specs import Spec
from recsens.study import Study
from recsens.study.location import is_checkout
from recsens.workflow.code_digests import code_digest

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
