"""Published numbers shown beside the study's own."""

from typing import Any

from pydantic import Field

from recsens.study.written import Keys

_UNDER = "Decisions in which the printed design differs from the base design; it must be among the designs of the study."


class Published(Keys):
    """A printed value to stand beside ours."""

    dataset: str = Field(description="Label of the data set.")
    system: str = Field(description="Label of the system.")
    metric: str = Field(description="Metric with its cut-off.")
    under: dict[str, Any] = Field(default_factory=dict, description=_UNDER)
    value: float = Field(description="The value as printed.")
    source: str = Field(description="Where it is printed: table, row.")
    note: str = Field("", description="What a reader should know about a remaining difference: what was tried, and why it remains.")


class PublishedComparison(Keys):
    """A printed p-value to stand beside ours."""

    dataset: str = Field(description="Label of the data set.")
    system_a: str = Field(description="Label of a system.")
    system_b: str = Field(description="Label of the other system.")
    metric: str = Field(description="Metric with its cut-off.")
    under: dict[str, Any] = Field(default_factory=dict, description=_UNDER)
    p_value: float = Field(ge=0, le=1, description="The p-value as printed.")
    source: str = Field(description="Where it is printed: table, row.")
