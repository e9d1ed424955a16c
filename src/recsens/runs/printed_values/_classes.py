"""Classes of definitions with the same values on these data, ranked by plausibility."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from recsens.runs.printed_values._numbers import PrintedNumber
from recsens.runs.printed_values._search import CandidateDefinition, Search

_DIGITS = 10
"""Number of decimals to which values are compared, because equal values may differ by rounding errors."""

_NEAREST = 3
"""Number of nearest classes to show if no class gives the numbers."""


@dataclass(frozen=True)
class DefinitionClass:
    """Definitions with the same values on these data, simplest first.

    ``distance`` is the distance from the printed numbers, in units of the last printed digit. ``by_chance`` is the expected number
    of classes with at most as many departures that give the numbers by chance; it is None for a class that does not give them.
    """

    members: tuple[CandidateDefinition, ...]
    distance: float
    by_chance: float | None = None

    @property
    def departures(self) -> int:
        """The fewest departures of a member."""
        return self.members[0].departures

    @property
    def values(self) -> tuple[float, ...]:
        """The unrounded value for each printed number."""
        return self.members[0].values

    @property
    def n_simplest(self) -> int:
        """Number of members that have the fewest departures."""
        return sum(one.departures == self.departures for one in self.members)


@dataclass(frozen=True)
class FoundClasses:
    """The classes that give the printed numbers, most plausible first; if there are none, the nearest classes.

    ``alone`` are the numbers that no definition gives, not even alone.
    """

    classes: tuple[DefinitionClass, ...]
    nearest: tuple[DefinitionClass, ...]
    alone: tuple[PrintedNumber, ...] = ()


def find_classes(search: Search) -> FoundClasses:
    """Search for definitions, group them into classes, and rank the classes.

    Classes are ranked by the fewest departures of a member, then by the number of members with so few departures, then by the
    distance from the printed numbers. If no definition gives all numbers, the nearest classes give as many of them as possible; if
    none gives any, they have the smallest distance.
    """
    numbers = search.numbers
    # More digits allow a larger window.
    window = float(np.interp(min(map(_n_digits, numbers)), [2, 3, 4], [5, 20, 50]))
    near = search.candidates(window)
    exact = rank_classes((one for one in near if max(distances(one, numbers)) == 0), numbers)
    if not exact and (groups := search.groups()):
        alone = tuple(set(numbers).difference(*groups))
        for size in sorted({len(group) for group in groups}, reverse=True):
            most = [search.candidates(0, set(numbers) - group) for group in groups if len(group) == size]
            if best := rank_classes((one for several in most for one in several), numbers):
                return FoundClasses((), tuple(best[:_NEAREST]), alone)
    while not exact and len({_values_of(one) for one in near}) < _NEAREST and window < 10.0 ** (max(map(_n_digits, numbers)) + 2):
        window *= 10
        near = search.candidates(window)
    found = {_values_of(one.members[0]) for one in exact}
    others = rank_classes((one for one in near if _values_of(one) not in found), numbers)
    given = tuple(replace(one, by_chance=_expected_by_chance(others, one.departures, window, numbers)) for one in exact)
    nearest = () if exact else tuple(sorted(others, key=lambda one: (one.distance, one.departures))[:_NEAREST])
    return FoundClasses(given, nearest)


def rank_classes(candidates: Iterable[CandidateDefinition], numbers: Sequence[PrintedNumber]) -> list[DefinitionClass]:
    """Group candidates by value, and rank the groups; each definition counts once, in the reading with the fewest departures."""
    groups: dict[tuple[float, ...], dict[Hashable, CandidateDefinition]] = {}
    for one in sorted(candidates, key=lambda one: one.departures):
        groups.setdefault(_values_of(one), {}).setdefault(one.definition, one)
    found = [
        DefinitionClass(tuple(members.values()), min(max(distances(one, numbers)) for one in members.values()))
        for members in groups.values()
    ]
    return sorted(found, key=lambda one: (one.departures, -one.n_simplest, _middle_distance(one.members[0], numbers)))


def distances(one: CandidateDefinition, numbers: Sequence[PrintedNumber]) -> list[float]:
    """Return how far each value is from the range that its printed number represents, in units of the last digit; 0 within it."""
    pairs = ((value, number, *number.bounds(one.reading)) for value, number in zip(one.values, numbers, strict=True))
    return [max(0.0, low - value, value - high) / number.unit(one.reading) for value, number, low, high in pairs]


def _values_of(one: CandidateDefinition) -> tuple[float, ...]:
    return tuple(round(value, _DIGITS) for value in one.values)


def _middle_distance(one: CandidateDefinition, numbers: Sequence[PrintedNumber]) -> float:
    pairs = zip(one.values, numbers, strict=True)
    return max(abs(value - number.value(one.reading)) / number.unit(one.reading) for value, number in pairs)


def _expected_by_chance(others: Sequence[DefinitionClass], most: int, window: float, numbers: Sequence[PrintedNumber]) -> float:
    """Estimate how many classes give the numbers by chance, from the density of classes around the printed numbers."""
    n = sum(one.departures <= most for one in others)
    return float(n / ((2 * window + 1) ** len(numbers) - 1))


def _n_digits(number: PrintedNumber) -> int:
    return number.n_decimals + 2 * number.has_sign
