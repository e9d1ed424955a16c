"""The notebooks of the documentation run from top to bottom, and every cell that ends in a value shows something."""

import ast
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest

from workspaces import REPOSITORY, Workspace

FOLDER = REPOSITORY / "docs" / "notebooks"


def executed(path: Path) -> Iterator[tuple[str, Any]]:
    """Run the cells of a notebook in order, in one namespace; yield the source of each with the value of its last line."""
    namespace: dict[str, Any] = {"__name__": path.stem}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code":
            continue
        tree = ast.parse(cell.source)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, path.name, "exec"), namespace)  # noqa: S102 - a notebook of our own
        yield cell.source, None if last is None else eval(ast.unparse(last), namespace)  # noqa: S307


def check(path: Path) -> list[str]:
    shown = []
    for source, value in executed(path):
        if hasattr(value, "_repr_html_") and "recsens" in type(value).__module__:
            page = value._repr_html_()
            HTMLParser().feed(page)
            assert page.startswith('<div class="recsens"><style>'), source
            assert len(repr(value).splitlines()) <= 10, source
            shown.append(page)
    return shown


def test_all_notebooks_are_tested():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == {"own-data", "two-models", "sweep"}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_is_sound_and_committed_without_outputs(path: Path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert not [cell for cell in notebook.cells if cell.get("outputs") or cell.get("execution_count")]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["own-data", "two-models"])
def test_a_notebook_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert len(check(FOLDER / f"{name}.ipynb")) >= 5
    assert list(tmp_path.iterdir()) == [], "nothing is written"


@pytest.mark.slow
@pytest.mark.workflow
def test_the_notebook_of_a_sweep_runs_in_a_checkout(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(workspace.root)
    for name, value in workspace.environment().items():
        monkeypatch.setenv(name, value)
    assert len(check(FOLDER / "sweep.ipynb")) >= 3
