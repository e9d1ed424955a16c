"""One set of versions: the locks, the conda environment and the declared dependencies agree."""

import os
import re
import subprocess
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import Specifier
from packaging.utils import canonicalize_name
from packaging.version import Version

from trials.test_lowest_versions import NOT_LIGHT, TESTED, TESTED_LIGHT
from workspaces import REPOSITORY

LOCK = (REPOSITORY / "requirements.lock").read_text(encoding="utf-8")
NEURAL_LOCK = (REPOSITORY / "requirements-neural.lock").read_text(encoding="utf-8")
SITE_LOCK = (REPOSITORY / "requirements-site.lock").read_text(encoding="utf-8")
LOWEST = (REPOSITORY / "tests/trials/lowest.txt").read_text(encoding="utf-8")
LOWEST_LIGHT = (REPOSITORY / "tests/trials/lowest-light.txt").read_text(encoding="utf-8")
FRAMEWORKS = sorted((REPOSITORY / "tests/trials/frameworks").glob("*.lock"))
LOCKS = {
    "base": LOCK,
    "neural": NEURAL_LOCK,
    "site": SITE_LOCK,
    **{each.stem: each.read_text(encoding="utf-8") for each in FRAMEWORKS},
}
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
ENVIRONMENT = yaml.safe_load((REPOSITORY / "environment.yml").read_text(encoding="utf-8"))
CONDA_NAMES = {"matplotlib-base": "matplotlib"}
"""conda-forge's name -> the name in the lock: without a graphical interface, in this case."""


def entries(lock: str) -> list[str]:
    """Join the continued lines of a lock into one entry per distribution."""
    joined = lock.replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def locked(lock: str = LOCK) -> dict[str, str]:
    found = [re.match(r"([A-Za-z0-9._-]+)==(\S+)", entry) for entry in entries(lock)]
    assert all(found)
    return {canonicalize_name(match[1]): match[2] for match in found if match}


def declared(*extras: str) -> list[Requirement]:
    """Return the requirements with some extras, each distribution once; the bounds of an extra replace the general ones."""
    needed = {requirement.name: requirement for requirement in map(Requirement, PROJECT["project"]["dependencies"])}
    for extra in extras:
        for requirement in map(Requirement, PROJECT["project"]["optional-dependencies"][extra]):
            own = declared(*requirement.extras) if requirement.name == "recsens" else [requirement]
            needed |= {each.name: each for each in own}
    return list(needed.values())


def lower_bound(requirement: Requirement) -> Specifier:
    """Return the lowest version allowed for a distribution."""
    (bound,) = (each for each in requirement.specifier if each.operator == ">=")
    return bound


@pytest.mark.parametrize("lock", LOCKS.values(), ids=LOCKS)
def test_a_lock_has_every_hash_and_names_no_index_and_no_address(lock):
    for entry in entries(lock):
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry[:80]
    assert "://" not in lock
    assert not re.search(r"^\s*-", re.sub(r"--hash=\S+", "", lock), re.MULTILINE)
    assert " @ " not in lock


def test_every_declared_dependency_is_locked_within_its_bounds():
    versions = locked()
    for requirement in declared("dev", "slurm"):
        assert versions[canonicalize_name(requirement.name)] in requirement.specifier, requirement.name


@pytest.mark.parametrize(("lowest", "extras"), [(LOWEST_LIGHT, ()), (LOWEST, ("study",))], ids=["light", "study"])
def test_every_bound_is_the_lowest_version_that_is_tried(lowest: str, extras: tuple[str, ...]):
    bounds = {canonicalize_name(each.name): Version(lower_bound(each).version) for each in declared(*extras)}
    assert bounds == {name: Version(version) for name, version in locked(lowest).items() if name in bounds}


def test_a_plain_installation_leaves_out_what_only_studies_need():
    names = {each.name for each in declared()}
    assert not names & {"implicit", "matplotlib", "scikit-learn", "snakemake", "requests"}
    assert not any("executor" in each.name for each in declared("study"))
    assert {each.name for each in declared("dev")} >= {each.name for each in declared("study")}


def test_beside_numpy_1_only_what_moves_it_is_held_back():
    allowed = {each.name: each.specifier for each in map(Requirement, PROJECT["project"]["optional-dependencies"]["numpy1"])}
    assert all(allowed[name].contains(version) for name, version in locked(LOWEST_LIGHT).items() if name in allowed)
    assert "2.0.0" not in allowed["numpy"]


@pytest.mark.parametrize("part", sorted({*TESTED, *TESTED_LIGHT, *(name.partition("::")[0] for name in NOT_LIGHT)}))
def test_what_the_lowest_versions_are_tried_with_is_there(part: str):
    assert (REPOSITORY / "tests" / part).exists()


def test_the_workflow_asks_for_the_lowest_snakemake():
    workflow = (REPOSITORY / "workflow/Snakefile").read_text(encoding="utf-8")
    bound = lower_bound(next(each for each in declared("study") if each.name == "snakemake"))
    assert re.findall(r'^min_version\("(.+)"\)$', workflow, re.MULTILINE) == [bound.version]


def test_the_bounds_of_extras_that_run_are_locked_versions():
    for extra, lock in (("slurm", LOCK), ("generic", LOCK), ("neural", NEURAL_LOCK)):
        written = map(Requirement, PROJECT["project"]["optional-dependencies"][extra])
        for requirement in (each for each in written if each.name != "recsens"):
            (bound,) = requirement.specifier
            assert f"{locked(lock)[requirement.name]}.".startswith(f"{bound.version}."), requirement


def test_pytorch_is_locked_apart_and_for_processors_alone():
    (torch,) = (each for each in declared("neural") if each.name == "torch")
    assert locked(NEURAL_LOCK)["torch"].endswith("+cpu")
    assert locked(NEURAL_LOCK)["torch"] in torch.specifier
    assert not locked().keys() & locked(NEURAL_LOCK).keys()
    assert not any("nvidia" in name or "cuda" in name for name in locked(NEURAL_LOCK))


def test_the_generator_of_the_site_is_locked_apart_and_moves_no_other_version():
    named = {canonicalize_name(Requirement(text).name) for text in PROJECT["project"]["optional-dependencies"]["site"]}
    assert named <= locked(SITE_LOCK).keys()
    assert not named & locked().keys()
    for name in locked().keys() & locked(SITE_LOCK).keys():
        assert locked()[name] == locked(SITE_LOCK)[name], name


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
    assert held == {canonicalize_name(requirement.name) for requirement in declared("study")} | {"python"}


def test_the_conda_environment_has_a_python_that_the_project_allows():
    assert conda()["python"] in Requirement(f"python{PROJECT['project']['requires-python']}").specifier


def test_uv_trusts_the_authorities_of_the_machine_unless_told_otherwise():
    for given, expected in (({}, "1"), ({"UV_SYSTEM_CERTS": "0"}, "0")):
        own = {name: value for name, value in os.environ.items() if name != "UV_SYSTEM_CERTS"}
        command = ["make", "--silent", "--eval=seen: ; @echo $$UV_SYSTEM_CERTS", "seen"]
        done = subprocess.run(command, cwd=REPOSITORY, env=own | given, capture_output=True, text=True, check=True)
        assert done.stdout == f"{expected}\n"
