"""A wheel of this checkout and an environment that contains it, each made once for all test processes."""

from pathlib import Path

import pytest

from installation.environments import Installed, build
from workspaces import made_once


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a wheel."""
    (found,) = made_once("wheel", lambda folder: build("wheel", folder), tmp_path_factory).glob("*.whl")
    return found


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install the wheel; tests must not change the environment, except for files that Python and numba compile."""
    return Installed(made_once("installed", lambda root: Installed.of(wheel, root), tmp_path_factory))
