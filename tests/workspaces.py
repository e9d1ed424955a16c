"""A copy of the checkout, and the command line run in it."""

import compileall
import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from py_compile import PycInvalidationMode

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[1]
DEFAULT_PROFILE = "workflow/profiles/default"
LEFT_ALONE = re.compile(r"^Rule: (\w+), Jobid: \d+: its results are sound", re.MULTILINE)
"""What Snakemake prints for a job that is not run because its results are sound."""

STUDY = {
    "title": "A tiny study",
    "datasets": {"Tiny": "simulated(users=60,items=200,ratings=2000)"},
    "systems": {"Popularity": "popularity", "kNN": "user_knn(k=10)"},
    "design": {"split": "random(ratio=0.5)"},
    "vary": {"view": ["condensed"]},
    "metrics": ["P@5", "nDCG@5"],
}

OWN_RECOMMENDER = '''import numpy as np
from recsens.recommenders import Recommender


class Mine(Recommender):
    """Recommend the items in one order."""

    def fit(self, train, rng):
        self._learned = {"score": np.arange(train.n_items) * +1.0}
        return self

    def score(self, train, users):
        return np.repeat(self._learned["score"][None], len(users), axis=0)
'''
"""The user's own plug-in; a test may edit its ``+1.0``."""


@dataclass(frozen=True)
class Workspace:
    """A copy of the checkout, and the command line run in it."""

    root: Path

    def write_study(self, name: str, **changes: object) -> None:
        """Write a study: the tiny one with some keys changed."""
        path = self.root / "config" / "studies" / f"{name}.yaml"
        path.write_text(yaml.safe_dump({**STUDY, **changes}, sort_keys=False), encoding="utf-8")

    def environment(self) -> dict[str, str]:
        """Return an environment in which the copied sources come before the installed ones."""
        return {**os.environ, "PYTHONPATH": str(self.root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}

    def command(self, *arguments: str) -> list[str]:
        """Write out a call of the command line."""
        return [str(Path(sys.executable).with_name("recsens")), *arguments]

    def recsens(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Call the command line and wait."""
        done = subprocess.run(
            self.command(*arguments), cwd=self.root, env=self.environment(), text=True, capture_output=True, check=False
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def snakemake(self, study: str, *options: str, check: bool = True) -> str:
        """Call plain Snakemake, without stages, and return its output."""
        command = [sys.executable, "-m", "snakemake", "--config", f"study={study}", *options]
        done = subprocess.run(command, cwd=self.root, env=self.environment(), text=True, capture_output=True, check=False)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def make(self, study: str, *tables: str) -> None:
        """Bring some tables of a study, or all its results, up to date in one call, for tests that are not about stages."""
        wanted = [f"results/studies/{study}/{table}" for table in tables]
        self.snakemake(study, "--workflow-profile", DEFAULT_PROFILE, "--cores", "2", "--", *wanted)

    def planned(self, study: str) -> Counter[str]:
        """Count the jobs by rule that a run would do."""
        said = self.snakemake(study, "--workflow-profile", DEFAULT_PROFILE, "--cores", "1", "--dry-run")
        found = re.findall(r"^(\w+) +(\d+)$", said.partition("Job stats:")[2], re.MULTILINE)
        return Counter({rule: int(count) for rule, count in found if rule not in {"total", "all"}})

    def results(self) -> dict[str, bytes]:
        """Read every file that must not depend on how it was computed."""
        root = self.root / "results"
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file() and not {"logs", "benchmarks"} & set(path.relative_to(root).parts)
        }

    def differs_from(self, expected: dict[str, bytes]) -> dict[str, str]:
        """Describe each unexpected file of the results and how it differs, in few words, because logs are cut off."""
        found = self.results()
        names = sorted(found.keys() | expected.keys())
        return {
            name: where_it_differs(found.get(name), expected.get(name)) for name in names if found.get(name) != expected.get(name)
        }

    def edit(self, file: str, old: str, new: str) -> None:
        """Change a source file."""
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")


def where_it_differs(here: bytes | None, there: bytes | None) -> str:
    """Describe a missing file, an additional file, or the first byte that differs."""
    if here is None:
        return "absent"
    if there is None:
        return f"not expected: {here[:200]!r}"
    at = next((n for n, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), min(len(here), len(there)))
    line = here.count(b"\n", 0, at) + 1
    around = slice(max(at - 60, 0), at + 100)
    return f"line {line}: {here[around]!r} where {there[around]!r} was expected"


def made_once(name: str, make: Callable[[Path], None], factory: pytest.TempPathFactory) -> Path:
    """Make a folder that all test processes share: the first one makes it, and the others wait."""
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with (shared / f"{name}.lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        if not lock.read():
            make(shared / name)
            lock.write("done")
    return shared / name


def copy_repository(root: Path) -> None:
    """Copy the checkout, with a tiny study."""
    for name in ("src", "workflow", "config"):
        shutil.copytree(REPOSITORY / name, root / name)
    for name in ("Snakefile", "environment.yml"):
        shutil.copy2(REPOSITORY / name, root / name)
    # Compile the library once, because every job imports it. Compiled files are checked by content, so that an edit within the same
    # second counts.
    compileall.compile_dir(root / "src", quiet=1, force=True, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    Workspace(root).write_study("tiny")


def copied(folder: Path, to: Path) -> Path:
    """Copy a folder, keeping file times."""
    return Path(shutil.copytree(folder, to))
