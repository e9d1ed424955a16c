"""If Snakemake is asked for a file in a study's folder that no study makes, the refusal explains why."""

from pathlib import Path

import pytest
import yaml

from recsens.errors import SpecError
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs
from workspaces import STUDY


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    (tmp_path / "tiny.yaml").write_text(yaml.safe_dump(STUDY), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return Plan("tiny.yaml")


@pytest.mark.workflow
@pytest.mark.parametrize("metric", ["Nope", "P@5"])
def test_a_metric_that_is_not_measured_is_refused_with_those_that_are(plan: Plan, metric: str):
    file = f"results/studies/tiny/measures/metric/{metric}.parquet"
    with pytest.raises(SpecError) as refused:
        planned_jobs(plan, file)
    told = str(refused.value)
    assert told.startswith(f"{file}: the study does not measure '{metric}'\n  allowed: P, nDCG; a metric's file holds all")


@pytest.mark.workflow
def test_a_figure_that_the_study_does_not_draw_is_refused_with_those_that_it_draws(plan: Plan):
    with pytest.raises(SpecError, match=r"the study has no figure 'nope'\n  allowed: .*\bview\b"):
        planned_jobs(plan, "results/studies/tiny/figures/nope.svg")
