"""The profile for Kubernetes, with a stand-in for kubectl that runs what a pod would run."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from workspaces import Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

KUBECTL = f"""\
#!{sys.executable}
import os, pathlib, subprocess, sys, yaml
folder = pathlib.Path(__file__).parent
if sys.argv[1] == "create":
    job = yaml.safe_load(sys.stdin)
    pod = job["spec"]["template"]["spec"]
    (container,), name = pod["containers"], f"recsens-{{len(list(folder.glob('*.yaml')))}}"
    (folder / f"{{name}}.yaml").write_text(yaml.safe_dump(job))
    told = {{each["name"]: each["value"] for each in container["env"]}}
    code = subprocess.run(container["command"], cwd=container["workingDir"], env=os.environ | told, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode
    (folder / f"{{name}}.ended").write_text("Failed" if code else "Complete")
    print(name)
else:
    print((folder / f"{{sys.argv[3]}}.ended").read_text())
"""


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the stand-in on the path."""
    program = tmp_path / "bin" / "kubectl"
    program.parent.mkdir()
    program.write_text(KUBECTL, encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("RECSENS_IMAGE", "registry.example.org/recsens:1")
    monkeypatch.setenv("RECSENS_VOLUME", "claim")
    monkeypatch.setenv("RECSENS_MOUNT", str(tmp_path))
    return program.parent


def test_pods_give_the_same_bytes_as_one_machine(kubectl: Path, finished: Workspace) -> None:
    local = finished.results()
    for path in finished.root.glob("results/seed-0/**/positions.parquet"):
        path.unlink()
    finished.recsens("run", "tiny", "--profile", "kubernetes", "--cores", "8")
    assert finished.differs_from(local) == {}
    # The rankings, and what depends on their costs.
    assert len(list(kubectl.glob("*.yaml"))) <= 2
    job = yaml.safe_load((kubectl / "recsens-0.yaml").read_text(encoding="utf-8"))
    pod = job["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["image"] == "registry.example.org/recsens:1"
    assert container["workingDir"] == str(finished.root)
    assert container["resources"]["requests"]["cpu"] == "2"
    assert container["resources"]["limits"]["memory"].endswith("M")
    assert pod["volumes"] == [{"name": "shared", "persistentVolumeClaim": {"claimName": "claim"}}]
    assert job["spec"]["template"]["spec"]["activeDeadlineSeconds"] >= 60


def test_a_checkout_that_pods_would_not_find_is_refused(
    kubectl: Path, finished: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECSENS_MOUNT", "/elsewhere")
    submit = finished.root / "workflow" / "profiles" / "kubernetes" / "submit"
    done = subprocess.run([submit, "1", "100", "5", "job.sh"], cwd=finished.root, text=True, capture_output=True, check=False)
    assert done.returncode != 0
    assert "is not below /elsewhere" in done.stderr
    monkeypatch.delenv("RECSENS_IMAGE")
    done = subprocess.run([submit, "1", "100", "5", "job.sh"], cwd=finished.root, text=True, capture_output=True, check=False)
    assert "set it to the image built from the Dockerfile" in done.stderr
