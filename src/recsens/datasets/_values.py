"""Which values a rating and a time stamp may take, and how to say that one does not."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from recsens.interactions import Scale

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1
_SAFE_DIGITS, _MOST_DIGITS = 18, 100

TOLERANCE = 1e-3
"""How far from a value of the scale a rating may lie, in steps: 32-bit and decimal fractions are not exact."""


class InvalidValueError(ValueError):
    """A field does not hold what is declared; the text says which and why, ``allowed`` what would do.

    ``declaration`` is the one under which the field would, where it is the declaration that is likely wrong.
    """

    def __init__(self, problem: str, allowed: str, declaration: str | None = None) -> None:
        self.problem = problem
        self.allowed = allowed
        self.declaration = declaration
        super().__init__(problem)


def is_number(text: str) -> bool:
    """Whether a text is a finite decimal number."""
    return _NUMBER.fullmatch(text.strip()) is not None


def describe_scale(scale: Scale) -> str:
    """Say in words which ratings a scale holds."""
    steps = f" in steps of {scale.step:g}" if scale.step else ""
    return f"a number from {scale.lowest:g} to {scale.highest:g}{steps}"


def on_scale(ratings: NDArray[np.float64], scale: Scale) -> NDArray[np.bool_]:
    """Say of each rating whether it is a value of the scale; NaN and infinities never are."""
    with np.errstate(invalid="ignore"):
        inside = (ratings >= scale.lowest) & (ratings <= scale.highest)
        if not scale.step:
            return np.asarray(inside)
        steps = (ratings - scale.lowest) / scale.step
        return np.asarray(inside & (np.abs(steps - np.rint(steps)) <= TOLERANCE))


def snapped(ratings: NDArray[np.float64], scale: Scale) -> NDArray[np.float64]:
    """Return ratings of the scale as its exact values, to nine decimals: what single precision makes of 3.8 is 3.8 again.

    Else such a rating would fall short of a threshold of relevance that it reaches. Without steps, ratings are what they are.
    """
    if not scale.step:
        return ratings
    steps = np.rint((ratings - scale.lowest) / scale.step)
    return np.asarray(np.round(scale.lowest + steps * scale.step, 9))


def is_on_scale(value: float, scale: Scale) -> bool:
    """Say of one finite rating what `on_scale` says of many."""
    if not scale.lowest <= value <= scale.highest:
        return False
    return not scale.step or _is_multiple(value - scale.lowest, scale.step)


def read_rating(text: str, scale: Scale) -> float:
    """Read a rating and check that the scale holds it.

    Raises
    ------
    InvalidValueError
        If the rating is missing, not a finite number, or not on the scale.
    """
    text = text.strip()
    if not text:
        raise InvalidValueError("the rating is missing", describe_scale(scale))
    if not _NUMBER.fullmatch(text):
        point = ", with a decimal point" if _NUMBER.fullmatch(text.replace(",", ".")) else ""
        raise InvalidValueError(f"the rating '{text}' is not a finite number", describe_scale(scale) + point)
    value = float(text)
    if not is_on_scale(value, scale):
        raise InvalidValueError(off_scale(value, scale), describe_scale(scale), other_declaration(value, scale))
    return value


def off_scale(value: float, scale: Scale) -> str:
    """Say how a rating misses the scale."""
    if not np.isfinite(value):
        return f"the rating {value} is not a finite number"
    if scale.lowest <= value <= scale.highest:
        return f"the rating {value:g} lies between two values of the declared scale"
    return f"the rating {value:g} is outside the declared scale"


_STEPS = (0.5, 0.25, 0.2, 0.1, 0.05, 0.01)
"""Usual distances between neighbouring ratings."""


def other_declaration(value: float, scale: Scale) -> str | None:
    """Return how a scale of finer steps would be declared that holds a rating, within this scale or less than a step outside.

    None of any other rating: one that lies further outside, or a whole step, may as well say that there is none.
    """
    offset = value - scale.lowest
    is_near = scale.lowest - scale.step < value < scale.highest + scale.step
    if not scale.step or not is_near or _is_multiple(offset, scale.step):
        return None
    step = next((step for step in _STEPS if step < scale.step and _is_multiple(offset, step)), 0)
    end = f"lowest={value:g}," if value < scale.lowest else f"highest={value:g}," if value > scale.highest else ""
    return f"{end}step={step:g}"


def _is_multiple(offset: float, step: float) -> bool:
    return abs(offset / step - round(offset / step)) <= TOLERANCE


def remedy(what: str, declaration: str | None) -> str:
    """Say what to do about a line or row that does not hold what is declared.

    Where another declaration of the scale would hold it, to skip all its like would be to lose a part of the data.
    """
    if declaration is not None:
        return f"declare {declaration} if the scale has such ratings; else correct the {what}"
    return f"correct the {what} or the declaration, or leave such {what}s out and count them with invalid=skip"


def read_timestamp(text: str) -> int:
    """Read a time stamp.

    Raises
    ------
    InvalidValueError
        If it is missing or not a 64-bit integer.
    """
    if text.isdecimal() and text.isascii() and len(text) <= _SAFE_DIGITS:
        return int(text)  # the common case, without a regular expression: it is asked of every line
    text = text.strip()
    if not text:
        raise InvalidValueError("the time stamp is missing", "an integer, such as seconds since 1970")
    if not _INTEGER.fullmatch(text) or len(text) > _MOST_DIGITS or not _LOWEST <= int(text) <= _HIGHEST:
        raise InvalidValueError(f"the time stamp '{text}' is not an integer of 64 bits", "an integer, such as seconds since 1970")
    return int(text)
