"""After edits, deletions, exchanges, damage or changed file times, a run gives the bytes of a clean run, with no needless job."""

import logging
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

import pytest
import yaml

from recsens.artefacts import storage
from recsens.workflow.prepare_run import bring_up_to_date, plan_as_it_is
from recsens.workflow.run_preview import RunPreview
from recsens.workflow.verify import verify_all
from workspaces import OWN_RECOMMENDER, REPOSITORY, Workspace, copied, where_it_differs

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

log = logging.getLogger(__name__)

NAME = "small"
DATED = "a third of the files got other times"

RATINGS = "user,item,rating\n" + "".join(
    f"{user},{item},{1 + user * item % 5}\n" for user in range(20) for item in range(user % 3, 40, 3)
)

STUDY = {
    "title": "A study of few jobs",
    "plugins": ["lab"],
    "datasets": {"Own": 'delimited(path=ratings.csv,separator=",",header=true)'},
    "systems": {"Popularity": "popularity", "Mine": "mine.Mine"},
    "design": {"split": "random(ratio=0.5)"},
    "vary": {},
    "metrics": ["P@5"],
    "figures": [],
}


def written(**changes: object) -> str:
    """Write the study with some keys changed."""
    return yaml.safe_dump({**STUDY, **changes}, sort_keys=False)


SOURCES = {
    "ratings.csv": (RATINGS, RATINGS.replace("0,3,1\n", "0,3,5\n")),
    "lab/mine.py": (OWN_RECOMMENDER, OWN_RECOMMENDER.replace("+1.0", "-1.0")),
    f"config/studies/{NAME}.yaml": (written(), written(metrics=["P@5", "RR"]), written(design={"split": "random(ratio=0.6)"})),
}
"""What each of the user's own files may contain; all but the last are texts of the same size."""


