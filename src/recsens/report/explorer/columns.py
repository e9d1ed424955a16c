"""Columns in the form in which the page holds them: each text once, and its number where it stands."""

import math
from collections.abc import Iterable
from typing import TypedDict


class TextColumn(TypedDict):
    """A column of texts: the distinct ones in the order of their first occurrence, and for each row the number of its own."""

    values: list[str]
    codes: list[int]


def column(texts: Iterable[str]) -> TextColumn:
    """Write each text once, since a column has few different ones."""
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(text, len(numbers)) for text in texts]
    return {"values": list(numbers), "codes": codes}


def numbers(values: Iterable[float], digits: int = 4) -> list[float | None]:
    """Round numbers to so many significant digits, more than a reader sees; what is not finite becomes None."""
    return [float(f"{value:.{digits}g}") if math.isfinite(value) else None for value in values]
