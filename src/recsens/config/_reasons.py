"""Why a key was refused, in words that name what is allowed."""

from __future__ import annotations

from typing import get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from recsens.errors import RecsensError, nearest


def reason(detail: ErrorDetails, model: type[BaseModel]) -> str:
    """Explain one validation error of a model."""
    key = str(detail["loc"][-1]) if detail["loc"] else ""
    if detail["type"] == "extra_forbidden":
        return f"unknown key{nearest(key, model.model_fields) or '.'} Allowed: {', '.join(model.model_fields)}"
    cause = detail.get("ctx", {}).get("error")
    if isinstance(cause, RecsensError):
        return str(cause)
    message = detail["msg"].removeprefix("Value error, ")
    if detail["type"] in {"missing", "value_error"}:
        return message
    field = model.model_fields.get(key)
    allowed = f" Allowed: {', '.join(map(str, get_args(field.annotation)))}." if field and detail["type"] == "literal_error" else ""
    return f"{detail['input']!r}: {message[0].lower()}{message[1:]}.{allowed}"
