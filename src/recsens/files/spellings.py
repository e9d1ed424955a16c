"""Names spelt differently in two files, such as 1 and u1, or 7 and 007."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

_SHOWN = 3
"""Number of names from each file that a message shows."""

_COMPARED = 10_000
"""Largest number of names of each file to compare, which is enough to see how names are spelt."""

_RULES: dict[str, Callable[[str], str]] = {
    "a decimal point: '7.0' is not '7'": lambda name: name.removesuffix(".0"),
    "leading zeros: '007' is not '7'": lambda name: name.lstrip("0"),
    "the letters before a number: 'u7' is not '7'": lambda name: re.sub(r"^\D+(?=\d+$)", "", name),
    "capitals, or spaces at the ends": lambda name: name.strip().casefold(),
}
"""A possible difference between spellings, and a function that removes it."""


def examples(names: Iterable[str]) -> str:
    """Write the first few names, each in quotes."""
    return ", ".join(f"'{name}'" for name in islice(names, _SHOWN))


def spelling_difference(some: Sequence[str], others: Sequence[str]) -> str:
    """Say how unmatched names differ; return an empty text if no simple rule explains the difference.

    Examples
    --------
    >>> difference(["u1", "u2"], ["1", "2", "3"])
    "they differ in the letters before a number: 'u7' is not '7'"
    """
    first, second = some[:_COMPARED], others[:_COMPARED]
    for what, spelt in _RULES.items():
        if not set(map(spelt, first)).isdisjoint(map(spelt, second)):
            return _difference_clause(what)
    return ""


def usual_spelling_difference(some: Sequence[str], others: Sequence[str]) -> str:
    """Say how unmatched names differ; return an empty text unless a simple rule explains most names of the shorter list.

    Examples
    --------
    >>> difference_of_most(["7.0", "8.0", "x"], ["7", "8", "9", "10"])
    "they differ in a decimal point: '7.0' is not '7'"
    >>> difference_of_most(["7.0", "x", "y"], ["7", "8", "9", "10"])
    ''
    """
    shorter, longer = sorted((some, others), key=len)
    looked_up = shorter[:_COMPARED]
    for what, spelt in _RULES.items():
        known = set(map(spelt, longer))
        if 2 * sum(spelt(name) in known for name in looked_up) > len(looked_up):
            return _difference_clause(what)
    return ""


def _difference_clause(what: str) -> str:
    return f"they differ in {what}"
