"""Why a key was refused, in words that name what is allowed."""

from __future__ import annotations

from typing import get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from recsens.errors import RecsensError, nearest

_WANTED = {
    "string_type": "text; put quotes round what YAML would take for something else, such as 2024, no or null",
    "dict_type": "keys with values, one a line",
    "model_type": "keys with values, one a line",
    "tuple_type": "a list, such as [a, b]",
    "list_type": "a list, such as [a, b]",
}
"""Type of validation error -> what is wanted, in the words of YAML."""

KEY = "[key]"
"""Last step of the place of an error that is about a key, not about its value."""


def reason(detail: ErrorDetails, model: type[BaseModel]) -> str:
    """Explain one validation error of a model."""
    key = str(detail["loc"][-1]) if detail["loc"] else ""
    cause = detail.get("ctx", {}).get("error")
    if isinstance(cause, RecsensError):
        return str(cause)
    if key == KEY:
        return f"YAML reads a label as {_as_yaml(detail['input'])}, not as text: put it in quotes"
    if detail["type"] == "extra_forbidden":
        return f"unknown key{nearest(key, model.model_fields) or '.'} Allowed: {', '.join(model.model_fields)}"
    return _shape(detail) or _message(detail, model.model_fields.get(key))


def _shape(detail: ErrorDetails) -> str:
    """Say what YAML should hold where it holds something of another shape; empty for any other error."""
    if detail["type"] == "too_short":
        return "is empty: give at least one"
    if detail["type"] not in _WANTED:
        return ""
    if detail["input"] is None:
        return "has no value: give one, or leave out a key that has a default"
    return f"{detail['input']!r} is not {_WANTED[detail['type']]}."


def _message(detail: ErrorDetails, field: FieldInfo | None) -> str:
    message = detail["msg"].removeprefix("Value error, ")
    if detail["type"] in {"missing", "value_error"}:
        return message
    allowed = f" Allowed: {', '.join(map(str, get_args(field.annotation)))}." if field and detail["type"] == "literal_error" else ""
    return f"{detail['input']!r}: {message[0].lower()}{message[1:]}.{allowed}"


def _as_yaml(value: object) -> str:
    """Name what YAML made of a scalar: ``false`` of ``no``."""
    if isinstance(value, bool):
        return f"{str(value).lower()} (as it does no, off, yes and on)"
    return "null" if value is None else f"the {type(value).__name__} {value}"
