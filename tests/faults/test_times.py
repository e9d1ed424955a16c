"""File times do not matter: neither those of results nor those of edited and restored files, the user's or the library's."""

import os
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from in_process import call
from workspaces import OWN_RECOMMENDER, Workspace, copied, made_once

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

Times = Callable[[list[float]], list[float]]

RATINGS = "".join(f"{user}\t{item}\t{1 + user * item % 5}\n" for user in range(30) for item in range(user % 3, 60, 3))

OWN = {
    "plugins": ["lab"],
    "datasets": {"Own": "delimited(path=ratings.tsv,lowest=1,highest=5,step=1)"},
    "systems": {"Popularity": "popularity", "Mine": "mine.Mine"},
    "metrics": ["P@5"],
    "vary": {},
    "figures": [],
}


def year(number: int) -> Times:
    """Return a function that sets all files to the same time."""
    return lambda times: [datetime(number, 1, 1, tzinfo=UTC).timestamp()] * len(times)


def reversed_order(times: list[float]) -> list[float]:
    """Give the file that was written first the latest time."""
    return [min(times) + max(times) - time for time in times]


MISSING = (
    "seed-0/**/user_knn*/**/positions.parquet",
    *(f"studies/tiny/{name}" for name in ("summary.csv", "tables.md", "tables.tex", "figures/*.png")),
)


@pytest.mark.parametrize(
    "moved",
    [
        pytest.param(year(1990), id="1990", marks=pytest.mark.trial),
        pytest.param(year(2100), id="2100", marks=pytest.mark.trial),
        pytest.param(reversed_order, id="reversed"),
    ],
)
def test_whatever_the_times_a_run_makes_what_was_deleted_and_nothing_else(finished: Workspace, moved: Times) -> None:
    before = finished.results()
    shutil.rmtree(finished.root / ".snakemake")
    files = [path for folder in ("results", "config") for path in (finished.root / folder).rglob("*") if path.is_file()]
    for path, time in zip(files, moved([path.stat().st_mtime for path in files]), strict=True):
        os.utime(path, (time, time))
    assert "Nothing to do" in call(finished.root, "run", "tiny").stdout

    for missing in MISSING:
        for path in (finished.root / "results").glob(missing):
            path.unlink()
    assert finished.results().keys() < before.keys()
    finished.recsens("run", "tiny", "--cores", "2")
    assert finished.differs_from(before) == {}
    assert "Nothing to do" in call(finished.root, "run", "tiny").stdout


@pytest.fixture(scope="session")
def own_once(checkout_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Run a study of the user's own files, once for all test processes."""

    def run(root: Path) -> None:
        workspace = Workspace(copied(checkout_once, root))
        (root / "ratings.tsv").write_text(RATINGS, encoding="utf-8")
        (root / "lab").mkdir()
        (root / "lab/mine.py").write_text(OWN_RECOMMENDER, encoding="utf-8")
        workspace.write_study("own", **OWN)
        run_writing_bytecode(workspace)

    return Workspace(made_once("own", run, tmp_path_factory))


@pytest.mark.parametrize(
    ("file", "old", "new", "changed"),
    [
        pytest.param("ratings.tsv", "0\t3\t1\n", "0\t3\t5\n", "studies/own/datasets.csv", id="ratings", marks=pytest.mark.trial),
        pytest.param("config/studies/own.yaml", "P@5", "P@7", "studies/own/summary.csv", id="study", marks=pytest.mark.trial),
        pytest.param("lab/mine.py", "+1.0", "-1.0", "studies/own/summary.csv", id="plug-in", marks=pytest.mark.trial),
        pytest.param(
            *(
                "src/recsens/metrics/precision_recall.py",
                "judged.hits(cutoffs) /",
                "judged.hits(cutoffs) *",
                "studies/own/summary.csv",
            ),
            id="library",
        ),
    ],
)
def test_a_file_is_read_anew_though_size_and_time_are_the_old(
    own_once: Workspace, tmp_path: Path, file: str, old: str, new: str, changed: str
) -> None:
    own = Workspace(copied(own_once.root, tmp_path / "own"))
    before, edited = own.results(), own.root / file
    shutil.copy2(edited, tmp_path / "kept")
    own.edit(file, old, new)
    shutil.copystat(tmp_path / "kept", edited)
    run_writing_bytecode(own)
    assert own.results()[changed] != before[changed]

    shutil.copy2(tmp_path / "kept", edited)
    run_writing_bytecode(own)
    after = own.results()
    assert {name: after[name] for name in before} == before


def run_writing_bytecode(workspace: Workspace) -> None:
    """Run the study as a user whose Python stores compiled modules next to their sources."""
    environment = {name: value for name, value in workspace.environment().items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(workspace.command("run", "own", "--cores", "2"), cwd=workspace.root, env=environment, check=True)
