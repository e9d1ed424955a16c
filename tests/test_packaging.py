"""A built wheel is whole: what is installed from it works without the checkout."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from workspaces import REPOSITORY

SOURCES = REPOSITORY / "src"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = folder.glob("*.whl")
    return found


def test_a_wheel_holds_every_source_and_nothing_else(wheel: Path):
    expected = {
        path.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as opened:
        held = {name for name in opened.namelist() if ".dist-info/" not in name}
    assert held == expected
    assert {"recsens/py.typed", "recsens/report/html/report.css", "recsens/report/html/sections_in_order.html.jinja"} <= held


def test_a_wheel_says_who_may_use_it_and_what_it_needs(wheel: Path):
    with zipfile.ZipFile(wheel) as opened:
        metadata = next(opened.read(name).decode() for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        assert any(name.endswith("/licenses/LICENSE") for name in opened.namelist())
    assert "License-Expression: MIT" in metadata
    assert "Requires-Python: >=3.11" in metadata


@pytest.mark.slow
def test_an_unpacked_wheel_is_imported_without_the_checkout(wheel: Path, tmp_path: Path):
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(tmp_path)
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import recsens.cli, recsens.report.page_content\n"
        "from recsens import plugins\n"
        "for kind in plugins.PACKAGES:\n"
        "    for name in plugins.names(kind):\n"
        "        plugins.load(kind, name)\n"
        "wrong = [m.__file__ for n, m in sys.modules.items() if n.startswith('recsens') and "
        f"not m.__file__.startswith({str(tmp_path)!r})]\n"
        "sys.exit(str(wrong) if wrong else 0)\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", program], cwd=tmp_path, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
