"""Types in words: what a parameter or key may hold, read from its JSON schema."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from docs.generate.markdown import code
from recsens.plugins.specs import Chain, Spec, format_value
from recsens.study import Decisions, Study
from recsens.study.families import Combining
from recsens.study.key_list import key_meanings

Schema = Mapping[str, Any]


_WORDS = {"null": code("null"), "boolean": f"{code('true')} or {code('false')}", "string": "text"}
"""Simple type of JSON -> its name."""


class SpecsAsText(GenerateJsonSchema):
    """A JSON schema with components written as text in its defaults."""

    def encode_default(self, dft: Any) -> Any:
        """Write a component as its text."""
        return str(dft) if isinstance(dft, Spec | Chain) else super().encode_default(dft)


# These models have the meaning of a key below it, where pydantic would have to search for it each time recsens starts.
for _model in (Decisions, Combining, Study):
    for _key, _meaning in key_meanings(_model).items():
        _model.model_fields[_key].description = _meaning
    _model.model_rebuild(force=True)


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a model."""
    return model.model_json_schema(schema_generator=SpecsAsText)


def in_words(schema: Schema) -> str:
    """Say what a schema allows: ``integer from 1 to 1000``, ``a, b or c``."""
    if "anyOf" in schema:
        parts = [[{"const": word} for word in option.get("enum", [])] or [option] for option in schema["anyOf"]]
        return _alternatives([in_words(option) for part in parts for option in part])
    if "enum" in schema or "const" in schema:
        return _alternatives([code(format_value(option)) for option in schema.get("enum", [schema.get("const")])])
    return _of_type(schema)


def _of_type(schema: Schema) -> str:
    name = schema.get("type", "mapping" if "$ref" in schema else "anything")
    if name == "array":
        return _listed(schema)
    if name == "object":
        values = schema.get("additionalProperties", {})
        return f"mapping of text to {in_words(values if isinstance(values, Mapping) else {})}"
    return f"{_WORDS.get(name, name)}{_range(schema)}"


def _listed(schema: Schema) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(in_words(item) for item in schema['prefixItems'])}]"
    return f"list of {in_words(schema.get('items', {}))}"


def _range(schema: Schema) -> str:
    low = _bound(schema, ("minimum", "from"), ("exclusiveMinimum", "above"))
    high = _bound(schema, ("maximum", "to"), ("exclusiveMaximum", "below"))
    link = "and" if low and high.startswith("below") else ""
    return "".join(f" {part}" for part in (low, link, high) if part)


def _bound(schema: Schema, *names: tuple[str, str]) -> str:
    return next((f"{word} {format_value(schema[key])}" for key, word in names if key in schema), "")


def _alternatives(options: list[str]) -> str:
    *first, last = options
    return f"{', '.join(first)} or {last}" if first else last
