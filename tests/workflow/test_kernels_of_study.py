"""The kernels that a study needs are compiled once, before its first run, unless set-up has compiled all."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from recsens.study import Study
from recsens.workflow import run
from recsens.workflow.run import MARKS_OF_MAKE, compile_ahead
from workspaces import REPOSITORY, STUDY


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[set[str]]]:
    """Return a function that compiles ahead for studies, in an empty folder, and returns the plug-ins named in each call."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(run, "folder_of_machine_code", lambda: tmp_path / "kept")
    (tmp_path / "kept").mkdir()

    def compile_for(*changes: dict[str, object], code: int = 0) -> list[set[str]]:
        calls: list[set[str]] = []

        def call(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
            calls.append(set(command[3:]))
            return subprocess.CompletedProcess(command, code)

        monkeypatch.setattr(subprocess, "run", call)
        for change in changes:
            compile_ahead(Study.model_validate({**STUDY, **change}))
        return calls

    return compile_for


def test_kernels_are_compiled_once_and_only_those_of_plug_ins_that_a_study_names(compiled):
    within = {"systems": {"Tuned": "tuned(of=ease,search=grid(regularization=[1,2]))", "Pop": "popularity"}}
    first, second = compiled({}, {}, within)
    assert first == {"popularity", "user_knn", "P", "nDCG"}
    assert second == {"tuned", "ease", "random"}


def test_sampled_target_items_have_kernels_of_their_own(compiled):
    assert compiled({"vary": {"targets": ["ar(n=20)"]}}) == [{"popularity", "user_knn", "P", "nDCG", "ar"}]


def test_what_could_not_be_compiled_is_tried_again(compiled):
    assert len(compiled({}, {}, code=1)) == 2


def test_in_a_checkout_they_are_compiled_if_make_has_installed_and_not_compiled(compiled, tmp_path, monkeypatch):
    installed, ready = MARKS_OF_MAKE
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    assert f"INSTALLED := $(VENV)/{installed}\nREADY := $(VENV)/{ready}\n" in makefile
    monkeypatch.chdir(REPOSITORY)
    assert compiled({}) == []
    (tmp_path / installed).touch()
    assert len(compiled({})) == 1
    (tmp_path / ready).touch()
    assert compiled({}) == []
