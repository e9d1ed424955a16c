"""A checkout of its own for every test that runs the workflow, so that a test may edit sources and kill runs."""

from pathlib import Path

import pytest

from workspaces import Workspace, copied, copy_repository, made_once


@pytest.fixture
def workspace(checkout_once: Path, tmp_path: Path) -> Workspace:
    """Copy the checkout, with the compiled kernels beside their sources, and a tiny study."""
    return Workspace(copied(checkout_once, tmp_path / "checkout"))


@pytest.fixture
def finished(finished_once: Workspace, tmp_path: Path) -> Workspace:
    """Copy a checkout in which the tiny study has been run."""
    return Workspace(copied(finished_once.root, tmp_path / "finished"))


@pytest.fixture(scope="session")
def finished_once(checkout_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Run the tiny study once, on two cores, for all processes that run tests; not to be changed."""

    def run(root: Path) -> None:
        Workspace(copied(checkout_once, root)).recsens("run", "tiny", "--cores", "2")

    return Workspace(made_once("finished", run, tmp_path_factory))


@pytest.fixture(scope="session")
def checkout_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what a checkout holds, once for all processes that run tests; not to be changed."""
    return made_once("checkout", copy_repository, tmp_path_factory)
