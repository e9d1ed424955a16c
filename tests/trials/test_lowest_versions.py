"""With the lowest versions that `pyproject.toml` allows, the quick start runs, and plug-ins compute what their tests expect."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from workspaces import REPOSITORY, copy_repository, made_once

pytestmark = pytest.mark.trial

LOWEST = Path(__file__).with_name("lowest.txt")
TOOLS = ("hypothesis", "ir-measures", "pytest", "pytest-xdist", "pytrec-eval-terrier")
"""What the tests below import, in the versions of the lock: tools are not what is tried."""
TESTED = ("comparison", "conclusions/meta", "data", "files", "metrics", "outcomes", "ranking", "recommenders")
TESTED += ("plugins/test_plugins.py", "plugins/test_contract_of_plugins.py")


def tools() -> list[str]:
    lock = (REPOSITORY / "requirements.lock").read_text(encoding="utf-8")
    return [re.search(rf"^{name}==\S+", lock, re.MULTILINE)[0] for name in TOOLS]


def call(*command: str | Path, folder: Path) -> str:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the project with the lowest versions, once for all processes that run tests; return the folder of its programs."""
    return made_once("lowest", install, tmp_path_factory) / "environment" / "bin"


def install(root: Path) -> None:
    sources = root / "sources"
    copy_repository(sources)
    for name in ("pyproject.toml", "PACKAGE.md", "LICENSE"):
        shutil.copy2(REPOSITORY / name, sources / name)
    call(sys.executable, "-m", "venv", "environment", folder=root)
    found = root / "environment" / "bin"
    call(found / "python", "-m", "pip", "install", "--requirement", LOWEST, *tools(), folder=root)
    call(found / "python", "-m", "pip", "install", "--no-deps", sources, folder=root)


def test_the_quick_start_runs(programs: Path, tmp_path: Path):
    checkout = tmp_path / "checkout"
    copy_repository(checkout)
    shutil.rmtree(checkout / "src")
    said = call(programs / "recsens", "run", "quickstart", folder=checkout)
    assert "Done. Report: results/report.html" in said
    assert (checkout / "results/studies/quickstart/verdicts.csv").is_file()


def test_plug_ins_compute_what_their_tests_expect(programs: Path):
    asked = ("-m", "not workflow", "-p", "no:cacheprovider", "--quiet", "--numprocesses", str(os.cpu_count()))
    call(programs / "python", "-m", "pytest", *asked, *(f"tests/{name}" for name in TESTED), folder=REPOSITORY)
