"""Building blocks for the sentences with which plug-ins describe themselves: percentages, numbers, lists.

An import from this module does not count as code if only such sentences use it (`recsens.workflow.code_digests`).
"""

from collections.abc import Sequence
from inspect import getdoc
from typing import Any

from recsens.plugins.specs import format_number


def percent(value: float) -> str:
    """Write a share of 1 as a percentage.

    Examples
    --------
    >>> percent(0.8), percent(0.125)
    ('80 %', '12.5 %')
    """
    return f"{round(100 * value, 6):g} %"


def several(count: int, one: str, many: str = "") -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> several(1, "rating"), several(1000, "rating")
    ('one rating', '1,000 ratings')
    """
    return f"one {one}" if count == 1 else f"{count:,} {many or f'{one}s'}"


def bounds(at_least: int, at_most: int | None, one: str) -> str:
    """Write the bounds of a count with its noun.

    Examples
    --------
    >>> bounds(1, 10, "rating"), bounds(5, None, "rating")
    ('at least one rating and at most 10', 'at least 5 ratings')
    """
    return f"at least {several(at_least, one)}{f' and at most {at_most:,}' if at_most is not None else ''}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Join words with commas and, before the last, a conjunction.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def number(value: Any) -> str:
    """Format a number as a study file does; a word stays unchanged."""
    return format_number(value) if isinstance(value, int | float) else str(value)


def definition(cls: type) -> str:
    """Return the first line of a class's docstring: its definition, often a formula."""
    return first_line(getdoc(cls))


def summary_of(docstring: str | None, name: str) -> str:
    """Return the first line of a module's docstring; in a family's module, the line that begins with the plug-in's name."""
    own = [line for line in (docstring or "").splitlines() if line.startswith(f"{name}: ")]
    return first_line(own[0].removeprefix(f"{name}: ") if own else docstring)


def first_line(docstring: str | None) -> str:
    """Return the first line of a docstring, without markup."""
    return (docstring or "").strip().partition("\n")[0].replace("``", "")
