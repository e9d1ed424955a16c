"""If files of numba's cache are damaged, the kernel is compiled again, and its files are rewritten."""

import errno
import fcntl
import importlib.util
import itertools
import logging
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from recsens.compiled import machine_code

KERNEL = """
from recsens.recommenders._kernels import compiled


@compiled()
def double(x):
    return 2 * x
"""

DAMAGES = {
    "emptied": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
}

numbers = itertools.count()


def imported(folder: Path) -> ModuleType:
    """Import the kernel as a new process would."""
    spec = importlib.util.spec_from_file_location(f"kernel_{next(numbers)}", folder / "kernel.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def hits(folder: Path) -> int:
    """Call the kernel; return how often its machine code was loaded instead of compiled."""
    kernel = imported(folder).double
    assert kernel(3) == 6
    return sum(kernel.stats.cache_hits.values())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("kernels")
    (made / "kernel.py").write_text(KERNEL)
    assert hits(made) == 0
    assert hits(made) == 1
    return made


def test_a_process_says_once_that_it_compiles_and_nothing_if_machine_code_is_there(tmp_path, caplog):
    (tmp_path / "kernel.py").write_text(KERNEL)
    with caplog.at_level(logging.INFO):
        for expected in (["a minute or two"], []):
            machine_code.log_compiling.cache_clear()
            caplog.clear()
            kernel = imported(tmp_path).double
            kernel(3)
            kernel(3.0)  # a second signature
            assert len(caplog.messages) == len(expected)
            assert all(part in said for part, said in zip(expected, caplog.messages, strict=True))


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_damaged_file_of_the_cache_is_compiled_and_written_again(folder: Path, ending: str, damage: str):
    [file] = folder.rglob(f"*.{ending}")
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    assert hits(folder) == 0
    assert hits(folder) == 1


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_missing_file_of_the_cache_is_compiled_and_written_again(folder: Path, ending: str):
    [file] = folder.rglob(f"*.{ending}")
    file.unlink()
    assert hits(folder) == 0
    assert hits(folder) == 1


def test_of_two_processes_one_compiles_and_the_other_loads(tmp_path: Path):
    (tmp_path / "kernel.py").write_text(KERNEL)
    program = "import kernel; kernel.double(3); print(sum(kernel.double.stats.cache_hits.values()))"
    started = [subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert sorted(process.communicate()[0] for process in started) == ["0\n", "1\n"]
    assert list(tmp_path.rglob("*.lock")) == []


def test_where_no_file_can_be_locked_a_kernel_is_compiled_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    (tmp_path / "kernel.py").write_text(KERNEL)
    monkeypatch.setattr(fcntl, "flock", refuse)
    assert hits(tmp_path) == 0
    assert hits(tmp_path) == 1
