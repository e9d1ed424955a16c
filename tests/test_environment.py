"""One set of versions: the lock, the conda environment and the declared dependencies agree."""

import re
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from workspaces import REPOSITORY

LOCK = (REPOSITORY / "requirements.lock").read_text(encoding="utf-8")
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
ENVIRONMENT = yaml.safe_load((REPOSITORY / "environment.yml").read_text(encoding="utf-8"))
CONDA_NAMES = {"matplotlib-base": "matplotlib"}
"""conda-forge's name -> the name in the lock: without a graphical interface, in this case."""


def entries() -> list[str]:
    """Join the lock's continued lines: one entry a distribution."""
    joined = LOCK.replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def locked() -> dict[str, str]:
    found = [re.match(r"([A-Za-z0-9._-]+)==(\S+)", entry) for entry in entries()]
    assert all(found)
    return {canonicalize_name(match[1]): match[2] for match in found if match}


def declared(*extras: str) -> list[Requirement]:
    optional = PROJECT["project"]["optional-dependencies"]
    return [Requirement(text) for text in sum((optional[extra] for extra in extras), PROJECT["project"]["dependencies"])]


def test_every_distribution_of_the_lock_has_a_hash():
    for entry in entries():
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry[:80]


def test_the_lock_names_no_index_and_no_address():
    assert "://" not in LOCK
    assert not re.search(r"^\s*-", re.sub(r"--hash=\S+", "", LOCK), re.MULTILINE)
    assert " @ " not in LOCK


@pytest.mark.parametrize("requirement", declared("dev", "slurm"), ids=lambda requirement: requirement.name)
def test_every_declared_dependency_is_locked_within_its_bounds(requirement: Requirement):
    assert locked()[canonicalize_name(requirement.name)] in requirement.specifier


def conda() -> dict[str, str]:
    pins = [line for line in ENVIRONMENT["dependencies"] if isinstance(line, str) and "=" in line]
    return dict(pin.split("=", 1) for pin in pins)


def test_the_conda_environment_has_the_versions_of_the_lock():
    versions = locked()
    for name, version in conda().items():
        if name != "python":
            assert versions[CONDA_NAMES.get(name, name)] == version, name


def test_the_conda_environment_holds_what_the_workflow_imports():
    held = {canonicalize_name(CONDA_NAMES.get(name, name)) for name in conda()}
    assert held == {canonicalize_name(requirement.name) for requirement in declared()} | {"python"}


def test_the_conda_environment_has_a_python_that_the_project_allows():
    assert conda()["python"] in Requirement(f"python{PROJECT['project']['requires-python']}").specifier
