"""A study's reference design: the one whose outcome counts as the truth."""

from typing import Any

from pydantic import Field

from recsens.study.field_types import Keys


class ReferenceDesign(Keys):
    """The design that counts as the truth, and the metric whose values do."""

    under: dict[str, Any] = Field(
        default_factory=dict,
        description="Decisions in which it differs from the base design; it must be one of the study's designs.",
    )
    metric: str = Field(
        "",
        description="The metric, with its cut-off, whose values count as the truth; by default, each metric is judged by its own "
        "values under the reference design.",
    )
