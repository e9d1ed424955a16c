"""The workflow elsewhere: the files for catalogue and deployment exist, and it works as a module of another Snakefile."""

import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
import yaml

from recsens.study import load_study
from recsens.workflow import steps
from recsens.workflow.job import step_of
from recsens.workflow.lock import only_writer
from workspaces import REPOSITORY, Workspace, copied

RULES = [
    name
    for file in (REPOSITORY / "workflow/rules").glob("*.smk")
    for name in re.findall(r"^use rule \w+ as (\w+) with:", file.read_text(encoding="utf-8"), re.MULTILINE)
]
MODULE = """\
configfile: "config/config.yaml"

module recsens:
    snakefile: {snakefile!r}
    config: config

use rule * from recsens as theirs_*
"""


def read(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def test_what_the_catalogue_looks_for_is_there():
    assert {"snakemake", "workflow"} <= set(re.findall(r"\w+", read("README.md").lower()))
    assert yaml.safe_load(read(".snakemake-workflow-catalog.yml"))["usage"]["report"] is True
    assert (REPOSITORY / "workflow/Snakefile").is_file()
    assert (REPOSITORY / "config/README.md").is_file()
    assert yaml.safe_load(read("config/config.yaml")).keys() == yaml.safe_load(read(".test/config/config.yaml")).keys()


def test_a_deployment_copies_the_profiles_from_the_root():
    if (REPOSITORY / "PKG-INFO").exists():
        pytest.skip("a source distribution holds no links")
    assert (REPOSITORY / "profiles").readlink() == Path("workflow/profiles")


def test_the_study_of_the_test_configuration_can_be_read():
    study = yaml.safe_load(read(".test/config/config.yaml"))["study"]
    assert load_study(REPOSITORY / f".test/config/studies/{study}.yaml").metrics


def test_continuous_integration_runs_the_check_on_every_python_supported():
    [job] = yaml.safe_load(read(".github/workflows/check.yml"))["jobs"].values()
    versions = job["strategy"]["matrix"]["python"]
    assert read("pyproject.toml").count(f'requires-python = ">={versions[0]}"') == 1
    assert versions == [f"3.{minor}" for minor in range(11, 11 + len(versions))]
    assert job["steps"][-1] == {"run": ".ci/run"}


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_known_by_its_step_whatever_stands_before_it(rule: str):
    assert step_of(rule) == step_of(f"theirs_{rule}") == rule
    assert hasattr(importlib.import_module(f"recsens.workflow.steps.{rule}"), rule)


def test_every_step_has_a_rule():
    assert {module.name for module in pkgutil.iter_modules(steps.__path__) if not module.name.startswith("_")} == set(RULES)


def test_a_rule_without_a_step_is_refused():
    with pytest.raises(LookupError, match="'mine' has no step"):
        step_of("mine")


@pytest.fixture
def deployed(workspace: Workspace, tmp_path: Path) -> Workspace:
    """Write the files of a deployment: a module, settings and a study, but no sources."""
    root = tmp_path / "deployed"
    (root / "workflow").mkdir(parents=True)
    copied(workspace.root / "config", root / "config")
    (root / "workflow/Snakefile").write_text(MODULE.format(snakefile=str(workspace.root / "workflow/Snakefile")), encoding="utf-8")
    return Workspace(root)


def snakemake(deployed: Workspace, environment: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--config", "study=tiny", *options]
    return subprocess.run(command, cwd=deployed.root, env=environment, text=True, capture_output=True, check=False)


@pytest.mark.slow
@pytest.mark.workflow
def test_a_module_computes_the_same_bytes_and_takes_part_in_the_lock(
    finished_once: Workspace, workspace: Workspace, deployed: Workspace, monkeypatch: pytest.MonkeyPatch
):
    table = "results/studies/tiny/splits.csv"
    done = snakemake(deployed, workspace.environment(), "--", table)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (deployed.root / table).read_bytes() == (finished_once.root / table).read_bytes()
    (deployed.root / table).unlink()
    monkeypatch.chdir(deployed.root)
    with only_writer(Path("results")):
        refused = snakemake(deployed, workspace.environment(), "--", table)
    assert refused.returncode != 0
    assert "another run is writing these results" in refused.stderr


@pytest.mark.workflow
def test_without_the_library_the_message_says_what_to_install(deployed: Workspace, tmp_path: Path):
    # A Python that has everything except the library, wherever it is, including build files next to other packages.
    (tmp_path / "sitecustomize.py").write_text(
        dedent("""
            import importlib.machinery
            import pkgutil
            import sys

            class WithoutRecsens(importlib.machinery.PathFinder):
                @classmethod
                def find_spec(cls, name, path=None, target=None):
                    return None if "recsens" in name else super().find_spec(name, path, target)

            sys.meta_path[:] = [WithoutRecsens if finder is importlib.machinery.PathFinder else finder for finder in sys.meta_path]
            # Snakemake lists the plug-ins that lie in Python's folders, and imports them all.
            listed = pkgutil.iter_modules
            pkgutil.iter_modules = lambda *given: (each for each in listed(*given) if "recsens" not in each.name)
        """),
        encoding="utf-8",
    )
    done = snakemake(deployed, {**os.environ, "PYTHONPATH": str(tmp_path)}, "--dry-run")
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert "the library recsens is not installed in the Python that runs Snakemake" in said
    assert "pip install path/to/checkout" in said
