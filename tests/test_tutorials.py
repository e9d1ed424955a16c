"""The tutorials work: every file and every command in them, in order, starting from an empty folder."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from workspaces import REPOSITORY, Workspace

TUTORIALS = REPOSITORY / "docs/tutorials"

BLOCK = re.compile(r"^```(?P<kind>\w*)(?: (?P<file>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(name: str) -> list[re.Match[str]]:
    return list(BLOCK.finditer((TUTORIALS / name).read_text(encoding="utf-8")))


def run(commands: str, workspace: Workspace) -> str:
    """Run a block of commands, and return their output."""
    environment = workspace.environment()
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    done = subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", commands],
        cwd=workspace.root,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    assert done.returncode == 0, commands + done.stdout
    return done.stdout


NAMES = sorted(page.name for page in TUTORIALS.glob("*.md"))


@pytest.mark.parametrize("name", NAMES)
def test_every_block_of_a_tutorial_is_a_file_commands_or_what_they_print(name: str):
    found = [(block["kind"], bool(block["file"])) for block in blocks(name)]
    assert {kind for kind, names_file in found if not names_file} <= {"sh", "output", "text"}
    assert ("sh", False) in found
    assert len(found) * 2 == len(re.findall(r"^```", (TUTORIALS / name).read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.slow
@pytest.mark.workflow
@pytest.mark.parametrize("name", NAMES)
def test_a_tutorial_can_be_followed(name: str, workspace: Workspace):
    said = ""
    for block in blocks(name):
        if block["file"]:
            (workspace.root / block["file"]).write_text(block["text"], encoding="utf-8")
        elif block["kind"] == "sh":
            said = run(block["text"], workspace)
        elif block["kind"] == "output":
            for line in block["text"].splitlines():
                assert line in said
