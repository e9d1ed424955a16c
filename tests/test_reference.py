"""The generated reference is complete, up to date, and agrees with what the loader accepts."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from click.testing import CliRunner
from pydantic import BaseModel

import recsens
from docs.generate.__main__ import main
from docs.generate.kinds import KINDS, kind_of
from docs.generate.manual import example
from docs.generate.map import LAYERS, packages_page
from docs.generate.markdown import from_docstring, table
from docs.generate.pages import pages
from docs.generate.types_in_words import in_words
from recsens import plugins
from recsens.errors import ConfigError
from recsens.plugins import PACKAGES
from recsens.study import Decisions, Published, PublishedComparison, Study, load_study
from workspaces import REPOSITORY

PACKAGE = Path(recsens.__file__).parent
SCHEMA = json.loads((REPOSITORY / "workflow/schemas/study.schema.json").read_text(encoding="utf-8"))
STUDIES = sorted((REPOSITORY / "config" / "studies").glob("*.yaml"))


def test_generated_files_are_what_the_code_says():
    stale = [name for name, text in pages().items() if (REPOSITORY / name).read_text(encoding="utf-8") != text]
    assert stale == [], "run 'make docs'"


def test_no_page_of_the_reference_is_left_over():
    found = {path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "docs/reference").iterdir()}
    by_hand = {"docs/reference/columns.md", "docs/reference/leaks-tested.md"}
    assert found == {name for name in pages() if name.startswith("docs/reference/")} | by_hand


def test_every_kind_has_a_page():
    assert [kind.name for kind in KINDS] == list(PACKAGES)


def test_every_plugin_stands_on_its_page_with_its_parameters():
    written, missing = pages(), []
    for kind, name in ((each, name) for each in PACKAGES for name in plugins.names(each)):
        section = written[f"docs/reference/{kind_of(kind).page}.md"].partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        fields = plugins.load(kind, name).model_fields
        missing += [] if section else [f"{kind} {name}"]
        missing += [f"{kind} {name}: {key}" for key in fields if f"| `{key}` |" not in section or not fields[key].description]
    assert missing == []


def test_the_example_has_every_key_and_loads(tmp_path: Path):
    content = yaml.safe_load(example())
    assert list(content) == list(Study.model_fields)
    assert list(content["design"]) == list(Decisions.model_fields)
    (tmp_path / "example.yaml").write_text(example(), encoding="utf-8")
    assert load_study(tmp_path / "example.yaml").design.repeats == content["design"]["repeats"]
    jsonschema.validate(content, SCHEMA)


@pytest.mark.parametrize("model", [Study, Decisions, Published, PublishedComparison])
def test_every_key_is_described_in_manual_and_schema(model: type[BaseModel]):
    described = SCHEMA if model is Study else SCHEMA["$defs"][model.__name__]
    assert described["additionalProperties"] is False
    for key, field in model.model_fields.items():
        assert field.description
        assert f"| `{key}` |" in pages()["config/README.md"]
        assert described["properties"][key]["description"] == field.description


def test_the_schema_accepts_every_study_of_the_checkout():
    accepts = jsonschema.Draft202012Validator(SCHEMA).is_valid
    assert [path.stem for path in STUDIES if not accepts(yaml.safe_load(path.read_text(encoding="utf-8")))] == []


@pytest.mark.parametrize(
    "change",
    [
        {"system": {}},
        {"design": {"splits": "random"}},
        {"design": {"repeats": 0}},
        {"design": {"view": "half"}},
        {"vary": {"splits": ["random"]}},
        {"vary": {"split": []}},
        {"datasets": {}},
        {"metrics": "P@10"},
        {"alpha": 1},
    ],
)
def test_the_schema_refuses_what_the_loader_refuses(tmp_path: Path, change):
    content = {**yaml.safe_load(example()), **change}
    (tmp_path / "wrong.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content, SCHEMA)
    with pytest.raises(ConfigError):
        load_study(tmp_path / "wrong.yaml")


def test_defaults_are_written_as_one_writes_them():
    decisions = SCHEMA["$defs"]["Decisions"]["properties"]
    assert {key: decisions[key]["default"] for key in ("filter", "split", "relevance", "ties")} == {
        "filter": "none",
        "split": "random",
        "relevance": None,
        "ties": "random",
    }


def test_check_names_the_stale_file_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pages()  # They read the checkout's README, which the folder below lacks, and are then remembered.
    monkeypatch.chdir(tmp_path)
    assert "no checkout" in CliRunner().invoke(main, ["--check"]).output
    (tmp_path / "Snakefile").touch()
    checked = CliRunner().invoke(main, ["--check"])
    assert checked.exit_code == 1
    assert "config/README.md is out of date" in checked.output
    assert not (tmp_path / "config").exists()
    assert CliRunner().invoke(main, []).exit_code == 0
    assert CliRunner().invoke(main, ["--check"]).exit_code == 0
    assert "`cli`" in (tmp_path / "docs/reference/packages.md").read_text(encoding="utf-8")
    (tmp_path / "config/README.md").write_text("edited by hand", encoding="utf-8")
    assert "config/README.md is out of date" in CliRunner().invoke(main, ["--check"]).output
    assert CliRunner().invoke(main, []).exit_code == 0
    edited = (tmp_path / "docs/reference/packages.md").read_text(encoding="utf-8").replace("`cli`", "`command line`")
    (tmp_path / "docs/reference/packages.md").write_text(edited, encoding="utf-8")
    assert "docs/reference/packages.md is out of date" in CliRunner().invoke(main, ["--check"]).output


def test_the_map_has_a_line_for_every_package_and_loose_module():
    lines = [line.strip() for line in packages_page().splitlines()]
    assert sum(line.startswith("**Layer") for line in lines) == len(LAYERS)
    for package in (path.parent for path in PACKAGE.rglob("__init__.py") if path.parent != PACKAGE):
        assert any(line.startswith(f"- `{package.name}/`: ") for line in lines), package
    for module in PACKAGE.glob("[!_]*.py"):
        assert any(line.startswith(f"- `{module.stem}`: ") for line in lines), module
    assert not [line for line in lines if line.startswith("- ") and line.endswith(":")], "a package without a docstring"


def test_the_map_runs_from_the_command_line_down_to_the_errors():
    text = packages_page()
    assert text.index("- `cli`") < text.index("- `report/`") < text.index("- `metrics/`") < text.index("- `errors`")


def test_docstrings_become_markdown():
    docstring = """Say *much* of ``x < y`` and `z` <b>.

    =====  ====
    name   n
    =====  ====
    a | b  1
    =====  ====

        ``s = x_u y_i``
    """
    assert from_docstring(docstring) == (
        "Say \\*much\\* of `x < y` and `z` \\<b>.\n\n| name | n |\n| --- | --- |\n| a \\| b | 1 |\n\n```text\ns = x_u y_i\n```"
    )


def test_a_bar_does_not_break_a_table():
    assert table(["a"], [["1|2"]]) == "| a |\n| --- |\n| 1\\|2 |"


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 9}, "integer from 1 to 9"),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, "number above 0 and below 1"),
        ({"type": "number", "exclusiveMaximum": 1}, "number below 1"),
        ({"type": "number", "minimum": 0}, "number from 0"),
        ({"type": "boolean"}, "`true` or `false`"),
        ({"enum": ["a", "b", "c"]}, "`a`, `b` or `c`"),
        ({"const": "a"}, "`a`"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "text or `null`"),
        ({"type": "array", "items": {"type": "integer"}}, "list of integer"),
        ({"type": "array", "prefixItems": [{"type": "string"}, {"type": "string"}]}, "[text, text]"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "mapping of text to number"),
        ({}, "anything"),
    ],
)
def test_types_are_told_in_words(schema, words):
    assert in_words(schema) == words
