"""Fixtures that every test may use."""

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from approved import approved
from recsens.plugins.own import _modules
from workspaces import Workspace, copied, copy_repository, made_once

__all__ = ["approved"]

# The same examples in every run, and no failure because a machine is busy.
settings.register_profile("thorough", derandomize=True, deadline=None)
settings.register_profile("quick", settings.get_profile("thorough"), max_examples=30)
settings.load_profile("quick")

# Tests send signals to their child processes. These must not inherit ignored signals from 'nohup' or a background shell.
for each in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(each) is signal.SIG_IGN:
        signal.signal(each, signal.default_int_handler if each is signal.SIGINT else signal.SIG_DFL)


LEVELS = {"slow": ("--slow", "make test-all"), "trial": ("--trials", "make trials")}
"""Marker of tests that are skipped by default -> the option that includes them, and the command that sets it."""

LEFT_OUT = pytest.StashKey[dict[str, int]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the slow tests too, as 'make test-all' does")
    parser.addoption("--approve", action="store_true", help="write what the tests find into the approved texts")
    parser.addoption(
        "--trials", action="store_true", help="run trials too, of versions, frameworks and faults, as 'make trials' does"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Draw more examples if slow tests are run; this happens before tests are collected."""
    if config.getoption("--slow"):
        settings.load_profile("thorough")


def level_of(item: pytest.Item) -> str | None:
    """Return the marker that may skip a test; if it has both, return trial."""
    return next((marker for marker in ("trial", "slow") if item.get_closest_marker(marker)), None)


def shares_a_run(item: pytest.Item) -> bool:
    """Whether a test uses a run that is made once for all test processes."""
    return any(name.endswith("_once") for name in item.fixturenames if name != "checkout_once")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip slow tests and trials by default, and start whole runs first, so that no worker is left alone with one at the end."""
    unasked = [marker for marker, (option, _) in LEVELS.items() if not config.getoption(option)]
    for_later = [item for item in items if level_of(item) in unasked]
    config.stash[LEFT_OUT] = dict(Counter(str(level_of(item)) for item in for_later))
    config.hook.pytest_deselected(items=for_later)
    left = [item for item in items if level_of(item) not in unasked]
    runs = [item for item in left if item.get_closest_marker("workflow")]
    rest = [item for item in left if item not in runs]
    # Each worker begins with an equal and contiguous part of the list.
    n = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    size = -(-len(left) // n)
    items[:] = []
    for worker in range(n):
        # The first worker makes the shared runs while the others run other tests.
        items += sorted(runs[worker::n], key=lambda item: shares_a_run(item) == (worker > 0))
        share = max(size * (worker + 1) - len(items), 0)
        items += rest[:share]
        rest = rest[share:]
    items += rest


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the reporting process which tests a worker skipped, because only workers collect tests."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, {})


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Store what a worker reports; a worker that crashed reports nothing."""
    if told := getattr(node, "workeroutput", {}).get("left_out"):
        node.config.stash[LEFT_OUT] = told


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say at the end which tests were skipped, and how to run them."""
    left_out = config.stash.get(LEFT_OUT, {})
    told = [f"{left_out[marker]} {marker} ('{command}')" for marker, (_, command) in LEVELS.items() if left_out.get(marker)]
    if told:
        terminalreporter.write_line(f"Not run, as these levels were not asked for: {', '.join(told)}")


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prevent tests from finding plug-ins in the folders of other tests."""
    monkeypatch.setattr(_modules, "_FOLDERS", list(_modules._FOLDERS))
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Path]:
    """Find a file of a real data set below RECSENS_DATA; skip the test if there is none."""

    def find(name: str) -> Path:
        root = os.environ.get("RECSENS_DATA")
        if not root:
            pytest.skip("RECSENS_DATA is not set")
        path = Path(root).resolve() / name
        if not path.exists():
            pytest.skip(f"no {name} below RECSENS_DATA")
        return path

    return find


@pytest.fixture
def workspace(checkout_once: Path, tmp_path: Path) -> Workspace:
    """Copy the checkout, with compiled kernels and a tiny study: a test may edit sources and kill runs."""
    return Workspace(copied(checkout_once, tmp_path / "checkout"))


@pytest.fixture
def finished(finished_once: Workspace, tmp_path: Path) -> Workspace:
    """Copy a checkout in which the tiny study has been run."""
    return Workspace(copied(finished_once.root, tmp_path / "finished"))


@pytest.fixture(scope="session")
def finished_once(checkout_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Run the tiny study once, on two cores, for all test processes; tests must not change the results."""

    def run(root: Path) -> None:
        Workspace(copied(checkout_once, root)).recsens("run", "tiny", "--cores", "2")

    return Workspace(made_once("finished", run, tmp_path_factory))


@pytest.fixture(scope="session")
def checkout_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the checkout once for all test processes; tests must not change the copy."""
    return made_once("checkout", copy_repository, tmp_path_factory)
