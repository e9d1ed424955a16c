"""Where studies are found by name, what comes with the library, and what relative paths in a study refer to."""

from pathlib import Path

import pytest
import yaml

import recsens
from recsens.errors import ConfigError
from recsens.study import find_study, load_study
from recsens.study.location import config_file, is_checkout, shipped_studies, snakefile, workflow_root
from recsens.workflow.plan import Plan
from workspaces import REPOSITORY, STUDY

OURS = {REPOSITORY, Path(recsens.__file__).with_name("shipped")}
"""The workflow of a checkout, whose library is installed as editable, and that of an installed wheel."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RECSENS_DATA", raising=False)
    return tmp_path


def write(path: str, **changes: object) -> Path:
    """Write a study, and make its folder."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(yaml.safe_dump({**STUDY, **changes}), encoding="utf-8")
    return Path(path)


def test_outside_a_checkout_the_workflow_is_that_of_the_library():
    assert not is_checkout()
    assert workflow_root() in OURS
    assert snakefile().is_file()
    assert config_file().is_file()


def test_in_a_checkout_the_workflow_is_its_own(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(REPOSITORY)
    assert is_checkout()
    assert workflow_root() == Path()


def test_the_workflow_of_another_project_is_not_taken_for_ours():
    Path("workflow").mkdir()
    Path("workflow/Snakefile").write_text("rule all:\n", encoding="utf-8")
    assert workflow_root() in OURS


def test_a_study_is_found_by_name_or_path():
    assert find_study("elsewhere/my-study.yaml") == Path("elsewhere/my-study.yaml")
    assert find_study("quickstart") == shipped_studies()["quickstart"]
    assert find_study(str(write("quickstart.yaml"))) == find_study("quickstart") == Path("quickstart.yaml")
    written = write("config/studies/quickstart.yaml")
    assert find_study("quickstart") == written


def test_an_unknown_study_is_answered_with_the_nearest_and_with_all():
    write("mine.yaml")
    Path("environment.yaml").write_text("name: recsens\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"no study 'quikstart'; did you mean 'quickstart'\?") as refused:
        find_study("quikstart")
    assert {"mine", "quickstart", "the path of a .yaml file"} <= set(str(refused.value).partition("allowed: ")[2].split(", "))
    assert "environment" not in str(refused.value)


def test_relative_paths_of_a_study_start_beside_it_then_here_then_at_the_folder_of_data(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    data = folder / "data of all"
    monkeypatch.setenv("RECSENS_DATA", str(data))
    study = write(
        "lab/study.yaml",
        datasets={"Mine": 'delimited(path=mine.csv,separator=",")'},
        design={"split": "predefined(path=folds.csv)"},
        vary={},
    )
    for place in (data, folder, folder / "lab"):
        place.mkdir(exist_ok=True)
        (place / "mine.csv").write_text("u,i,4\nv,i,3\nu,j,1\n", encoding="utf-8")
        (place / "folds.csv").write_text("user,item,role\nu,i,train\nv,i,train\nu,j,test\n", encoding="utf-8")
        plan = Plan(str(study))
        (ranking,) = {ranking.design.split for ranking in plan.rankings.values()}
        assert plan.sources["Mine"].files[0].resolve() == place / "mine.csv"
        assert str(ranking.get("path")).startswith("lab/") == (place.name == "lab")


def test_scores_of_folds_and_plug_ins_may_lie_beside_a_study():
    for file in ("lab/runs/mine-repeat-0.csv", "lab/folds.csv", "lab/code/beside_the_study.py"):
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).touch()
    study = load_study(
        write(
            "lab/study.yaml",
            plugins=["code"],
            systems={"Mine": 'from_file(path="runs/mine-{fold}.csv")'},
            design={"split": "validated(of=predefined(path=folds.csv))"},
            vary={},
        )
    )
    assert study.systems["Mine"].get("path") == "lab/runs/mine-{fold}.csv"
    assert study.design.split.get("of").get("path") == "lab/folds.csv"


def test_a_file_of_ratings_and_a_misspelt_path_are_told_apart():
    Path("shop.csv").write_text("user,item\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"'recsens init \"shop.csv\"' writes a study of it"):
        find_study("shop.csv")
    Path("study.yaml").write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"did you mean 'study.yaml'\?"):
        load_study(find_study("sutdy.yaml"))
