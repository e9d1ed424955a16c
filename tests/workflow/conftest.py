"""A checkout of its own for every test that runs the workflow, so that a test may edit sources and kill runs."""

import fcntl
import shutil
from pathlib import Path

import pytest

from workspaces import REPOSITORY, Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Copy the checkout, with the compiled kernels beside their sources, and a tiny study."""
    return _copy_of_checkout(tmp_path / "checkout")


@pytest.fixture
def finished(finished_once: Workspace, tmp_path: Path) -> Workspace:
    """Copy a checkout in which the tiny study has been run."""
    # copytree keeps the times of files, by which Snakemake knows what is up to date.
    return Workspace(Path(shutil.copytree(finished_once.root, tmp_path / "finished")))


@pytest.fixture(scope="session")
def finished_once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Workspace:
    """Run the tiny study once, on two cores, for all processes that run tests; not to be changed."""
    base = tmp_path_factory.getbasetemp()
    folder = base if worker_id == "master" else base.parent
    with (folder / "finished.lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        if lock.read():
            return Workspace(folder / "finished")
        made = _copy_of_checkout(folder / "finished")
        made.recsens("run", "tiny", "--cores", "2")
        lock.write("done")
        return made


def _copy_of_checkout(root: Path) -> Workspace:
    for name in ("src", "workflow", "config"):
        shutil.copytree(REPOSITORY / name, root / name)
    for name in ("Snakefile", "environment.yml"):
        shutil.copy2(REPOSITORY / name, root / name)
    made = Workspace(root)
    made.write_study("tiny")
    return made
