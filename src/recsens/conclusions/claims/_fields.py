"""Parameters that several claims share, and the numbers as claims print them."""

import math
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from recsens.tables.numbers import MISSING, estimate, p_claim, score

A: Any = Field("", description="label of a system")
B: Any = Field("", description="label of the other system")
SYSTEM: Any = Field("", description="label of a system; one that differs along ``over`` stands for all of its kind")
METRIC: Any = Field(
    "", description="a metric of the study, user_coverage, rating_coverage or Coverage@10; by default the first that ranks systems"
)
OVER: Any = Field("split.ratio", description="what the values lie along: a decision's parameter, one of systems, cutoff")

PAIRED: Any = Field(
    default=True,
    description="whether a difference is the test's, over users that count for both systems; else that of the values, by folds",
)

Number = float | int


def _as_pair(value: object) -> object:
    if not isinstance(value, tuple):
        return value
    if len(value) != 2 or not all(isinstance(each, Number) and not isinstance(each, bool) for each in value) or value[0] > value[1]:
        raise ValueError("must be two numbers, the lower first, such as [0.4,0.6]")
    return tuple(map(float, value))


Between = Annotated[tuple[float, float], BeforeValidator(_as_pair)]
"""Two numbers, the lower first."""


def with_interval(value: float, low: float, high: float, basis: str, p_value: float = math.nan) -> str:
    """Print a number and its interval, ``.007 (95 % CI .003 to .011, p = .001)``, with its basis where that is not the users."""
    if math.isnan(value):
        return MISSING
    p = "" if math.isnan(p_value) else p_claim(p_value)
    if low == high:
        return f"{score(value)} ({', '.join(filter(None, [basis, p]))})"
    size, *ends = estimate(value, low, high)
    kind, _, over = basis.partition(" over ")
    told = f"{kind if 'users' in over else basis} {ends[0]} to {ends[1]}"
    return f"{size} ({', '.join(filter(None, [told, p]))})"
