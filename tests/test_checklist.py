"""Each row of the checklist names commands, studies, figures and plug-ins that exist, and a reason where it does not simply run."""

from collections import Counter
from functools import cache

import pytest

from docs.generate.checklist import STATES, rows
from recsens import plugins
from recsens.cli import main
from recsens.plugins import PACKAGES
from recsens.study import load_study
from workspaces import REPOSITORY

ROWS = rows()


@cache
def loaded(name: str):
    return load_study(REPOSITORY / f"config/studies/{name}.yaml")


def study_of(row: dict[str, str]):
    command, _, study = row["command"].partition(" ")
    return loaded(study) if command == "run" and study else None


@cache
def drawn(name: str):
    return loaded(name).all_figures()


def test_every_row_is_there_once():
    assert len(ROWS) == 232
    assert [key for key, n in Counter((row["paper"], row["place"], row["what"]) for row in ROWS).items() if n > 1] == []
    assert {row["state"] for row in ROWS} <= set(STATES)


def test_no_row_is_silent_about_what_it_lacks():
    silent = [
        row["what"] for row in ROWS if row["state"] in {"in part", "missing", "cannot be had", "not held"} and not row["reason"]
    ]
    assert silent == []
    assert [row["what"] for row in ROWS if not (row["reason"] or row["command"] or row["shows"])] == []
    assert [row["what"] for row in ROWS if row["state"] == "stand-in" and not study_of(row)] == []


@pytest.mark.parametrize("command", sorted({row["command"] for row in ROWS if row["command"]}))
def test_every_command_and_study_exists(command):
    name, _, study = command.partition(" ")
    assert name in main.commands
    assert not study or (REPOSITORY / f"config/studies/{study}.yaml").is_file()


def test_every_plugin_and_figure_exists():
    wrong = []
    for row in ROWS:
        study = study_of(row)
        for shown in row["shows"].split():
            kind, _, name = shown.partition(":")
            if kind == "shows":
                found = study is not None and name in drawn(row["command"].partition(" ")[2])
            else:
                found = kind in PACKAGES and name in plugins.names(kind)
            wrong += [] if found else [f"{row['what']}: {shown}"]
    assert wrong == []


def test_a_claim_of_a_row_is_one_of_its_study():
    wrong = []
    for row in ROWS:
        claims = [shown.partition(":")[2] for shown in row["shows"].split() if shown.startswith("claim:")]
        study = study_of(row) if claims else None
        made = {entry.claim.name for _, entry in study.all_claims} if study else set()
        wrong += [f"{row['what']}: {name}" for name in claims if name not in made]
    assert wrong == []


def test_what_held_was_claimed():
    assert [row["what"] for row in ROWS if row["state"] == "held" and "claim:" not in row["shows"]] == []
