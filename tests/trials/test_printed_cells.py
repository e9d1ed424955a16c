"""The cells behind printed numbers equal the results in this checkout, for studies that have been run."""

import pytest

from printed.cells import PAGES, cells
from workspaces import REPOSITORY

pytestmark = pytest.mark.trial

RESULTS = REPOSITORY / "results" / "studies"


@pytest.mark.parametrize("study", sorted({cell.study for page in PAGES for cell in cells(page)}))
def test_the_cells_of_a_study_are_those_of_its_run(study):
    if not (RESULTS / study / "report.html").is_file():
        pytest.skip(f"there are no results: make run STUDY={study}")
    quoted = [cell for page in PAGES for cell in cells(page) if cell.study == study]
    assert [cell for cell in quoted if cell.value != cell.now(RESULTS)] == []
