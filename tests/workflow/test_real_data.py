"""A study of published ratings with all their columns, from the raw files to a report."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from in_process import call, compute
from workspaces import Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


@pytest.mark.parametrize("release", ["100k", pytest.param("latest-small", marks=pytest.mark.trial)])
def test_a_study_of_movielens_runs_and_all_of_it_is_sound(
    workspace: Workspace, real_data: Callable[[str], Path], release: str
) -> None:
    real_data({"100k": "ml-100k/u.data", "latest-small": "ml-latest-small/ratings.csv"}[release])
    workspace.write_study("real", datasets={"MovieLens": f"movielens(release={release})"}, metrics=["P@5", "CatalogCoverage@5"])
    compute(workspace.root, "real")
    # The rest depends on Snakemake alone: the costs of a run's jobs.
    assert re.fullmatch(
        r"\d+ results: \d+ sound, 2 missing\n(  missing: \S+/costs\.\w+: .*\n){2}A run would start these jobs: costs \(1\)\n",
        call(workspace.root, "verify", "real").stdout,
    )
