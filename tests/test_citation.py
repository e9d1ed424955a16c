"""The files for citation managers and catalogues agree with pyproject.toml."""

import json
import re
import tomllib

import jinja2
import yaml
from packaging.requirements import Requirement

import recsens
from workspaces import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
ZENODO = json.loads((REPOSITORY / ".zenodo.json").read_text(encoding="utf-8"))
RECIPE = yaml.safe_load(jinja2.Template((REPOSITORY / "docs/conda/meta.yaml").read_text(encoding="utf-8")).render())
CODEMETA = json.loads((REPOSITORY / "codemeta.json").read_text(encoding="utf-8"))


def test_the_citation_has_what_the_format_requires():
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["type"] == "software"
    for entry in (CITATION, *CITATION["references"]):
        assert {"title", "authors"} <= entry.keys()
        assert all({"name"} == author.keys() or {"family-names", "given-names"} == author.keys() for author in entry["authors"])
    assert all(re.fullmatch(r"10\.\d{4,}/\S+", reference["doi"]) for reference in CITATION["references"])


def test_the_metadata_are_in_the_vocabulary_of_codemeta():
    assert CODEMETA["@context"] == "https://w3id.org/codemeta/3.0"
    assert CODEMETA["@type"] == "SoftwareSourceCode"


def test_all_say_the_same():
    [author] = PROJECT["authors"]
    assert CITATION["title"] == CODEMETA["name"] == PROJECT["name"]
    assert CITATION["version"] == CODEMETA["version"] == ZENODO["version"] == PROJECT["version"] == recsens.__version__
    assert CITATION["license"] == CODEMETA["license"].rpartition("/")[2] == PROJECT["license"]
    assert ZENODO["title"] == PROJECT["name"]
    assert ZENODO["license"] == PROJECT["license"]
    assert ZENODO["description"] == PROJECT["description"]
    assert ZENODO["related_identifiers"][0]["identifier"] == CITATION["references"][0]["doi"]
    assert CITATION["keywords"] == ZENODO["keywords"] == CODEMETA["keywords"] == PROJECT["keywords"]
    assert CODEMETA["description"] == PROJECT["description"]
    assert [entry["name"] for entry in (*CITATION["authors"], *CODEMETA["author"], *ZENODO["creators"])] == [author["name"]] * 3
    assert CODEMETA["runtimePlatform"] == f"Python {PROJECT['requires-python']}"
    assert CODEMETA["referencePublication"][0]["name"] == CITATION["references"][0]["title"]
    assert CODEMETA["referencePublication"][0]["identifier"].endswith(CITATION["references"][0]["doi"])


def test_the_conda_recipe_has_the_version_and_the_bounds():
    assert RECIPE["package"] == {"name": PROJECT["name"], "version": PROJECT["version"]}
    study = PROJECT["optional-dependencies"]["study"]
    needed = {each.name: each.specifier for each in map(Requirement, [*PROJECT["dependencies"], *study])}
    stated = [Requirement(each.replace("matplotlib-base", "matplotlib")) for each in RECIPE["requirements"]["run"]]
    assert {each.name: each.specifier for each in stated if each.name != "python"} == needed


def test_pages_name_the_image_of_this_version():
    for page in ("docs/clusters.md", "workflow/profiles/kubernetes/config.yaml"):
        said = re.findall(r"RECSENS_IMAGE=recsens:([\d.]+)", (REPOSITORY / page).read_text(encoding="utf-8"))
        assert set(said) == {PROJECT["version"]}


def test_a_problem_is_told_with_the_page_of_doctor_and_workflows_are_yaml():
    github = REPOSITORY / ".github"
    forms = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in github.rglob("*.yml")}
    asked = {each.get("id"): each for each in forms["problem"]["body"]}
    assert "recsens doctor" in asked["doctor"]["attributes"]["label"]
    assert asked["doctor"]["validations"]["required"]
    assert forms["release"]["jobs"]["attest"]["needs"] == "test"
