"""In an empty folder, an installed recsens does what it does in a checkout, with the same results."""

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from installation.environments import Installed, call
from workspaces import OWN_RECOMMENDER, STUDY, Workspace

PURCHASES = "customer,product,when\n" + "".join(
    f"c{user},p{(user * 7 + n * n) % 40},2024-0{1 + n % 9}-1{user % 10}T08:00:00Z\n" for user in range(30) for n in range(12)
)


@pytest.mark.slow
def test_studies_are_listed_copied_and_planned_without_a_checkout(installed: Installed, tmp_path: Path):
    assert "quickstart: Quick start" in installed.recsens("studies", folder=tmp_path)
    said = installed.recsens("plan", "quickstart", folder=tmp_path)
    assert "recsens/shipped/config/studies/quickstart.yaml" in said
    assert "20 rank" in said
    installed.recsens("copy", "quickstart", folder=tmp_path)
    assert "(quickstart.yaml)" in installed.recsens("plan", "quickstart", folder=tmp_path)
    installed.recsens("init", folder=tmp_path)
    assert "study.yaml: A first study" in installed.recsens("check", "study.yaml", folder=tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"quickstart.yaml", "study.yaml"}


@pytest.mark.slow
def test_the_same_study_gives_the_same_bytes_as_in_a_checkout_though_packages_cannot_be_written(
    installed: Installed, finished_once: Workspace, tmp_path: Path
):
    (tmp_path / "tiny.yaml").write_text(yaml.safe_dump(STUDY, sort_keys=False), encoding="utf-8")
    assert "Done. Report: results/report.html" in run_where_packages_cannot_be_written(installed, tmp_path)
    here, there = results_of(tmp_path), results_of(finished_once.root)
    assert here.keys() == there.keys()
    assert [name for name in here if here[name] != there[name]] == []
    assert "A run would do nothing" in installed.recsens("verify", "tiny", folder=tmp_path)


@pytest.mark.slow
def test_a_file_of_ones_own_and_a_recommender_beside_the_study(installed: Installed, tmp_path: Path):
    (tmp_path / "purchases.csv").write_text(PURCHASES, encoding="utf-8")
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "mine.py").write_text(OWN_RECOMMENDER, encoding="utf-8")
    installed.recsens("init", "purchases.csv", folder=tmp_path)
    study = tmp_path / "study.yaml"
    text = study.read_text(encoding="utf-8").replace("  kNN:", "  Mine: mine.Mine\n  kNN:")
    study.write_text(f"plugins: [code]\n{text}", encoding="utf-8")
    assert "Done. Report: results/report.html" in installed.recsens("run", "study.yaml", folder=tmp_path)
    assert "exports/purchases/" in installed.recsens("export", "study.yaml", folder=tmp_path)


def run_where_packages_cannot_be_written(installed: Installed, folder: Path) -> str:
    """Run the tiny study in a folder and return its output; if this process may not mount, packages are writable."""
    command = ["run", "tiny", "--cores", "2"]
    unshare = shutil.which("unshare")
    if not unshare or subprocess.run([unshare, "--mount", "true"], capture_output=True, check=False).returncode:
        return installed.recsens(*command, folder=folder)
    root = installed.root
    script = f'mount --bind {root} {root} && mount -o remount,bind,ro {root} && exec "$@"'
    program = "from recsens.cli import main; main()"
    return call(unshare, "--mount", "sh", "-c", script, "sh", installed.python, "-c", program, *command, folder=folder)


def results_of(folder: Path) -> dict[str, bytes]:
    """Read all results, except what they state about how they were made, by path."""
    found = Workspace(folder).results()
    return {name: content for name, content in found.items() if not {".statements", ".lock"} & set(Path(name).parts)}
