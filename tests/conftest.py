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

from recsens.plugins.own import _modules
from workspaces import Workspace, copied, copy_repository, made_once

# The same examples in every run, and no failure because a machine is busy.
settings.register_profile("thorough", derandomize=True, deadline=None)
settings.register_profile("quick", settings.get_profile("thorough"), max_examples=30)
settings.load_profile("quick")

# Tests send signals to what they start, which would inherit that 'nohup', or a shell's background, has this process ignore them.
for each in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(each) is signal.SIG_IGN:
        signal.signal(each, signal.default_int_handler if each is signal.SIGINT else signal.SIG_DFL)


LEVELS = {"slow": ("--slow", "make test-all"), "trial": ("--trials", "make trials")}
"""Marker of tests that are left out -> the option that includes them, and what sets it."""

LEFT_OUT = pytest.StashKey[dict[str, int]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the slow tests too, as 'make test-all' does")
    parser.addoption(
        "--trials", action="store_true", help="run trials too, of versions, frameworks and faults, as 'make trials' does"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Draw more examples where slow tests are run, before tests are read."""
    if config.getoption("--slow"):
        settings.load_profile("thorough")


def level_of(item: pytest.Item) -> str | None:
    """Name the marker that may leave a test out; of two, trial."""
    return next((marker for marker in ("trial", "slow") if item.get_closest_marker(marker)), None)


def shares_a_run(item: pytest.Item) -> bool:
    """Whether a test looks at a run that is done once for all processes that run tests."""
    return any(name.endswith("_once") for name in item.fixturenames if name != "checkout_once")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave slow tests and trials to those who ask, and deal whole runs to the workers first: at the end one would work alone."""
    unasked = [marker for marker, (option, _) in LEVELS.items() if not config.getoption(option)]
    for_later = [item for item in items if level_of(item) in unasked]
    config.stash[LEFT_OUT] = dict(Counter(str(level_of(item)) for item in for_later))
    config.hook.pytest_deselected(items=for_later)
    left = [item for item in items if level_of(item) not in unasked]
    runs = [item for item in left if item.get_closest_marker("workflow")]
    rest = [item for item in left if item not in runs]
    # Each worker begins with an equal share of the list, cut at a stretch.
    n = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    size = -(-len(left) // n)
    items[:] = []
    for worker in range(n):
        # The first worker makes the runs that are shared, while the others have something else to do.
        items += sorted(runs[worker::n], key=lambda item: shares_a_run(item) == (worker > 0))
        share = max(size * (worker + 1) - len(items), 0)
        items += rest[:share]
        rest = rest[share:]
    items += rest


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the process that reports what a worker left out: it alone has collected."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, {})


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Keep what a worker tells; one that crashed tells nothing."""
    if told := getattr(node, "workeroutput", {}).get("left_out"):
        node.config.stash[LEFT_OUT] = told


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say at the end what was left out, and how it is run."""
    left_out = config.stash.get(LEFT_OUT, {})
    told = [f"{left_out[marker]} {marker} ('{command}')" for marker, (_, command) in LEVELS.items() if left_out.get(marker)]
    if told:
        terminalreporter.write_line(f"Not run, as these levels were not asked for: {', '.join(told)}")


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test find the plug-ins of another's folders."""
    monkeypatch.setattr(_modules, "_FOLDERS", list(_modules._FOLDERS))
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Path]:
    """Find a file of a real data set below RECSENS_DATA; the test is skipped where there is none."""

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
    """Run the tiny study once, on two cores, for all processes that run tests; not to be changed."""

    def run(root: Path) -> None:
        Workspace(copied(checkout_once, root)).recsens("run", "tiny", "--cores", "2")

    return Workspace(made_once("finished", run, tmp_path_factory))


@pytest.fixture(scope="session")
def checkout_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what a checkout holds, once for all processes that run tests; not to be changed."""
    return made_once("checkout", copy_repository, tmp_path_factory)
