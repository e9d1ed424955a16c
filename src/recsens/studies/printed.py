"""Numbers as papers print them: three decimals, no zero before the point, a true minus sign."""

from __future__ import annotations

import math

MISSING = "–"
"""Printed where there is no number."""

SPACE = "\N{NO-BREAK SPACE}"

MINUS = "\N{MINUS SIGN}"


def score(value: float) -> str:
    """Print a metric's value, a difference or a deviation.

    Three decimals; two significant digits where those would leave nothing; exactly zero is 0.

    Examples
    --------
    >>> score(0.4521), score(-0.0042), score(12.5), score(0.000421), score(0.0)
    ('.452', '−.004', '12.500', '.00042', '0')
    """
    if math.isnan(value):
        return MISSING
    size = abs(value)
    if size == 0:
        return "0"
    decimals = 3 if size >= 0.0005 else min(1 - math.floor(math.log10(size)), 9)
    text = _without_zero(f"{size:.{decimals}f}")
    return f"{MINUS}{text}" if value < 0 else text


def p_value(value: float) -> str:
    """Print a p-value on its own, as in a table.

    Examples
    --------
    >>> p_value(0.0391), p_value(2e-7), p_value(1.0)
    ('.039', '< .001', '1.000')
    """
    if math.isnan(value):
        return MISSING
    return "< .001" if value < 0.001 else _without_zero(f"{value:.3f}")


def p_claim(value: float) -> str:
    """Print a p-value in a sentence: ``p = .039``, ``p < .001``, never broken over lines."""
    if math.isnan(value):
        return f"no{SPACE}p-value"
    text = p_value(value)
    return (f"p {text}" if text.startswith("<") else f"p = {text}").replace(" ", SPACE)


def p_below(alpha: float) -> str:
    """Print a threshold in a sentence: ``p < .05``."""
    return f"p{SPACE}<{SPACE}{level(alpha)}"


def count(value: float) -> str:
    """Print a number of things, thousands apart."""
    return MISSING if math.isnan(value) else f"{round(value):,}".replace("-", MINUS)


def quantity(value: float) -> str:
    """Print a count where the value is a whole number, else a score."""
    return count(value) if not math.isnan(value) and float(value).is_integer() else score(value)


def percentage(share: float) -> str:
    """Print a share of 1 as a percentage with one decimal; 100 % only where nothing is missing."""
    if math.isnan(share):
        return MISSING
    return f"{min(100 * share, 99.9) if share < 1 else 100 * share:.1f}{SPACE}%"


def level(alpha: float) -> str:
    """Print a threshold such as .05, with the decimals it was given."""
    return _without_zero(f"{alpha:g}")


def _without_zero(text: str) -> str:
    return text.removeprefix("0") if text.startswith("0.") else text
