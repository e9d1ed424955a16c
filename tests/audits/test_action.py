"""``action.yml``: its own command, in the shell that runs it, on a repository with sets and runs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

ACTION = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
OPTIONS = "-m nDCG@5\n--base users=with_ratings --base relevance=4 --base test=t --base convention=recsens --no-page"


def checked(repository: Path, require: str) -> subprocess.CompletedProcess[str]:
    """Run the step that audits, with the variables that it declares."""
    [step] = [each for each in STEPS if each.get("id") == "audit"]
    given = {"folder": "results", "require": require, "options": OPTIONS, "to": ACTION["inputs"]["to"]["default"]}
    inputs = {name: given[value.removeprefix("${{ inputs.").removesuffix(" }}")] for name, value in step["env"].items()}
    # The command as pip installs it, whatever the folder of this Python.
    command = repository / "recsens"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "from recsens.cli import main; main()" "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    found = {
        **os.environ,
        **inputs,
        "PATH": f"{repository}:{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(repository / "summary.md"),
    }
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(shell, cwd=repository, env=found, capture_output=True, text=True, check=False)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Train and test sets of 60 users and 40 items, and the lists of two systems."""
    rng = np.random.default_rng(7)
    taste, role = rng.normal(size=2400), rng.random(2400)
    rating = np.clip(np.round(3.5 + 1.5 * taste), 1, 5).astype(int)
    pairs = pd.DataFrame(
        {"user": np.repeat(np.arange(60), 40), "item": np.tile(np.arange(40), 60), "rating": rating, "taste": taste}
    )
    (tmp_path / "results").mkdir()
    pairs[role < 0.5].drop(columns="taste").to_csv(tmp_path / "results/train.csv", index=False)
    pairs[role >= 0.5].drop(columns="taste").to_csv(tmp_path / "results/test.csv", index=False)
    for name, noise in (("mine", 0.5), ("baseline", 3.0)):
        write_run(tmp_path, name, pairs[role >= 0.5], noise)
    return tmp_path


def write_run(repository: Path, name: str, pairs: pd.DataFrame, noise: float) -> None:
    rng = np.random.default_rng(len(name))
    lists = pairs.assign(score=pairs["taste"] + noise * rng.normal(size=len(pairs)))
    lists[["user", "item", "score"]].to_csv(repository / f"results/{name}.csv", index=False)


@pytest.mark.slow
def test_a_pull_request_passes_and_fails_after_a_run_is_worsened(repository: Path):
    passed = checked(repository, "mine beats baseline in 90 %\n")
    assert passed.returncode == 0, passed.stderr
    summary = (repository / "summary.md").read_text(encoding="utf-8")
    assert "### Which wins hold" in summary
    assert "- ✅ required: mine beats baseline in 90 %: yes, in " in summary
    badge = json.loads((repository / "recsens-audit/badge.json").read_text(encoding="utf-8"))
    assert (badge["schemaVersion"], badge["label"], badge["color"]) == (1, "mine beats baseline", "brightgreen")

    run = pd.read_csv(repository / "results/mine.csv")
    run.assign(score=-run["score"]).to_csv(repository / "results/mine.csv", index=False)
    failed = checked(repository, "mine beats baseline in 90 %\nbaseline beats mine in 50 %\n")
    assert failed.returncode == 1
    assert "required: mine beats baseline in 90 %: no, in 0 of " in failed.stdout
    added = (repository / "summary.md").read_text(encoding="utf-8").removeprefix(summary)
    assert "- ❌ required: mine beats baseline in 90 %: no, in 0 of " in added
    assert "- ✅ required: baseline beats mine in 50 %: yes" in added
    badge = json.loads((repository / "recsens-audit/badge.json").read_text(encoding="utf-8"))
    assert (badge["label"], badge["message"], badge["color"]) == ("required wins", "1 of 2 hold", "red")


def test_an_audit_that_cannot_be_made_fails_with_its_message(repository: Path):
    failed = checked(repository, "mine beats nobody\n")
    assert failed.returncode == 1
    assert "no run is called 'nobody'" in failed.stderr
    assert not (repository / "summary.md").exists()


def test_a_check_without_a_condition_fails(repository: Path):
    failed = checked(repository, " \n\n")
    assert failed.returncode == 1
    assert "'require' has no condition" in failed.stdout
    assert not (repository / "recsens-audit").exists()


def test_every_input_is_described_and_used() -> None:
    used = json.dumps(STEPS)
    for name, declared in ACTION["inputs"].items():
        assert declared["description"]
        assert f"inputs.{name} " in used
    assert ACTION["runs"]["using"] == "composite"