@dataclass
class Walk:
    """The files of a checkout that are changed repeatedly, and the changes since the last run."""

    rng: Random
    held: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SOURCES, 0))
    asked: list[Path] = field(default_factory=list)
    known: dict[tuple[int, ...], list[Path]] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)

    def disturb(self) -> None:
        """Do one to three things."""
        held = tuple(self.held.values())
        if held not in self.known:  # the results that the study needs depend only on these texts
            self.known[held] = sorted({Path(path) for job in look().all_jobs for path in job.files_written})
        self.asked = self.known[held]
        ways = (self.edit, self.delete, self.exchange, self.cut, self.flip, self.date)
        self.told = [way() for way in self.rng.choices(ways, k=self.rng.randrange(1, 4))]

    def results(self, suffix: str = "") -> list[Path]:
        """List those results of the study that still exist."""
        return [path for path in self.asked if path.is_file() and path.name.endswith(suffix)]

    def one(self) -> Path:
        """Draw a result; if its statement is in a separate file, draw that file half of the time."""
        path = self.rng.choice(self.results())
        beside = storage.sidecar(path)
        return beside if beside.is_file() and self.rng.random() < 0.5 else path

    def edit(self) -> str:
        """Change one of the user's own files, half of the time without changing its file time.

        At most one of them differs from its original, because each combination requires a clean run to compare with.
        """
        different = [file for file, number in self.held.items() if number]
        file = self.rng.choice(different or list(SOURCES))
        self.held[file] = self.rng.choice([n for n in range(len(SOURCES[file])) if n != self.held[file]])
        time = Path(file).stat().st_mtime_ns
        Path(file).write_text(SOURCES[file][self.held[file]], encoding="utf-8")
        if keeps_time := self.rng.random() < 0.5:
            os.utime(file, ns=(time, time))
        return f"{file} got its text {self.held[file]}{' and kept its time' if keeps_time else ''}"

    def delete(self) -> str:
        """Delete a result, its folder, or Snakemake's own records."""
        path = self.one()
        path = self.rng.choice([path, path, path.parent, Path(".snakemake")])
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        return f"{path} was deleted"

    def exchange(self) -> str:
        """Exchange two results of the same form."""
        one = self.rng.choice(self.results())
        other = self.rng.choice(self.results(one.suffix))
        content = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(content)
        return f"{one} and {other} were exchanged"

    def cut(self) -> str:
        """Cut a result short."""
        path = self.one()
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * self.rng.random())])
        return f"{path} was cut short"

    def flip(self) -> str:
        """Flip a bit of a result, and delete what 'recsens verify' calls damaged: a run alone may not read a large result."""
        path = self.one()
        content = bytearray(path.read_bytes())
        if content:
            content[self.rng.randrange(len(content))] ^= 1 << self.rng.randrange(8)
            path.write_bytes(content)
        for state, damaged, _ in verify_all().faults:
            if state == "damaged":
                Path(damaged).unlink()
        return f"a bit of {path} was flipped"

    def date(self) -> str:
        """Set the times of a third of the files to between 1980 and 2096."""
        files = [*self.results(), *map(Path, SOURCES)]
        for path in self.rng.sample(files, len(files) // 3):
            time = self.rng.randrange(315_532_800, 4_000_000_000)
            os.utime(path, (time, time))
        return DATED


RUN = f"from recsens.workflow.prepare_run import *; bring_up_to_date(plan_as_it_is('{NAME}'), cores=2)"
"""Runs the study without showing its results, because results of stubs cannot be shown."""


@pytest.fixture(scope="session")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Callable[[dict[str, int]], Workspace]:
    """Return a checkout in which the study was run once with given texts in the user's files; tests must not change it."""

    @cache
    def run(path: str, *numbers: int) -> Workspace:
        workspace = checkout(tmp_path_factory.mktemp("clean") / "checkout", dict(zip(SOURCES, numbers, strict=True)))
        environment = {**os.environ, "PYTHONPATH": path}
        subprocess.run([sys.executable, "-c", RUN], cwd=workspace.root, env=environment, check=True)
        return workspace

    return lambda held: run(os.environ.get("PYTHONPATH", ""), *held.values())


@pytest.fixture(autouse=True)
def _forget_own_module() -> Iterator[None]:
    """Forget the plug-in, so that the next walk imports the one of its own checkout."""
    yield
    sys.modules.pop("mine", None)


@pytest.mark.parametrize(
    ("seed", "n_examples", "stubbed"),
    [
        pytest.param(1, 20, True, id="stubbed-1"),
        *(pytest.param(seed, 48, True, marks=pytest.mark.trial, id=f"stubbed-{seed}") for seed in range(2, 12)),
        pytest.param(1, 40, False, marks=pytest.mark.trial, id="real-1"),
    ],
)
def test_after_anything_a_run_ends_in_the_bytes_of_a_clean_one_by_jobs_that_were_announced(
    clean: Callable[[dict[str, int]], Workspace],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    n_examples: int,
    *,
    stubbed: bool,
) -> None:
    if stubbed:
        monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent / "stubbed"))
    walk = Walk(Random(seed))  # noqa: S311 - it draws examples
    workspace = Workspace(copied(clean(walk.held).root, tmp_path / "checkout"))
    monkeypatch.chdir(workspace.root)
    for example in range(n_examples):
        walk.disturb()
        log.warning("seed %d, example %d: %s", seed, example, "; ".join(walk.told))
        announced = Counter(job.step for job in look().to_do)
        assert not (announced and set(walk.told) == {DATED})
        done = jobs_of_a_run()
        assert done <= announced
        found, expected = workspace.results(), clean(walk.held).results()
        assert {
            name: where_it_differs(found.get(name), expected[name]) for name in expected if found.get(name) != expected[name]
        } == {}


def look() -> RunPreview:
    """Plan the study in its present state."""
    return RunPreview.of(plan_as_it_is(NAME))


def jobs_of_a_run() -> Counter[str]:
    """Run the study, and fail if anything is left to do; count the jobs that ran for each step (each has a new log)."""
    before = logs()
    bring_up_to_date(plan_as_it_is(NAME), cores=2)
    written_now = [path for path, time in logs().items() if before.get(path) != time]
    return Counter(path.parts[path.parts.index("logs") + 1].removesuffix(".log") for path in written_now)


def logs() -> dict[Path, int]:
    """Return the logs of jobs, each with its time."""
    return {path: path.stat().st_mtime_ns for path in Path("results").rglob("*.log") if path.parent != Path("results/logs/run")}


def checkout(root: Path, held: dict[str, int]) -> Workspace:
    """Make a checkout that uses the library under test."""
    shutil.copytree(REPOSITORY / "workflow", root / "workflow")
    for name in ("Snakefile", "environment.yml", "config/config.yaml"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(REPOSITORY / name, root / name)
    for file, number in held.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(SOURCES[file][number], encoding="utf-8")
    return Workspace(root)
