"""Discounts for cumulative gain: how much each position counts."""

import re
from collections.abc import Callable
from typing import Annotated

import numpy as np
from pydantic import AfterValidator

from recsens.arrays import Floats, Ints

_JK = re.compile(r"jk([2-9]|[1-9][0-9]{1,5})")


def _check(text: str) -> str:
    if text != "log2" and not _JK.fullmatch(text):
        raise ValueError("must be log2, or jk with an integer base of at least 2, such as jk2")
    return text


Discount = Annotated[str, AfterValidator(_check)]
"""log2: 1 / log2(k + 1) at position k. jk2, jk10, ...: the discount of Järvelin & Kekäläinen (2002) with base b, which is 1 for k <
b, and 1 / log_b(k) for k >= b."""

DISCOUNT_MEANING = "1 / log2(k + 1) at position k (log2); 1 for k < b, else 1 / log_b(k) (jk with the base b, such as jk2)"
"""Meaning of the parameter ``discount`` of a metric, in one line."""


def discount_at(discount: Discount) -> Callable[[Ints], Floats]:
    """Return the discount as a function of the position, which is at least 1."""
    if discount == "log2":
        return lambda position: np.asarray(1.0 / np.log2(position + 1.0))
    base = int(discount.removeprefix("jk"))
    return lambda position: np.asarray(np.log(base) / np.log(np.maximum(position, base)))


def rbp_weight(phi: float) -> Callable[[Ints], Floats]:
    """Return the weight (1 - φ) φ^(k-1) as a function of the position k."""
    return lambda position: (1 - phi) * np.power(phi, position - 1.0)
