"""A study run from Python has the same results as from the command line, as frames."""

import pandas as pd
import pytest

import recsens
from workspaces import Workspace

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


def test_a_study_is_run_and_read_from_python(finished: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in finished.environment().items():
        monkeypatch.setenv(name, value)
    before = finished.results()
    (finished.root / "results/studies/tiny/summary.csv").unlink()
    study = recsens.run("tiny", cores=1, checkout=finished.root)
    assert finished.differs_from(before) == {}
    written = pd.read_csv(finished.root / "results/studies/tiny/summary.csv")
    assert study.summary["value"].tolist() == written["value"].tolist()
    assert set(study.verdicts["verdict"]) <= {"Popularity", "kNN", "undecided"}
    assert study.verdicts["p_value"].between(0, 1).all()
    assert study.counted["averaged"].gt(0).all()
    assert study.overlap["cutoff"].gt(0).all()
    assert recsens.results("tiny", checkout=finished.root).comparisons.equals(study.comparisons)
