"""Numbers as papers print them: as many decimals as the spread supports, no zero before the point, and a true minus sign."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

MISSING = "–"
"""The text that is printed if there is no number."""

SPACE = "\N{NO-BREAK SPACE}"

MINUS = "\N{MINUS SIGN}"


_DECIMALS = 3
"""Number of decimals of a number below 1 whose precision is unknown."""

_MOST_DECIMALS = 9


_ENOUGH = 4
"""With at least this many values, a spread is known well enough to show two of its digits."""


def score(value: float, spread: float = math.nan, n_values: float = math.inf) -> str:
    """Print a metric's value, a difference or a deviation; exactly zero is 0.

    Parameters
    ----------
    value
        The number.
    spread
        The uncertainty of the number: its standard deviation, or half its confidence interval. Decimals are shown down to the
        second significant digit of the spread. If the spread is NaN (unknown) or zero, the number has three decimals, or more if
        three significant digits need them.
    n_values
        Number of values from which the spread was computed. If there are fewer than 4 values, the spread is too uncertain to add
        decimals: the number then has at most three significant digits, but at least three decimals, and enough decimals to show one
        digit of the spread.

    Examples
    --------
    >>> score(0.4521), score(-0.0042), score(12.5), score(0.000421), score(0.0)
    ('.452', '−.00420', '12.500', '.000421', '0')
    >>> score(0.005012, 0.000088), score(0.4521, 0.012), score(12.518, 1.3)
    ('.005012', '.452', '12.5')
    >>> score(0.045906, 0.000083), score(0.045906, 0.000083, 2)
    ('.045906', '.04591')
    """
    return fixed(value, _decimals(value, spread, n_values))


def deviation_of(value: float, deviation: float, spread: float, n_values: float = math.inf) -> str:
    """Print a value's deviation from another value, with as many decimals as the first value has."""
    return fixed(deviation, _decimals(value, spread, n_values))


def spread_of(value: float, spread: float, n_values: float = math.inf) -> str:
    """Print the spread of a value, with as many decimals as the value has.

    Examples
    --------
    >>> score(0.416, 0.003), spread_of(0.416, 0.003)
    ('.4160', '.0030')
    """
    return fixed(spread, _decimals(value, spread, n_values))


def plus_minus(value: float, spread: float, n_values: float = math.inf) -> str:
    """Print the spread for the text after a value, such as ``± .0030``; empty if the spread is unknown."""
    return "" if math.isnan(spread) else f"±{SPACE}{spread_of(value, spread, n_values)}"


def estimate(value: float, low: float, high: float) -> tuple[str, str, str]:
    """Print a value and the ends of its interval with the same decimals, which follow from half the interval's width.

    Examples
    --------
    >>> estimate(0.0003, 0.0001, 0.0005)
    ('.00030', '.00010', '.00050')
    """
    decimals = _decimals(value, (high - low) / 2)
    return fixed(value, decimals), fixed(low, decimals), fixed(high, decimals)


def common_decimals(values: Iterable[float], spreads: Iterable[float]) -> int:
    """Choose the decimals for numbers of the same kind in one column of a paper.

    There are as many decimals as are needed to show the first digit of the typical (median) spread, for example three for .002. If
    no spread is known, there are three decimals, or as many as are needed to show three digits of the largest number. If the
    largest number is below 1, there are always at least three decimals.

    Examples
    --------
    >>> common_decimals([0.4521, 0.4473], [0.002, 0.0024]), common_decimals([0.4521], [0.03]), common_decimals([12.518], [1.3])
    (3, 3, 1)
    >>> common_decimals([0.00421, 0.00033], [0.0003, 0.0002]), common_decimals([0.00421, 0.00033], [])
    (4, 5)
    """
    finite = [abs(value) for value in values if math.isfinite(value)]
    largest = max(finite, default=0.0)
    typical = [spread for spread in spreads if 10**-_MOST_DECIMALS <= spread < math.inf]
    if not typical:
        return max(_DECIMALS if largest < 1 else 0, _n_decimals(largest, 3))
    return max(_n_decimals(median(typical), 1), min(_DECIMALS, _n_decimals(max(largest, 0.1), 3)))


def shared_decimals(values: Iterable[float], spreads: Iterable[float] = ()) -> int:
    """Choose the decimals for values that a reader compares with each other.

    There are as many as the largest value has by itself, and more if values that differ would otherwise print alike, or a value
    like zero, although one of them has more decimals by itself, or beside one of the ``spreads`` of their differences.

    Examples
    --------
    >>> shared_decimals([0.4521, 0.4473]), shared_decimals([0.4521, 0.4519]), shared_decimals([0.4521, 0.4519], [0.0004])
    (3, 3, 4)
    >>> shared_decimals([0.4521, 0.00042]), shared_decimals([12.518, 0.4])
    (4, 3)
    """
    finite = {value for value in values if math.isfinite(value)}
    known = [math.nan, *spreads]
    least = _decimals(max(finite, key=abs, default=math.nan), math.nan)
    most = max((_decimals(value, spread) for value in finite for spread in known), default=least)
    apart = [len({round(value, n) for value in (*finite, 0.0)}) for n in range(least, most + 1)]
    return least + apart.index(apart[-1])


