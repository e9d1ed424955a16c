"""With the lowest versions that `pyproject.toml` allows, the quick start runs, runs survive faults, and values are as expected."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from workspaces import REPOSITORY, copy_repository, made_once

pytestmark = pytest.mark.trial

LOWEST = Path(__file__).with_name("lowest.txt")
LOWEST_LIGHT = Path(__file__).with_name("lowest-light.txt")
TOOLS = ("hypothesis", "ir-measures", "pytest", "pytest-xdist", "pytrec-eval-terrier")
"""Tools that the tests import, in the versions of the lock, because the tools are not under test."""
TESTED = ("comparison", "conclusions/meta", "data", "files", "metrics", "outcomes", "ranking", "recommenders")
TESTED += ("plugins/test_plugins.py", "plugins/test_contract_of_plugins.py")
TESTED_JOBS = ("workflow/test_executor.py", "workflow/test_in_snakemake.py", "faults/test_guests.py", "faults/test_kills.py")
TESTED_JOBS += ("faults/test_damages.py",)
TESTED_LIGHT = ("evaluation", "metrics", "files", "data", "comparison", "conclusions/meta", "notebook/test_forms.py")
NOT_LIGHT = {
    "files/test_paths.py": "reads options as Snakemake does",
    "files/test_odd_files.py::test_text_as_polars_may_declare_it_is_text": "PyArrow 17 writes no such column",
    "data/datasets/test_parquet.py::test_kinds_of_text[kind2]": "PyArrow 17 writes no such column",
    "data/datasets/test_parquet.py::test_no_rows": "PyArrow 17 reads no column of categories without rows",
    "comparison/significance/test_every_test.py::test_the_vector_worked_by_hand[wilcoxon-1.0]": "exact from SciPy 1.13 on",
    "comparison/significance/test_every_test.py::test_the_other_way_round_only_the_sign_changes[wilcoxon]": "as the one before",
}
"""Tests that cannot pass with the lowest versions, and why; the page that lists the versions says what users can notice."""


def tools() -> list[str]:
    return [pinned(name, REPOSITORY / "requirements.lock") for name in TOOLS]


def pinned(name: str, lock: Path) -> str:
    return re.search(rf"^{name}==\S+", lock.read_text(encoding="utf-8"), re.MULTILINE)[0]


def call(*command: str | Path, folder: Path) -> str:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the project with the lowest versions, once for all processes that run tests; return the folder of its programs."""
    return made_once("lowest", lambda root: install(root, LOWEST), tmp_path_factory) / "environment" / "bin"


@pytest.fixture(scope="session")
def light_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the light part likewise, and scikit-learn, which its tests compare it with."""
    compared = pinned("scikit-learn", LOWEST)
    return made_once("light", lambda root: install(root, LOWEST_LIGHT, compared), tmp_path_factory) / "environment" / "bin"


def install(root: Path, versions: Path, *further: str) -> None:
    sources = root / "sources"
    copy_repository(sources)
    for name in ("pyproject.toml", "PACKAGE.md", "LICENSE"):
        shutil.copy2(REPOSITORY / name, sources / name)
    call(sys.executable, "-m", "venv", "environment", folder=root)
    found = root / "environment" / "bin"
    call(found / "python", "-m", "pip", "install", "--requirement", versions, *tools(), *further, folder=root)
    call(found / "python", "-m", "pip", "install", "--no-deps", sources, folder=root)


def test_the_quick_start_runs(programs: Path, tmp_path: Path):
    checkout = tmp_path / "checkout"
    copy_repository(checkout)
    shutil.rmtree(checkout / "src")
    said = call(programs / "recsens", "run", "quickstart", folder=checkout)
    assert "Done. Report: results/report.html" in said
    assert (checkout / "results/studies/quickstart/verdicts.csv").is_file()


def test_plug_ins_compute_what_their_tests_expect(programs: Path):
    run_tests(programs, TESTED)


def test_jobs_run_and_end_as_their_tests_expect(programs: Path):
    run_tests(programs, TESTED_JOBS, marked="", level="--slow")


def test_the_light_part_computes_what_its_tests_expect(light_programs: Path):
    run_tests(light_programs, TESTED_LIGHT, NOT_LIGHT)


def run_tests(
    programs: Path, names: Iterable[str], left_out: Iterable[str] = (), *, marked: str = "not workflow", level: str = "--quiet"
) -> None:
    asked = ("-m", marked, level, "-p", "no:cacheprovider", "--quiet", "--numprocesses", str(os.cpu_count()))
    without = [f"--{'deselect' if '::' in name else 'ignore'}=tests/{name}" for name in left_out]
    call(programs / "python", "-m", "pytest", *asked, *without, *(f"tests/{name}" for name in names), folder=REPOSITORY)
