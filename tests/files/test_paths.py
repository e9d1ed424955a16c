"""Paths that a user wrote: which of them can be passed to Snakemake, and how."""

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from snakemake.cli import parse_config
from snakemake.io import contains_wildcard

from recsens.cli import main
from recsens.data.datasets import locate
from recsens.errors import ConfigError, DataError
from recsens.files.paths import ENVIRONMENT, check_path, is_file, is_folder, located
from recsens.plugins import build
from recsens.workflow.plan import Plan
from recsens.workflow.study_setting import as_setting, from_setting

STUDY = {
    "title": "A study",
    "datasets": {"Tiny": "simulated(users=60,items=200,ratings=2000)"},
    "systems": {"Popularity": "popularity"},
    "metrics": ["P@5"],
}


@pytest.mark.parametrize(
    "part", ["a{", "}b", "{}", "{ }", "{#}", "a}{b", "{x} {", "{x}", "{ x }", "{x,[0-9]+}", "{x.y}", "{0}", "{é}"]
)
def test_a_path_is_refused_where_snakemake_would_see_a_wildcard(part: str):
    path = Path(part) / "file.csv"
    if contains_wildcard(path):
        with pytest.raises(ConfigError, match="which Snakemake reads as a wildcard"):
            check_path(path)
    else:
        check_path(path)


@given(st.text("{}, x0.é#:/+", max_size=12))
def test_no_path_that_is_let_through_holds_a_wildcard(path: str):
    try:
        check_path(path)
    except ConfigError:
        return
    assert not contains_wildcard(path)


@pytest.mark.parametrize("place", ["{x}/study.yaml", "data/{x}/ratings.csv", "{x}/predefined.csv"])
def test_a_study_with_such_a_path_is_refused_before_anything_runs(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    path = Path(place)
    path.parent.mkdir(parents=True)
    study = dict(STUDY)
    if path.name == "ratings.csv":
        path.write_text("u,i,4\nv,i,3\n", encoding="utf-8")
        study["datasets"] = {"Tiny": f'delimited(path="{place}",separator=",")'}
    if path.name == "predefined.csv":
        path.write_text("user,item,fold\nu001,i001,0\nu001,i002,1\n", encoding="utf-8")
        study["design"] = {"split": f'predefined(path="{place}")'}
    written = path if path.name == "study.yaml" else Path("study.yaml")
    written.write_text(yaml.safe_dump(study), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"contains '\{x\}', which Snakemake reads as a wildcard"):
        _ = Plan(str(written)).rankings


def test_a_checkout_in_a_folder_with_braces_is_refused_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "a {"
    folder.mkdir()
    (folder / "Snakefile").touch()
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(main, ["run"])
    assert done.exit_code == 1
    assert f"{folder}: the path of this folder contains a brace" in done.output


@pytest.mark.parametrize("path", ["s.yaml", "a: b/s.yaml", "a #b/s.yaml", "'a'/s.yaml", "- a/s.yaml", "!a/s.yaml", "&a/s.yaml"])
def test_snakemake_hands_on_the_study_that_it_is_given(path: str):
    assert from_setting(parse_config([f"study={as_setting(path)}"])["study"]) == path


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).map(lambda text: f"{text}.yaml"))
def test_snakemake_hands_on_any_path(path: str):
    assert from_setting(parse_config([f"study={as_setting(path)}"])["study"]) == path


def test_what_no_system_looks_up_is_neither_file_nor_folder():
    assert not is_file("a" * 300)
    assert not is_folder("a" * 300)


def test_a_relative_path_leads_below_the_folder_of_local_copies_where_nothing_else_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    work, copies = tmp_path / "work", tmp_path / "copies"
    monkeypatch.chdir(tmp_path)
    for folder in (work / "data/set", copies / "set"):
        folder.mkdir(parents=True)
    monkeypatch.chdir(work)
    monkeypatch.setenv(ENVIRONMENT, str(copies))
    (copies / "set/a.csv").touch()
    assert located("data/set/a.csv") == located("set/a.csv") == copies / "set/a.csv"
    (work / "data/set/a.csv").touch()
    assert located("data/set/a.csv") == Path("data/set/a.csv")
    with pytest.raises(DataError) as refused:
        located("data/set/b.csv", "path")
    assert refused.value.problem == f"there is no file 'data/set/b.csv' or '{copies}/set/b.csv'"
    monkeypatch.delenv(ENVIRONMENT)
    with pytest.raises(DataError, match=r"there is no file 'set/a\.csv'\n"):
        located("set/a.csv")


@pytest.mark.parametrize("component", ["split revealed", "split predefined", "targets listed", "dataset delimited"])
def test_files_of_every_component_are_looked_for_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, component: str):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path / "copies"))
    (tmp_path / "copies/set").mkdir(parents=True)
    (tmp_path / "copies/set/a.csv").touch()
    kind, name = component.split()
    built = build(kind, f'{name}(path="data/set/a.csv")')
    found = locate(built) if kind == "dataset" else built.own_files()
    assert list(found) == [tmp_path / "copies/set/a.csv"]


@pytest.mark.parametrize("component", ["split revealed", "split predefined", "targets listed"])
def test_a_missing_file_is_named_with_its_component(component: str):
    kind, name = component.split()
    with pytest.raises(DataError, match=f"^{kind} '{name}': path: there is no file 'nowhere.csv'"):
        build(kind, f'{name}(path="nowhere.csv")').own_files()
