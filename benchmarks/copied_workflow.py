"""A temporary copy of the workflow, in which a benchmark runs studies."""

import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parents[1]


class Taken(NamedTuple):
    """The time that a command took: seconds, and processor seconds including the processes that it started."""

    seconds: float
    cpu: float


@contextmanager
def copied_workflow() -> Iterator[None]:
    """Work in a temporary copy of the workflow."""
    with TemporaryDirectory() as scratch, chdir(scratch):
        for name in ("Snakefile", "workflow", "config", "environment.yml"):
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, name)
        yield


def write_study(path: str, study: Mapping[str, Any]) -> None:
    """Write a study to run."""
    Path(path).write_text(yaml.safe_dump(dict(study), sort_keys=False), encoding="utf-8")


def recsens(*arguments: str) -> Taken:
    """Call the command line, and wait for it to end."""
    return timed([str(Path(sys.executable).with_name("recsens")), *arguments])


def timed(command: list[str]) -> Taken:
    """Call a command, and wait for it to end; show its output only if it fails."""
    start, start_cpu = time.perf_counter(), _cpu()
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit(done.stdout)
    return Taken(time.perf_counter() - start, _cpu() - start_cpu)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
