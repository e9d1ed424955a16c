"""Parameters that several figures share."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from recsens.specs import Spec


def _as_text(value: object) -> object:
    """Write a metric with parameters as text: without a cut-off, the grammar reads it as a component."""
    return str(value) if isinstance(value, Spec) else value


def _as_texts(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_as_text, value))
    return (str(value),) if isinstance(value, str | Spec) else value


Name = Annotated[str, BeforeValidator(_as_text)]
"""One name; a metric may have parameters."""

Names = Annotated[tuple[str, ...], BeforeValidator(_as_texts, json_schema_input_type=str | tuple[str, ...])]
"""One name or a list of several."""

References = Annotated[
    tuple[str | int | float, ...], BeforeValidator(lambda value: value if isinstance(value, tuple) else (value,))
]
"""Numbers, labels of systems and names of analytic values, one or several."""

Y: Any = Field((), description="metrics of the study; without cut-off if x=cutoff. By default the first that ranks systems")
BY: Any = Field("system", description="what has a mark and colour each, such as system, view or metric; none for nothing")
PANEL: Any = Field("dataset", description="what has a panel each; none for one panel")
COLUMNS: Any = Field(2, description="columns of a paper that the figure spans: 84 or 174 mm")
SYSTEM: Any = Field("", description="the one system shown, where systems have no place in the figure")
