"""A study's reference design; the outcome of this design counts as the truth."""

from typing import Any

from pydantic import Field

from recsens.study.field_types import Keys


class ReferenceDesign(Keys):
    """The reference design, and the metric whose values under this design count as the truth."""

    under: dict[str, Any] = Field(
        default_factory=dict,
        description="Decisions in which the reference design differs from the base design; the study must include it.",
    )
    metric: str = Field(
        "",
        description="The metric, with its cut-off, whose values count as the truth; by default, the values of each metric under "
        "the reference design are the truth for that metric.",
    )
