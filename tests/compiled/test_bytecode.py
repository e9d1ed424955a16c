"""Imported modules match the present source, even if an earlier source had the same size and time."""

import _imp
import importlib
import os
import py_compile
import shutil
import subprocess
import sys
import zipfile
from importlib.util import cache_from_source, source_hash
from pathlib import Path
from py_compile import PycInvalidationMode

import pytest

import recsens
from recsens import plugins
from recsens.compiled.bytecode import KeepingLoader, Loader, keep, load_with

CHECKED = 0b11
"""Mark of a compiled file that is compared with its source by content (PEP 552)."""


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """A folder whose modules are loaded from compiled files, as those of recsens are."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "path_hooks", list(sys.path_hooks))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    load_with(KeepingLoader, lambda folder: folder == tmp_path)
    return tmp_path


def write(folder: Path, k: int) -> Path:
    """Write a module whose size and time are always the same."""
    file = folder / "compiledlab.py"
    file.write_text(f"K = {k}\n", encoding="utf-8")
    os.utime(file, (0, 0))
    return file


def imported() -> int:
    """Import the module as a new process would."""
    sys.modules.pop("compiledlab", None)
    importlib.invalidate_caches()
    value = importlib.import_module("compiledlab").K
    assert isinstance(value, int)
    return value


def mark_of(source: Path) -> int:
    return int.from_bytes(Path(cache_from_source(source)).read_bytes()[4:8], "little")


def test_a_source_that_is_edited_and_restored_with_its_size_and_time_is_what_runs(lab):
    for k in (1, 2, 1):
        file = write(lab, k)
        assert imported() == k
        assert mark_of(file) == CHECKED


@pytest.mark.parametrize("mode", PycInvalidationMode)
def test_a_compiled_file_of_another_source_is_not_believed_whoever_wrote_it(lab, mode):
    py_compile.compile(str(write(lab, 1)), doraise=True, invalidation_mode=mode)
    file = write(lab, 2)
    assert imported() == 2
    assert mark_of(file) == CHECKED


@pytest.mark.parametrize("damage", [b"", b"\0" * 40], ids=["empty", "zeros"])
def test_a_damaged_compiled_file_is_not_believed(lab, damage):
    file = write(lab, 1)
    imported()
    Path(cache_from_source(file)).write_bytes(damage)
    assert imported() == 1


def test_a_compiled_file_of_the_same_content_is_used(lab):
    other = lab / "other.py"
    other.write_text("K = 9\n", encoding="utf-8")
    compiled = Path(py_compile.compile(str(other), doraise=True, invalidation_mode=PycInvalidationMode.CHECKED_HASH) or "")
    file = write(lab, 1)
    content = compiled.read_bytes()
    Path(cache_from_source(file)).write_bytes(content[:8] + source_hash(file.read_bytes()) + content[16:])
    assert imported() == 9


def test_compiled_files_can_be_made_ahead(lab):
    file = write(lab, 1)
    keep([file])
    assert mark_of(file) == CHECKED
    assert imported() == 1


def test_python_may_be_told_to_compare_no_content(lab, monkeypatch):
    for k in (1, 2):
        write(lab, k)
        monkeypatch.setattr(_imp, "check_hash_based_pycs", "default" if k == 1 else "never")
        assert imported() == k


def test_a_loader_remembers_the_source_that_it_loaded_though_the_file_has_changed(lab):
    write(lab, 1)
    imported()
    loader = sys.modules["compiledlab"].__loader__
    assert isinstance(loader, KeepingLoader)
    write(lab, 2)
    assert loader.get_source("compiledlab") == "K = 2\n"
    assert loader.loaded == source_hash(b"K = 1\n")


def test_every_module_of_the_library_is_told_by_its_content():
    for kind in plugins.PACKAGES:
        for name in plugins.names(kind):
            plugins.load(kind, name)
    known = {name: module for name, module in sys.modules.items() if name.startswith("recsens.")}
    others = {name for name, module in known.items() if type(module.__loader__) is not KeepingLoader}
    assert len(known) > 200
    assert others <= {"recsens.compiled", "recsens.compiled.bytecode"}
    assert "recsens.compiled.machine_code" in known


def test_a_plug_in_of_ones_own_leaves_no_compiled_file(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    plugins.add_paths([tmp_path])
    file = write(tmp_path, 3)
    assert imported() == 3
    assert type(sys.modules["compiledlab"].__loader__) is Loader
    assert list(tmp_path.iterdir()) == [file]


def test_what_python_loads_first_is_told_by_its_content_too(tmp_path):
    source = Path(recsens.__file__).parent
    root = tmp_path / "recsens"
    shutil.copytree(source / "compiled", root / "compiled", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(source / "moved.py", root)
    said = []
    for version in ("1.0.0", "2.0.0"):
        file = root / "__init__.py"
        text = (source / "__init__.py").read_text(encoding="utf-8")
        file.write_text(text.replace(f'__version__ = "{recsens.__version__}"', f'__version__ = "{version}"'), encoding="utf-8")
        os.utime(file, (0, 0))
        program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import recsens; print(recsens.__version__)"
        done = subprocess.run([sys.executable, "-I", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
        said.append(done.stdout.strip())
    assert said == ["1.0.0", "2.0.0"]


def test_the_library_can_be_imported_from_an_archive(tmp_path):
    source = Path(recsens.__file__).parent
    with zipfile.ZipFile(tmp_path / "library.zip", "w") as archive:
        for file in (source / "__init__.py", source / "moved.py", *sorted((source / "compiled").glob("*.py"))):
            archive.write(file, Path("recsens", file.relative_to(source)))
    program = f"import sys; sys.path.insert(0, {str(tmp_path / 'library.zip')!r}); import recsens; print(recsens.__file__)"
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=False)
    assert "library.zip" in done.stdout, done.stderr
