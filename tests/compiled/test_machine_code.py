"""Cached machine code is used only if it comes from the present source and the installed compiler."""

import importlib
import os
import sys
from pathlib import Path

import pytest
from numba.core import caching

import recsens
from recsens import plugins
from recsens.compiled import machine_code

KERNEL = """from recsens.compiled.machine_code import njit

K = {k}


@njit()
def value():
    return K
"""


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """A folder for modules, with a numba that cannot distinguish versions of their files."""
    plugins.add_paths([tmp_path])
    monkeypatch.setattr(caching._SourceFileBackedLocatorMixin, "get_source_stamp", lambda self: "alike")
    return tmp_path


def value(folder: Path, k: int) -> tuple[int, bool]:
    """Call the kernel as a new process would; return its value, and whether cached machine code was used."""
    file = folder / "kernellab.py"
    file.write_text(KERNEL.format(k=k), encoding="utf-8")
    os.utime(file, (0, 0))
    sys.modules.pop("kernellab", None)
    importlib.invalidate_caches()
    kernel = importlib.import_module("kernellab").value
    return kernel(), bool(kernel.stats.cache_hits)


def test_machine_code_is_kept_for_the_source_that_it_was_made_from(lab):
    assert value(lab, 1) == (1, False)
    assert value(lab, 1) == (1, True)
    assert value(lab, 2) == (2, False)


def test_another_llvmlite_compiles_anew(lab, monkeypatch):
    assert value(lab, 1) == (1, False)
    monkeypatch.setattr(machine_code.llvmlite, "__version__", "0.0")
    assert value(lab, 1) == (1, False)


USER = """from partlab import SHIFT, part

from recsens.compiled.machine_code import njit


@njit()
def whole():
    return part() + SHIFT
"""


def whole(folder: Path, k: int, shift: int) -> tuple[int, bool]:
    """Call a kernel that uses a kernel and a constant of another file, as a new process would."""
    part = KERNEL.format(k=k).replace("value", "part") + f"\n\nSHIFT = {shift}\n"
    (folder / "partlab.py").write_text(part, encoding="utf-8")
    (folder / "wholelab.py").write_text(USER, encoding="utf-8")
    for name in ("partlab", "wholelab"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    kernel = importlib.import_module("wholelab").whole
    return kernel(), bool(kernel.stats.cache_hits)


def test_a_kernel_is_compiled_anew_if_a_kernel_or_a_constant_that_it_imports_changed(lab):
    assert whole(lab, 1, 10) == (11, False)
    assert whole(lab, 1, 10) == (11, True)
    assert whole(lab, 2, 10) == (12, False)
    assert whole(lab, 2, 20) == (22, False)


def length(folder: Path, module: str) -> int:
    """Call a kernel that takes a tuple, whose class lies in a module of this name, as a new process would."""
    (folder / f"{module}.py").write_text("from typing import NamedTuple\n\n\nclass Size(NamedTuple):\n    n: int\n")
    (folder / "tuplelab.py").write_text(
        "from recsens.compiled.machine_code import njit\n\n\n@njit()\ndef length(size):\n    return size.n\n"
    )
    for name in ("tuplelab", "first_place", "second_place"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    return importlib.import_module("tuplelab").length(importlib.import_module(module).Size(3))


def test_a_kernel_whose_arguments_are_of_a_class_that_moved_is_compiled_anew(lab):
    assert length(lab, "first_place") == 3
    (lab / "first_place.py").unlink()
    assert length(lab, "second_place") == 3


def share(folder: Path, fields: str) -> float:
    """Call a kernel that reads a field of a named tuple by name, as a new process would."""
    (folder / "countlab.py").write_text(f"from typing import NamedTuple\n\n\nclass Count(NamedTuple):\n{fields}")
    (folder / "sharelab.py").write_text(
        "from recsens.compiled.machine_code import njit\n\n\n@njit()\ndef share(count):\n    return count.part / count.whole\n"
    )
    for name in ("countlab", "sharelab"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    count = importlib.import_module("countlab").Count(part=1.0, whole=4.0)
    return importlib.import_module("sharelab").share(count)


def test_a_kernel_is_compiled_anew_if_fields_of_a_named_tuple_changed_places(lab):
    assert share(lab, "    part: float\n    whole: float\n") == 0.25
    assert share(lab, "    whole: float\n    part: float\n") == 0.25


@pytest.mark.parametrize("options", ["error_model='python'", "fastmath={'contract', 'reassoc'}"])
def test_a_kernel_is_compiled_anew_if_the_options_changed(lab, options):
    def hit(given: str) -> bool:
        (lab / "madelab.py").write_text(
            f"from recsens.compiled.machine_code import njit\n\n\ndef made():\n    return njit({given})\n"
        )
        (lab / "optionlab.py").write_text("from madelab import made\n\n\n@made()\ndef value():\n    return 1.0\n")
        for name in ("madelab", "optionlab"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        kernel = importlib.import_module("optionlab").value
        assert kernel() == 1.0
        return bool(kernel.stats.cache_hits)

    assert not hit("error_model='numpy'")
    assert hit("error_model='numpy'")
    assert not hit(options)
    assert hit(options)


def test_every_kernel_is_kept_in_this_way():
    root = Path(recsens.__file__).parent
    sources = {path: path.read_text(encoding="utf-8") for path in root.rglob("*.py")}
    by_numba = [path for path, text in sources.items() if "cache=True" in text or "from numba import njit" in text]
    assert by_numba == [Path(machine_code.__file__)]
