"""The part of a study on which a step depends: what changes it, and what happens if it differs from the plan."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from recsens.errors import ConfigError
from recsens.study import load_study
from recsens.study.keys_by_step import digest_for_step, load_part, part_for_step
from recsens.workflow import job_inputs
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs

STEPS = {
    "summarise",
    "count_users",
    "compare",
    "multiverse",
    "decide_winners",
    "claims",
    "score_designs",
    "costs",
    "describe_ties",
    "figure",
    "report",
}
STUDY = {
    "title": "A title",
    "datasets": {"S": "simulated(users=60,items=80,ratings=1200)"},
    "systems": {"R": "random", "P": "popularity"},
    "design": {"split": "random(ratio=0.5)"},
    "metrics": ["P@5"],
    "experiments": {"E": {"dataset": "S", "description": "Why?", "design": {"view": "condensed"}}},
}
CLAIM = {"claim": "wins(a=R,b=P)", "source": "a paper"}
PRINTED = {"dataset": "S", "metric": "P@5", "source": "a paper"}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a study file."""
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "study.yaml")


def write(path: Path, **changes: Any) -> Path:
    path.write_text(yaml.safe_dump({**STUDY, **changes}, sort_keys=False), encoding="utf-8")
    return path


def digests(path: Path) -> dict[str, str]:
    study = load_study(path)
    return {step: digest_for_step(study, step) for step in STEPS}


@pytest.mark.parametrize(
    ("changes", "steps"),
    [
        ({"title": "Another title"}, {"costs", "report"}),
        ({"description": "Why?"}, {"report"}),
        ({"says": {"P": "what most users rated"}}, {"report"}),
        ({"experiments": {"E": {**STUDY["experiments"]["E"], "description": "Why not?"}}}, {"report"}),  # type: ignore[index]
        ({"alpha": 0.01}, {"multiverse", "decide_winners", "claims", "score_designs", "figure", "report"}),
        # The scorecard gets the margin from the verdicts.
        ({"margin": 0.01}, {"decide_winners", "claims", "figure", "report"}),
        ({"published": [{**PRINTED, "system": "R", "value": 0.5}]}, {"summarise", "claims", "report"}),
        (
            {"published_comparisons": [{**PRINTED, "system_a": "R", "system_b": "P", "p_value": 0.5}]},
            {"compare", "claims", "report"},
        ),
        ({"plugins": ["."]}, set()),
        ({"figures": ["distribution"]}, {"report"}),
        ({"latex_width": 506}, {"report"}),
        ({"claims": [CLAIM]}, {"claims", "report"}),
        ({"seed": 1}, STEPS),
        ({"datasets": {"S": "simulated(users=60,items=90,ratings=1200)"}}, STEPS),
        ({"systems": {"R": "random", "Popular": "popularity"}}, STEPS),
        ({"systems": {"P": "popularity", "R": "random"}}, STEPS),
        ({"design": {"relevance": 3, "split": "random(ratio=0.5)"}}, STEPS),
        ({"vary": {"view": ["condensed"]}}, STEPS),
        ({"metrics": ["P@6"]}, STEPS),
        ({"metrics": ["nDCG(gain=exp)@5"]}, STEPS),
        ({"compare": []}, STEPS),
        ({"experiments": {}}, STEPS),
    ],
)
def test_a_key_changes_the_decisions_of_the_steps_that_depend_on_it(file: Path, changes: dict[str, Any], steps: set[str]) -> None:
    before, after = digests(file), digests(write(file, **changes))
    assert {step for step in STEPS if before[step] != after[step]} == steps


def test_the_name_of_a_data_file_is_a_matter_of_the_report_alone(file: Path) -> None:
    before, after = (digests(write(file, datasets={"S": f"delimited(path={name}.csv)"})) for name in ("ratings", "purchases"))
    assert {step for step in STEPS if before[step] != after[step]} == {"report"}


def test_another_reference_changes_the_scorecard_alone(file: Path) -> None:
    varied = {"vary": {"view": ["condensed"]}}
    before, after = (digests(write(file, **varied, reference=reference)) for reference in ({}, {"metric": "P@5"}))
    assert {step for step in STEPS if before[step] != after[step]} == {"score_designs"}


def test_neither_comments_nor_layout_are_decisions(file: Path) -> None:
    before = digests(file)
    text = yaml.safe_dump(dict(reversed(STUDY.items())), sort_keys=False, default_flow_style=False)
    file.write_text(f"# A comment.\n{text}", encoding="utf-8")
    assert digests(file) == before


def test_a_step_is_not_given_what_it_does_not_depend_on(file: Path) -> None:
    study = load_study(write(file, alpha=0.01, description="Why?"))
    part = part_for_step(study, "compare")
    assert (part.title, part.description, part.alpha, part.experiments["E"].description) == ("", "", 0.05, "")
    assert part.by_label().keys() == study.by_label().keys()
    assert part_for_step(study, "report") == study


def test_a_step_reads_the_study_that_was_planned(file: Path) -> None:
    planned = digests(file)["decide_winners"]
    assert load_part(write(file, title="Another title"), "decide_winners", planned).seed == 0
    assert load_part(write(file, seed=1), "decide_winners", None).seed == 1
    with pytest.raises(ConfigError, match="changed since the run was planned") as refused:
        load_part(file, "decide_winners", planned)
    assert str(refused.value).startswith(str(file))
    assert refused.value.remedy == "run again"


def test_every_step_that_reads_the_study_refuses_another_one_than_planned(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_inputs, "digests_of", lambda _paths: {})  # no result is there, and none would be read
    write(file, claims=[CLAIM], vary={"view": ["condensed"]}, reference={})
    reading = [job for job in planned_jobs(Plan(str(file))) if "study" in job.inputs]
    assert {job.step for job in reading} == STEPS
    write(file, seed=1)
    for job in reading:
        with pytest.raises(ConfigError, match="changed since the run was planned"):
            job.call()
