"""Every benchmark runs on tiny data. This shows that it works, not how fast anything is."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import numba
import pytest

from workspaces import REPOSITORY

FOLDER = REPOSITORY / "benchmarks"
FILES = sorted(FOLDER.glob("*.py"))


def is_command(path: Path) -> bool:
    return '\nif __name__ == "__main__":\n' in path.read_text(encoding="utf-8")


def imported(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}


COMMANDS = [path.stem for path in FILES if is_command(path)]


@pytest.fixture
def all_threads() -> Iterator[None]:
    """Restore the number of threads that a benchmark changes."""
    yield
    numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.usefixtures("all_threads")
def test_every_benchmark_runs_on_a_tiny_board(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Real data are not read, even if there are any.
    monkeypatch.delenv("RECSENS_DATA", raising=False)
    monkeypatch.syspath_prepend(FOLDER)
    importlib.import_module(name).main(["--tiny"])
    assert len(capsys.readouterr().out.splitlines()) >= 2


def test_what_is_no_command_is_shared_by_commands() -> None:
    used = set().union(*(imported(FOLDER / f"{name}.py") for name in COMMANDS))
    assert {path.stem for path in FILES} - set(COMMANDS) <= used


def test_every_benchmark_is_listed_with_its_bound() -> None:
    manual = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"| `python benchmarks/{name}.py" not in manual] == []


def test_a_comparison_of_commands_tells_numbers_from_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    compared = importlib.import_module("commands").compared
    before = {"status": 0, "text": {"printed": ["A wins"]}, "json": {}, "csv": {"table": ["value", "0.5"]}}
    assert compared(before, before) == ["equal"]
    assert compared(before, {**before, "text": {"printed": ["A won"]}})[0] == "differs in text"
    assert compared(before, {**before, "csv": {"table": ["value", "0.25"]}})[-2:] == ["-0.5", "+0.25"]
    assert compared({}, before)[0] == compared(before, {**before, "status": 1})[0] == "differs in numbers"
