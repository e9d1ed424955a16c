"""Columns in the form that the page stores: each distinct text once, and for each row the index of its text."""

import math
from collections.abc import Iterable
from typing import TypedDict


class TextColumn(TypedDict):
    """A text column: the distinct texts in order of first occurrence, and for each row the index of its text."""

    values: list[str]
    codes: list[int]


def column(texts: Iterable[str]) -> TextColumn:
    """Store each distinct text once, because a column has only a few distinct texts."""
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(text, len(numbers)) for text in texts]
    return {"values": list(numbers), "codes": codes}


def numbers(values: Iterable[float], digits: int = 4) -> list[float | None]:
    """Round numbers to more significant digits than a reader sees; numbers that are not finite become None."""
    return [float(f"{value:.{digits}g}") if math.isfinite(value) else None for value in values]
