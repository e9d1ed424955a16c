"""Slurm, with replacements for its commands: which commands are called, and which jobs are cancelled."""

import importlib
import os
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest

from recsens.workflow import slurm
from recsens.workflow.lock import RunError
from recsens.workflow.slurm import cancel_jobs_left, options_for_slurm
from workspaces import REPOSITORY

PROFILES = REPOSITORY / "workflow" / "profiles"
ACCOUNTS = "echo 'AccountingStorageType   = accounting_storage/slurmdbd'"
NO_ACCOUNTS = "echo 'AccountingStorageType   = accounting_storage/none'"
REMEMBERS = "echo 'MinJobAge               = 300 sec'"
FORGETS = "echo 'MinJobAge               = 60 sec'"
UUID = "03b2f2d2-5ebb-4a24-ab68-47da1bbdfe68"


@pytest.fixture
def commands(tmp_path, monkeypatch):
    """Replace Slurm's commands by shell scripts, and work in a folder of results."""
    programs, work = tmp_path / "bin", tmp_path / "work"
    programs.mkdir()
    (work / "results").mkdir(parents=True)
    monkeypatch.chdir(work)
    monkeypatch.setenv("PATH", str(programs))

    def write(**scripts: str) -> None:
        for name, script in scripts.items():
            (programs / name).write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n", encoding="utf-8")
            (programs / name).chmod(0o755)

    return write


def prefix() -> str:
    _, given = options_for_slurm(PROFILES / "slurm", ["--recsens-slurm-status-command", "sacct"], Path("results"))
    return given


@pytest.mark.parametrize(
    ("accounts", "memory", "command"),
    [
        (ACCOUNTS, REMEMBERS, "squeue"),
        (ACCOUNTS, FORGETS, "sacct"),
        (NO_ACCOUNTS, REMEMBERS, "squeue"),
        (NO_ACCOUNTS, FORGETS, "squeue"),
    ],
)
def test_the_state_of_jobs_is_asked_by_the_command_that_tells_it(accounts, memory, command, commands):
    commands(scontrol=f"{accounts}; {memory}")
    options = options_for_slurm(PROFILES / "slurm", [], Path("results"))
    assert options[0] == "--recsens-slurm-jobname-prefix"
    assert options[2:] == ["--recsens-slurm-status-command", command]


@pytest.mark.parametrize("given", [["--recsens-slurm-status-command", "sacct"], ["--recsens-slurm-status-command=sacct"]])
def test_what_the_user_says_stays(given, commands):
    commands(scontrol=NO_ACCOUNTS)
    assert len(options_for_slurm(PROFILES / "slurm", given, Path("results"))) == 2
    assert options_for_slurm(PROFILES / "slurm", [*given, "--recsens-slurm-jobname-prefix=mine"], Path("results")) == []
    assert options_for_slurm(PROFILES / "slurm", ["--executor", "local"], Path("results")) == []
    assert options_for_slurm(PROFILES / "slurm", ["--executor", "slurm"], Path("results"))[0] == "--slurm-jobname-prefix"


@pytest.mark.parametrize("profile", ["default", "generic", "kubernetes"])
def test_other_profiles_need_no_slurm(profile, commands):
    assert options_for_slurm(PROFILES / profile, [], Path("results")) == []


def test_a_missing_or_silent_slurm_is_named(commands):
    with pytest.raises(RunError, match="Slurm's commands are missing"):
        options_for_slurm(PROFILES / "slurm", [], Path("results"))
    commands(scontrol="echo 'Unable to contact slurm controller' >&2; exit 1")
    with pytest.raises(RunError, match="Slurm does not answer: Unable to contact slurm controller"):
        options_for_slurm(PROFILES / "slurm", [], Path("results"))


def test_jobs_are_named_by_the_results_wherever_they_are_linked_from(commands, monkeypatch):
    first = prefix()
    Path("elsewhere").mkdir()
    Path("elsewhere/results").symlink_to(Path("results").resolve())
    monkeypatch.chdir("elsewhere")
    assert prefix() == first
    Path("other").mkdir()
    assert options_for_slurm(PROFILES / "slurm", ["--recsens-slurm-status-command=sacct"], Path("other"))[1] != first
    # Slurm's executor accepts only these characters, and at most this many.
    assert first.replace("_", "").isalnum()
    assert len(first) <= 50


def test_only_jobs_that_would_write_these_results_are_cancelled(commands, caplog):
    here, ours = os.getcwd(), prefix()  # noqa: PTH109 - as Snakemake asks for it
    listed = [
        f"1|{ours}_{UUID}|/another/checkout",
        f"2|{UUID}|{here}",
        f"3|snakejob.rank.12.sh|{here}",
        f"4|{UUID}|/another/checkout",
        f"5|recsens_0000000000000000_{UUID}|{here}",
        f"6|my analysis|{here}",
    ]
    Path("queue").write_text("\n".join(listed) + "\n", encoding="utf-8")
    commands(
        squeue=f"cat {here}/queue",
        scancel=f'echo "$@" > {here}/cancelled; grep "^[456]" {here}/queue > {here}/q; mv {here}/q {here}/queue',
    )
    cancel_jobs_left(Path("results"))
    assert Path("cancelled").read_text(encoding="utf-8").split() == ["1", "2", "3"]
    assert "cancelling 3 Slurm jobs, left behind by an earlier run" in caplog.text


def test_jobs_that_do_not_end_are_not_raced(commands, monkeypatch):
    monkeypatch.setattr(slurm, "_ENDS_IN", 0.1)
    monkeypatch.setattr(slurm, "_LOOK_EVERY", 0.01)
    commands(squeue=f"echo '7|{prefix()}_{UUID}|/x'", scancel="exit 0")
    with pytest.raises(RunError, match="Slurm jobs of an earlier run do not end: 7"):
        cancel_jobs_left(Path("results"))


def test_where_slurm_does_not_answer_only_those_who_used_it_are_stopped(commands):
    cancel_jobs_left(Path("results"))
    commands(squeue="echo 'Unable to contact slurm controller' >&2; exit 1")
    cancel_jobs_left(Path("results"))
    Path(".snakemake/slurm_logs").mkdir(parents=True)
    with pytest.raises(RunError, match="jobs of an earlier run may still be writing"):
        cancel_jobs_left(Path("results"))


def test_folders_of_logs_fit_a_file_system_and_stay_distinct():
    plugin = pytest.importorskip("snakemake_executor_plugin_slurm")
    importlib.import_module("snakemake_executor_plugin_recsens_slurm")

    def folder(*wildcards):
        return plugin.get_job_wildcards(SimpleNamespace(wildcards=wildcards))

    assert folder("0", "S", "popularity") == "0_S_popularity"
    assert folder(*["x" * 63] * 4) == "_".join(["x" * 63] * 4)  # 255 characters
    long = [folder(*["y" * 60] * 5, *ends) for ends in product("ab", repeat=3)]
    assert max(map(len, long)) <= 255
    assert len(set(long)) == 8
    assert long == [folder(*["y" * 60] * 5, *ends) for ends in product("ab", repeat=3)]
