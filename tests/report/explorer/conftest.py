"""A study of every combination, with a further experiment."""

from collections.abc import Callable

import pytest

from recsens.conclusions.verdicts.pairs import PairVerdicts, experiment_verdicts
from recsens.conclusions.verdicts.study_tables import Results
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
    return experiment_verdicts(grid, grid_results.verdicts)
