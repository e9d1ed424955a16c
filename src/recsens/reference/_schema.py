"""The JSON schema of study files, for editors that complete and check them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import yaml

from recsens.config import Study
from recsens.reference._example import DESIGN, STUDY
from recsens.reference._types import schema_of

_ENTRIES = {
    "datasets": "A data set, such as movielens(release=1m).",
    "systems": "A recommender, such as user_knn(k=50).",
    "metrics": "A metric with its cut-offs, such as nDCG@5,10.",
    "plugins": "A folder.",
    "compare": "Two labels of systems.",
}
"""What each entry of a list or mapping is."""


def study_schema() -> str:
    """Write the schema of a study file: closed, described, with defaults and examples as one writes them."""
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
            name: {"type": "array", "minItems": 1, "description": found["description"], "items": found}
            for name, found in decisions["properties"].items()
        },
    }
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A study of recsens"}
    return json.dumps({**head, **schema}, indent=2, ensure_ascii=False) + "\n"


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
        for place in ("items", "additionalProperties"):
            if isinstance(option.get(place), dict):
                option[place]["description"] = description
