"""Parameters that several figures share."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

References = Annotated[
    tuple[str | int | float, ...], BeforeValidator(lambda value: value if isinstance(value, tuple) else (value,))
]
"""Numbers, labels of systems and names of analytic values, one or several."""

Y: Any = Field((), description="metrics of the study; without cut-off if x=cutoff. By default the first that ranks systems")
BY: Any = Field("system", description="what has a mark and colour each, such as system, view or metric; none for nothing")
PANEL: Any = Field("dataset", description="what has a panel each; none for one panel")
COLUMNS: Any = Field(2, description="columns of a paper that the figure spans: 84 or 174 mm")
SYSTEM: Any = Field("", description="the one system shown, where systems have no place in the figure")
ANALYSIS: Any = Field("", description="name of one of the study's analyses of metrics; by default the only one that fits")
METRICS: Any = Field(
    (), description="metrics of the analysis, without a cut-off for every one; by default all, or the deepest cut-offs of many"
)
