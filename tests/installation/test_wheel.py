"""A wheel contains the library and all files that a run needs; a source distribution builds the same wheel."""

import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from installation.environments import build, call
from workspaces import REPOSITORY

SOURCES = REPOSITORY / "src"
SHIPPED = ("config/config.yaml", "config/studies", "environment.yml", "workflow")


def files_below(path: Path) -> list[Path]:
    found = [path] if path.is_file() else path.rglob("*")
    return [file for file in found if file.is_file() and "__pycache__" not in file.parts]


def held(wheel: Path) -> dict[str, zipfile.ZipInfo]:
    """Return the content of a wheel by file name, without its metadata."""
    with zipfile.ZipFile(wheel) as opened:
        return {entry.filename: entry for entry in opened.infolist() if ".dist-info/" not in entry.filename}


def test_a_wheel_holds_every_source_and_what_a_run_needs_and_nothing_else(wheel: Path):
    library = {path.relative_to(SOURCES).as_posix() for path in files_below(SOURCES)}
    shipped = {
        f"recsens/shipped/{path.relative_to(REPOSITORY).as_posix()}" for name in SHIPPED for path in files_below(REPOSITORY / name)
    }
    assert set(held(wheel)) == library | shipped
    assert {"recsens/py.typed", "recsens/report/html/report.css", "recsens/report/html/sections_in_order.html.jinja"} <= library
    assert "recsens/shipped/workflow/Snakefile" in shipped


def test_programs_of_profiles_stay_programs(wheel: Path):
    programs = {
        path.relative_to(REPOSITORY).as_posix() for path in files_below(REPOSITORY / "workflow") if path.stat().st_mode & 0o100
    }
    assert programs
    marked = {name.removeprefix("recsens/shipped/") for name, entry in held(wheel).items() if entry.external_attr >> 16 & 0o100}
    assert marked == programs


def test_a_wheel_says_who_may_use_it_and_what_it_needs(wheel: Path):
    with zipfile.ZipFile(wheel) as opened:
        metadata = next(opened.read(name).decode() for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        assert any(name.endswith("/licenses/LICENSE") for name in opened.namelist())
    assert "License-Expression: MIT" in metadata
    assert "Requires-Python: >=3.11" in metadata


def test_a_source_distribution_builds_the_same_wheel(wheel: Path, tmp_path: Path):
    archive = build("sdist", tmp_path / "sdist")
    shutil.unpack_archive(archive, tmp_path, filter="data")
    (sources,) = tmp_path.glob("recsens-*")
    assert build("wheel", tmp_path / "wheel", sources).read_bytes() == wheel.read_bytes()
    assert {"tests", "docs", "Makefile", "requirements.lock"} <= {path.name for path in sources.iterdir()}


@pytest.mark.slow
def test_an_unpacked_wheel_is_imported_without_the_checkout(wheel: Path, tmp_path: Path):
    shutil.unpack_archive(wheel, tmp_path, "zip")
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
    call(sys.executable, "-I", "-c", program, folder=tmp_path)
