"""The files for citation managers and catalogues agree with pyproject.toml."""

import json
import re
import tomllib

import yaml

from workspaces import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
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
    assert CITATION["version"] == CODEMETA["version"] == PROJECT["version"]
    assert CITATION["license"] == CODEMETA["license"].rpartition("/")[2] == PROJECT["license"]
    assert CITATION["keywords"] == CODEMETA["keywords"] == PROJECT["keywords"]
    assert CODEMETA["description"] == PROJECT["description"]
    assert [entry["name"] for entry in (*CITATION["authors"], *CODEMETA["author"])] == [author["name"]] * 2
    assert CODEMETA["runtimePlatform"] == f"Python {PROJECT['requires-python']}"
    assert CODEMETA["referencePublication"][0]["name"] == CITATION["references"][0]["title"]
    assert CODEMETA["referencePublication"][0]["identifier"].endswith(CITATION["references"][0]["doi"])
