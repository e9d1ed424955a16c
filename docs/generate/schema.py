"""The JSON schema of study files, for editors that complete and check them."""

import json
from collections.abc import Iterable
from typing import Any

import yaml

from docs.generate.example import DESIGN, STUDY
from docs.generate.types_in_words import schema_of
from recsens.study import FurtherExperiment, Study

_ENTRIES = {
    "datasets": "A data set, such as movielens(release=1m).",
    "systems": "A recommender, such as user_knn(k=50).",
    "says": "What the system is, in words.",
    "metrics": "A metric with its cut-offs, such as nDCG@5,10.",
    "plugins": "A folder.",
    "compare": "Two labels of systems.",
}
"""Descriptions of the entries of lists and mappings."""

_DECISIONS = "#/$defs/Decisions/properties"
_WIDTH = 132


def study_schema() -> str:
    """Write the schema of a study file: closed, described, with defaults and examples as written in YAML."""
    schema = schema_of(Study)
    decisions = schema["$defs"]["Decisions"]
    _drop_titles([schema, *schema["$defs"].values()])
    _exemplify(schema["properties"], STUDY)
    _exemplify(decisions["properties"], DESIGN)
    for key, description in _ENTRIES.items():
        _describe_entries(schema["properties"][key], description)
    schema["properties"]["vary"] = {
        **{name: value for name, value in schema["properties"]["vary"].items() if name != "additionalProperties"},
        "additionalProperties": False,
        "properties": {
            name: {"description": option["description"], "type": "array", "minItems": 1, "items": {"$ref": f"{_DECISIONS}/{name}"}}
            for name, option in decisions["properties"].items()
        },
    }
    # Baselines are systems too.
    schema["required"].remove("systems")
    schema["anyOf"] = [{"required": [key]} for key in ("systems", "baselines")]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A study of recsens"}
    text = _in_lines({**head, **schema}) + "\n"
    # The definition has the name that users know: an entry of 'experiments' is an experiment.
    return text.replace(FurtherExperiment.__name__, "Experiment")


def _drop_titles(models: Iterable[dict[str, Any]]) -> None:
    """Remove titles: pydantic's only repeat the keys."""
    for model in models:
        model.pop("title", None)
        for field in model["properties"].values():
            field.pop("title", None)


def _exemplify(properties: dict[str, Any], examples: dict[str, str]) -> None:
    for key, text in examples.items():
        properties[key]["examples"] = [yaml.safe_load(text)[key]]


def _describe_entries(field: dict[str, Any], description: str) -> None:
    for option in field.get("anyOf", [field]):
        for keyword in ("items", "additionalProperties"):
            if isinstance(option.get(keyword), dict):
                option[keyword]["description"] = description


def _in_lines(value: Any, before: int = 0, indent: str = "") -> str:
    """Write JSON on one line if it fits after the text ``before`` it; else one line for each entry, or for some words."""
    text = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or before + len(text) < _WIDTH:
        return text
    inner = indent + "  "
    entries = (
        [(f"{json.dumps(key)}: ", each) for key, each in value.items()]
        if isinstance(value, dict)
        else [("", each) for each in value]
    )
    lines: list[str] = []
    may_join = False
    for head, each in entries:
        line = f"{inner}{head}{_in_lines(each, len(inner + head), inner)}"
        is_plain = not isinstance(each, dict)
        if may_join and is_plain and len(lines[-1]) + len(line.lstrip()) < _WIDTH - 2:
            lines[-1] += f", {line.lstrip()}"
        else:
            lines.append(line)
        may_join = is_plain and "\n" not in line
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return "\n".join([opening, ",\n".join(lines), indent + closing])
