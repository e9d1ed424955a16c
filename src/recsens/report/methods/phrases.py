"""Pieces of sentences: shares, numbers, lists."""

from collections.abc import Mapping, Sequence
from typing import Any

from recsens.conclusions.verdicts.components import built
from recsens.conclusions.verdicts.words import definition, in_full
from recsens.plugins.specs import Spec, format_number


def share(number: Any) -> str:
    """Write a share of 1 as a percentage.

    Examples
    --------
    >>> share(0.8), share(0.125)
    ('80 %', '12.5 %')
    """
    return f"{round(100 * float(number), 6):g} %"


def several(number: int, one: str, many: str = "") -> str:
    """Write a number of things.

    Examples
    --------
    >>> several(1, "rating"), several(1000, "rating")
    ('one rating', '1,000 ratings')
    """
    return f"one {one}" if number == 1 else f"{number:,} {many or f'{one}s'}"


def listed(words: Sequence[str]) -> str:
    """Join words by commas and an ‘and’.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def value(number: Any) -> str:
    """Write a number of a parameter as a study file does."""
    return format_number(number) if isinstance(number, int | float) else str(number)


def full(kind: str, spec: Spec) -> Spec:
    """Return a spec with every parameter written out."""
    (written,) = in_full(kind, str(spec))
    return written


def own_words(kind: str, what: str, spec: Spec) -> str:
    """Describe a component of the user's own by its name, its parameters and the first line of its documentation."""
    component = built(kind, spec)
    if component is None:
        return f"{what} {spec}, which is no longer installed."
    said = definition(type(component))
    return f"{what} {component.full_spec}{f': {said}' if said else ''}".rstrip(".") + "."


def by_outcome(groups: Mapping[str, Sequence[str]]) -> str:
    """Write what metrics make of a case: the outcome alone where it is the same for all, else each with its metrics."""
    if len(groups) < 2:
        return next(iter(groups), "")
    return listed([f"{outcome} by {listed(metrics)}" for outcome, metrics in groups.items()])
