"""A study of every combination, with a further experiment, and a real browser."""

from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import which

import pytest
from playwright.sync_api import Browser, sync_playwright

from recsens.report.results import Results
from recsens.report.verdicts.pairs import PairVerdicts, judge
from recsens.study import Study


@pytest.fixture(scope="session")
def grid(make_study: Callable[..., Study]) -> Study:
    design = {"split": "random(ratio=0.1)", "relevance": 3}
    further = {"dataset": "Beta_2", "design": design, "vary": {"relevance": [4.5], "coverage": ["reduced"]}}
    return make_study(combine="grid", experiments={"Little data": further})


@pytest.fixture(scope="session")
def grid_results(grid: Study, make_results: Callable[..., Results]) -> Results:
    return make_results(grid)


@pytest.fixture(scope="session")
def verdicts(grid: Study, grid_results: Results) -> list[PairVerdicts]:
    return [judge(part, grid_results.summary, grid_results.comparisons) for part in grid.all_experiments()]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, or that of another system; a process has one driver at a time, so a module gives it back."""
    path = which("chromium") or which("chromium-browser") or which("google-chrome")
    if path is None:
        pytest.skip("there is no Chromium")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=Path(path))
        yield opened
        opened.close()
