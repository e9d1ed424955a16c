"""Numeric cells: the printed form, and the full number for files."""

import math

from recsens.tables.numbers import count, p_value, percentage, plus_minus, score
from recsens.tables.table import TableCell

_NAN = float("nan")


def score_cell(
    value: float, spread: float = _NAN, n_values: float = math.inf, *, of: str, is_best: bool = False, mark: str = ""
) -> TableCell:
    """Make the cell of a value and its spread; cells with the same measured quantity, ``of``, have the same number of decimals."""
    return TableCell(
        score(value, spread, n_values),
        is_best=is_best,
        extra=plus_minus(value, spread, n_values),
        numbers=(value,),
        spread=spread,
        of=of,
        mark=mark,
    )


def p_cell(value: float) -> TableCell:
    """Make the cell of a p-value."""
    return TableCell(p_value(value), numbers=(value,))


def count_cell(value: float) -> TableCell:
    """Make the cell of a count."""
    return TableCell(count(value), numbers=(value,))


def share_cell(value: float) -> TableCell:
    """Make the cell of a share between 0 and 1, printed as a percentage."""
    return TableCell(percentage(value), numbers=(value,))
