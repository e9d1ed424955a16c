"""Classes of definitions that the data cannot tell apart, ranked by plausibility."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from recsens.printed_values._numbers import PrintedNumber
from recsens.printed_values._search import CandidateDefinition, Search

_DIGITS = 10
"""Decimals by which values are compared: definitions with the same values may differ in rounding errors."""

_NEAREST = 3
"""Classes that are shown if none gives the numbers."""


@dataclass(frozen=True)
class DefinitionClass:
    """Definitions with the same values on these data, simplest first; ``distance`` is in units of the last printed digit."""

    members: tuple[CandidateDefinition, ...]
    distance: float

    @property
    def departures(self) -> int:
        """The fewest departures of a member."""
        return self.members[0].departures

    @property
    def values(self) -> tuple[float, ...]:
        """The value of each printed number, unrounded."""
        return self.members[0].values

    @property
    def n_simplest(self) -> int:
        """Number of members with the fewest departures."""
        return sum(one.departures == self.departures for one in self.members)


@dataclass(frozen=True)
class FoundClasses:
    """The classes that give the printed numbers, most plausible first, or else the nearest ones.

    ``by_chance`` is, for each class, how many classes with no more departures would be expected to give such numbers by chance.
    """

    classes: tuple[DefinitionClass, ...]
    nearest: tuple[DefinitionClass, ...]
    by_chance: tuple[float, ...]


def answer(search: Search) -> FoundClasses:
    """Search, group and rank.

    Classes are ranked by the fewest departures of a member, then by how many members have so few, then by the distance from the
    printed number.
    """
    window, numbers = _window(search.numbers), search.numbers
    near = search.candidates(window)
    exact = classes((one for one in near if _distance(one, numbers) == 0), numbers)
    while not exact and len({_values_of(one) for one in near}) < _NEAREST and window < 10.0 ** (max(map(_n_digits, numbers)) + 2):
        window *= 10
        near = search.candidates(window)
    found = {_values_of(one.members[0]) for one in exact}
    others = classes((one for one in near if _values_of(one) not in found), numbers)
    by_chance = tuple(_by_chance(others, one.departures, window, numbers) for one in exact)
    nearest = () if exact else tuple(sorted(others, key=lambda one: (one.distance, one.departures))[:_NEAREST])
    return FoundClasses(tuple(exact), nearest, by_chance)


def classes(candidates: Iterable[CandidateDefinition], numbers: Sequence[PrintedNumber]) -> list[DefinitionClass]:
    """Group candidates by their values, and rank the groups; of a definition, the reading with the fewest departures counts."""
    groups: dict[tuple[float, ...], dict[Hashable, CandidateDefinition]] = {}
    for one in sorted(candidates, key=lambda one: one.departures):
        groups.setdefault(_values_of(one), {}).setdefault(one.definition, one)
    found = [
        DefinitionClass(tuple(members.values()), min(_distance(one, numbers) for one in members.values()))
        for members in groups.values()
    ]
    return sorted(found, key=lambda one: (one.departures, -one.n_simplest, _from_middle(one.members[0], numbers)))


def _values_of(one: CandidateDefinition) -> tuple[float, ...]:
    return tuple(round(value, _DIGITS) for value in one.values)


def _distance(one: CandidateDefinition, numbers: Sequence[PrintedNumber]) -> float:
    """Return how far the values are from what is printed so, at most, in units of the last digit."""
    far = 0.0
    for value, number in zip(one.values, numbers, strict=True):
        low, high = number.bounds(one.reading)
        far = max(far, (low - value) / number.unit(one.reading), (value - high) / number.unit(one.reading))
    return far


def _from_middle(one: CandidateDefinition, numbers: Sequence[PrintedNumber]) -> float:
    pairs = zip(one.values, numbers, strict=True)
    return max(abs(value - number.value(one.reading)) / number.unit(one.reading) for value, number in pairs)


def _by_chance(others: Sequence[DefinitionClass], most: int, window: float, numbers: Sequence[PrintedNumber]) -> float:
    """Estimate how many classes give the numbers by chance, from those around: as dense as these are."""
    n = sum(one.departures <= most for one in others)
    return float(n / ((2 * window + 1) ** len(numbers) - 1))


def _window(numbers: Sequence[PrintedNumber]) -> float:
    """Return the units around a printed number in which definitions are counted: fewer if it has few digits."""
    return float(np.interp(min(map(_n_digits, numbers)), [2, 3, 4], [5, 20, 50]))


def _n_digits(number: PrintedNumber) -> int:
    return number.n_decimals + 2 * number.has_sign