def _decimals(value: float, spread: float, n_values: float = math.inf) -> int:
    """Choose the number of decimals for a value and its spread."""
    if math.isnan(value):
        return _DECIMALS
    if not 10**-_MOST_DECIMALS <= spread < math.inf:
        return max(_DECIMALS, _n_decimals(value, 3))
    # Even if the spread is wide, show three digits of the value: an interval that starts at .005 is above zero, but .00 would hide
    # this.
    supported = max(_n_decimals(spread, 2), min(_DECIMALS, _n_decimals(max(abs(value), 0.1), 3)))
    if n_values >= _ENOUGH:
        return supported
    return min(supported, max(_DECIMALS, _n_decimals(value, 3), _n_decimals(spread, 1)))


def _n_decimals(number: float, significant: int) -> int:
    """Count the decimals needed to show a number of significant digits."""
    if number == 0 or math.isinf(number):
        return 0
    return min(max(significant - 1 - math.floor(math.log10(abs(number))), 0), _MOST_DECIMALS)


def fixed(value: float, decimals: int) -> str:
    """Print a number with a fixed number of decimals, without a zero before the point; exactly zero is 0."""
    if math.isnan(value):
        return MISSING
    if value == 0:
        return "0"
    text = _without_zero(f"{abs(value):.{decimals}f}")
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
    """Print a p-value for a sentence, such as ``p = .039`` or ``p < .001``, with spaces at which no line breaks."""
    if math.isnan(value):
        return f"no{SPACE}p-value"
    text = p_value(value)
    return (f"p {text}" if text.startswith("<") else f"p = {text}").replace(" ", SPACE)


def p_below(alpha: float) -> str:
    """Print a threshold for a sentence, such as ``p < .05``."""
    return f"p{SPACE}<{SPACE}{level(alpha)}"


def p_not_below(alpha: float) -> str:
    """Print the opposite of `p_below`, such as ``p ≥ .05``."""
    return f"p{SPACE}≥{SPACE}{level(alpha)}"


def count(value: float) -> str:
    """Print a count, with commas between thousands."""
    return MISSING if math.isnan(value) else f"{round(value):,}".replace("-", MINUS)


def span(numbers: pd.Series[float]) -> str:
    """Print a number that is the same on all folds, or the lowest and the highest number if folds differ."""
    present = numbers.dropna()
    if present.empty:
        return MISSING
    ends = dict.fromkeys(map(count, (present.min(), present.max())))
    return " to ".join(ends)


def users(number: float, effective: float) -> str:
    """Print a number of users, with their effective number if they have different weights.

    Examples
    --------
    >>> users(943, 943.0).replace(SPACE, " "), users(943, 411.7).replace(SPACE, " ")
    ('943 users', '943 users, effectively 412')
    """
    weighing = "" if math.isnan(effective) or effective == number else f", effectively{SPACE}{count(effective)}"
    return f"{count(number)}{SPACE}users{weighing}"


def quantity(value: float) -> str:
    """Print a whole number as a count, and any other number as a score."""
    return count(value) if not math.isnan(value) and float(value).is_integer() else score(value)


def interval(low: float, high: float) -> str:
    """Print the ends of an interval with the same decimals, such as ``.005 to .245``."""
    _, *ends = estimate((low + high) / 2, low, high)
    return MISSING if math.isnan(low) else " to ".join(dict.fromkeys(ends))


def percentage(share: float) -> str:
    """Print a share between 0 and 1 as a percentage with one decimal; a share below 1 is never printed as 100 %."""
    if math.isnan(share):
        return MISSING
    return f"{min(100 * share, 99.9) if share < 1 else 100 * share:.1f}{SPACE}%"


def whole_percentage(share: float) -> str:
    """Print a share as a percentage without decimals; only shares of 0 and 1 are printed as 0 and 100 %."""
    inside = min(max(round(100 * share), 1), 99) if 1e-9 < share < 1 - 1e-9 else round(100 * share)
    return f"{inside}{SPACE}%"


def level(alpha: float) -> str:
    """Print a threshold, such as .05, with the decimals that it has."""
    return _without_zero(f"{alpha:g}")


def tick(value: float) -> str:
    """Write an option's number for an axis, without a zero before the point and with a true minus sign."""
    text = f"{abs(value):.6g}"
    text = text[1:] if text.startswith("0.") else text
    return f"{MINUS}{text}" if value < 0 else text


def _without_zero(text: str) -> str:
    return text.removeprefix("0") if text.startswith("0.") else text
