"""Messages about refused keys of a study file: the reason, and what is allowed instead."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from recsens.errors import RecsensError, nearest

_WANTED = {
    "string_type": "text; put text that YAML would read as something else in quotes, such as 2024, no or null",
    "dict_type": "keys with values, one per line: 'key: value'",
    "model_type": "keys with values, one per line: 'key: value'",
    "tuple_type": "a list, such as [a, b]",
    "list_type": "a list, such as [a, b]",
}
"""Advice on what to write in YAML, by the type of validation error."""

NO_VALUE = "has no value: give one, or leave out the key if it has a default"

KEY = "[key]"
"""Last step in the location of an error if the error is about a key instead of its value."""


def explain_error(detail: ErrorDetails, model: type[BaseModel], misplaced: Mapping[str, str] = MappingProxyType({})) -> str:
    """Explain a validation error of a model; ``misplaced`` maps keys of other models to the place where they belong."""
    key = str(detail["loc"][-1]) if detail["loc"] else ""
    cause = detail.get("ctx", {}).get("error")
    if isinstance(cause, RecsensError):
        return str(cause)
    if key == KEY:
        return f"YAML reads a label as {_as_yaml(detail['input'])}, not as text: put it in quotes"
    if detail["type"] == "extra_forbidden":
        allowed = f"{nearest(key, model.model_fields) or '.'} Allowed: {', '.join(model.model_fields)}"
        return misplaced.get(key) or f"unknown key{allowed}"
    return _expected_shape(detail) or _refusal_text(detail, model.model_fields.get(key))


def _expected_shape(detail: ErrorDetails) -> str:
    """Describe the shape that a value should have, such as a list; empty if the error is not about the shape."""
    if "compare" in detail["loc"][:-1]:
        return f"{detail['input']!r} is not a pair of labels: compare: [[A, B], [A, C]]."
    if detail["type"] == "too_short":
        return "is empty: give at least one entry"
    if detail["type"] not in _WANTED:
        return ""
    if detail["input"] is None:
        return NO_VALUE
    return f"{detail['input']!r} is not {_WANTED[detail['type']]}."


def _refusal_text(detail: ErrorDetails, field: FieldInfo | None) -> str:
    message = detail["msg"].removeprefix("Value error, ")
    if detail["type"] in {"missing", "value_error"}:
        return message
    if field and detail["type"] == "literal_error":
        allowed = list(map(str, get_args(field.annotation)))
        hint = nearest(detail["input"], allowed) if isinstance(detail["input"], str) else ""
        return f"{detail['input']!r} is not an option{hint or '.'} Allowed: {', '.join(allowed)}.{_yes_or_no_hint(detail['input'])}"
    return f"{detail['input']!r}: {message[0].lower()}{message[1:]}.{_yes_or_no_hint(detail['input'])}"


def _yes_or_no_hint(value: object) -> str:
    return " YAML reads no, off, yes and on as false and true." if isinstance(value, bool) else ""


def _as_yaml(value: object) -> str:
    """Return how YAML reads a scalar, such as ``false`` for ``no``."""
    if isinstance(value, bool):
        return f"{str(value).lower()} (no, off, yes and on are truth values in YAML)"
    return "null" if value is None else f"the {type(value).__name__} {value}"
