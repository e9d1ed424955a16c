"""Plug-ins' parameters in words: a line that describes them, and errors about them."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from pydantic_core import ErrorDetails

from recsens.errors import SpecError
from recsens.plugins.specs import Spec, format_value

PluginClass: TypeAlias = Any
"""A class derived from `recsens.plugins.Plugin`, which imports this module."""


def describe(cls: PluginClass) -> str:
    """Describe a plug-in's parameters in one line, with types, bounds and defaults."""
    properties = cls.model_json_schema().get("properties", {})
    if not properties:
        return "no parameters"
    choices = cls.choices()
    return ", ".join(
        f"{name} {_bounds_text({'enum': choices[name]} if name in choices else schema)}" for name, schema in properties.items()
    )


def _bounds_text(schema: dict[str, Any]) -> str:
    default = f", default {format_value(schema['default'])}" if isinstance(schema.get("default"), int | float | str) else ""
    if "enum" in schema:
        return f"({'|'.join(map(str, schema['enum']))}{default})"
    signs = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
    allowed = []
    for option in schema.get("anyOf", [schema]):
        limits = [f"{sign} {option[key]}" for key, sign in signs.items() if key in option]
        allowed.append(" ".join([str(option.get("type", option.get("const", "any"))), *limits]))
    return f"({' or '.join(allowed)}{default})"


def parameter_error(cls: PluginClass, spec: Spec, details: Sequence[ErrorDetails]) -> SpecError:
    """Return the error about a component; if only a component within it is at fault, that component's error, with the way to it."""
    causes = [cause for detail in details if (cause := _nested_error(detail)) is not None]
    name = str(details[0]["loc"][0]) if details[0]["loc"] else ""
    if len(details) == len(causes) == 1 and name in cls.component_kinds():
        return causes[0].within(f"{spec.name}({name}=...)")
    first = causes[0] if causes else SpecError("")
    return SpecError(
        "; ".join(_explain_detail(cls, detail) for detail in details),
        where=f"{cls.kind} '{spec}'",
        allowed=first.allowed or describe(cls),
        remedy=first.remedy,
    )


def _nested_error(detail: ErrorDetails) -> SpecError | None:
    cause = detail.get("ctx", {}).get("error")
    return cause if isinstance(cause, SpecError) else None


def _explain_detail(cls: PluginClass, detail: ErrorDetails) -> str:
    name = str(detail["loc"][0]) if detail["loc"] else ""
    if detail["type"] == "extra_forbidden":
        return f"unknown parameter '{name}'{cls.meant_by(name)}"
    schema = cls.model_json_schema().get("properties", {}).get(name, {})
    takes_several = any(option.get("type") == "array" for option in schema.get("anyOf", [schema]))
    if isinstance(detail["input"], tuple) and not takes_several:
        return f"{name} = {format_value(detail['input'])}: only one value is allowed; {cls.each_apart(name, detail['input'])}"
    cause = _nested_error(detail)
    message = detail["msg"].removeprefix("Value error, ") if cause is None else cause.head
    message = "must be true or false" if detail["type"] == "bool_type" else message[0].lower() + message[1:]
    given = str(detail["input"]) if isinstance(detail["input"], Spec) else repr(detail["input"])
    return f"{name} = {given}: {message}" if name else message
