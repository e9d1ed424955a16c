"""The search: measure every definition with few departures once, and select those that give all printed numbers."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recsens.errors import DataError
from recsens.files.scale import Scale
from recsens.metrics import WHOLE
from recsens.runs.printed_values._decisions import USERS, NameReader, Space, TriedSetting
from recsens.runs.printed_values._formulas import NamedFormulas
from recsens.runs.printed_values._numbers import READINGS, PrintedNumber, Reading
from recsens.runs.printed_values._values import EvaluatedFold, FormulaTotals

_CUTOFFS = (1, 2, 3, 5, 10, 15, 20, 25, 30, 50, 100, 200, 500, 1000)
"""Cut-offs to try, in addition to the printed cut-off, its neighbours and its double."""

_MOST_COMBINED = 500_000
"""Limit on the number of combinations of several numbers' definitions."""


@dataclass(frozen=True)
class CandidateDefinition:
    """A definition of all printed numbers, with its ``values`` in the order of the numbers.

    ``by_reader`` counts the departures from each reader's reading of the name. ``formulas`` has an index for each name, and
    ``cutoffs`` an index for each label. ``fold`` is the index of a choice of folds.
    """

    reading: Reading
    setting: int
    fold: int
    users: int
    formulas: tuple[int, ...]
    cutoffs: tuple[int, ...]
    values: tuple[float, ...]
    by_reader: NDArray[np.int64]

    @property
    def definition(self) -> Hashable:
        """The decisions of the definition, without the way in which the printed number is read."""
        return self.setting, self.fold, self.users, self.formulas, self.cutoffs

    @property
    def departures(self) -> int:
        """The fewest departures over all readers."""
        return int(self.by_reader.min())


@dataclass
class Search:
    """Everything that is tried, and its values.

    Attributes
    ----------
    folds
        The files of each fold.
    space
        The choices to try for each decision other than formula and cut-off.
    families
        The formulas of each printed name.
    numbers
        The printed numbers.
    most
        Definitions with more departures than this are not tried.
    scale
        The rating scale.
    fold_names
        Names of the folds.
    """

    folds: Sequence[EvaluatedFold]
    space: Space
    families: Mapping[str, NamedFormulas]
    numbers: Sequence[PrintedNumber]
    most: int
    scale: Scale
    fold_names: Sequence[str]
    refused: dict[str, str] = field(default_factory=dict)

    @cached_property
    def settings(self) -> list[TriedSetting]:
        """The settings to try."""
        return list(self.space.settings())

    @cached_property
    def readers(self) -> list[NameReader]:
        """The ways to interpret a printed metric name: the plain way, and the way of each tool."""
        return self.space.readers()

    @cached_property
    def labels(self) -> dict[str, list[PrintedNumber]]:
        """The printed numbers by label, in order of appearance."""
        labels = dict.fromkeys(one.label for one in self.numbers)
        return {label: [one for one in self.numbers if one.label == label] for label in labels}

    @cached_property
    def cutoffs(self) -> tuple[int, ...]:
        """The cut-offs to try, ascending."""
        printed = {one.cutoff for one in self.numbers if one.cutoff is not None}
        near = {cutoff + by for cutoff in printed for by in (-1, 0, 1, cutoff)} - {0}
        return tuple(sorted({*_CUTOFFS, *near, WHOLE}))

    @property
    def fold_choices(self) -> list[str]:
        """The ways to combine several folds."""
        if len(self.folds) == 1:
            return [""]
        return ["mean over folds", "users of all folds together", *(f"fold {name} alone" for name in self.fold_names)]

    @cached_property
    def n_tried(self) -> int:
        """Number of definitions of the first printed number that have at most ``most`` departures."""
        return int((self._fewest_departures[self.numbers[0].label] <= self.most).sum())

    def candidates(self, window: float, missed: Collection[PrintedNumber] = ()) -> list[CandidateDefinition]:
        """Return the definitions whose values are all within ``window`` units of the last digit of the printed numbers.

        The values for numbers in ``missed`` may be any, with the cut-off as printed if all numbers with the same label are missed.

        Raises DataError if too many definitions give the numbers, because the numbers have too few digits.
        """
        found = []
        for reading, cost in self._readings():
            by_key: dict[tuple[int, int, int], list[CandidateDefinition]] = {}
            for place, label in enumerate(self.labels):
                matched = self._matching_definitions(label, reading, cost, window, missed)
                by_key = self._join_labels(place, label, matched, by_key, reading, cost)
            found += [one for several in by_key.values() for one in several]
        return found

    def _readings(self) -> Iterator[tuple[Reading, int]]:
        """Yield each way to read the numbers, and its departures; a number above its metric's range can only be a percentage."""
        unsigned = [one for one in self.numbers if not one.has_sign]
        too_high = any(one.value(Reading()) > self.families[one.name].range[1] for one in unsigned)
        for reading in READINGS:
            if (reading.is_percent and not unsigned) or (too_high and not reading.is_percent):
                continue
            yield reading, int(reading.is_truncated) + int(reading.is_percent and not too_high)

    @cached_property
    def _reader_departures(self) -> NDArray[np.int64]:
        """Departures of each setting from each reader's setting, plus the reader's departures, shape (n_readers, n_settings)."""
        return np.array([[one.departures + one.setting.departures(each) for each in self.settings] for one in self.readers])

    @cached_property
    def _user_departures(self) -> NDArray[np.int64]:
        return np.array([[int(one.users != users) for users in USERS] for one in self.readers])

    @cached_property
    def _fold_departures(self) -> NDArray[np.int64]:
        return np.minimum(np.arange(len(self.fold_choices)), 1)

    @cached_property
    def _formula_departures(self) -> dict[str, NDArray[np.int64]]:
        return {name: np.array([one.of_formulas(family) for one in self.readers]) for name, family in self.families.items()}

    def _cutoff_departures(self, label: str) -> NDArray[np.int64]:
        number = self.labels[label][0]
        family = self.families[number.name]
        return np.array([one.of_cutoffs(family, self.cutoffs, number.cutoff) for one in self.readers])

    @cached_property
    def _pairs_to_measure(self) -> dict[str, NDArray[np.int64]]:
        """The pairs of setting and formula to measure, by name, shape (n, 2): the pairs with at most ``most`` departures."""
        return {
            name: np.argwhere((self._reader_departures[:, :, np.newaxis] + of[:, np.newaxis]).min(axis=0) <= self.most)
            for name, of in self._formula_departures.items()
        }

    @cached_property
    def _definition_values(self) -> dict[tuple[str, str], NDArray[np.float64]]:
        """Values by name and run, of shape (n_pairs, n_fold_choices, n_users_choices, n_cutoffs)."""
        asked = dict.fromkeys((one.name, one.run) for one in self.numbers)
        measures = [FormulaTotals(fold, self.space.thresholds, self.scale, self.cutoffs, self.refused) for fold in self.folds]
        values = {(name, run): self._combine_folds([self._totals(each, name, run) for each in measures]) for name, run in asked}
        for (name, _), of_pairs in values.items() if len(self.folds) > 1 else ():
            # If a metric has one value for all users, its value over all folds together cannot be computed from its values on
            # folds.
            is_pooled = np.array([each.metric.unit == "pooled" for each in self.families[name].formulas])
            of_pairs[is_pooled[self._pairs_to_measure[name][:, 1]], 1] = np.nan
        return values

    def _totals(self, measures: FormulaTotals, name: str, run: str) -> NDArray[np.float64]:
        formulas, pairs = self.families[name].formulas, self._pairs_to_measure[name]
        found: list[NDArray[np.float64]] = []
        starts = np.flatnonzero(np.diff(pairs[:, 0], prepend=-1))
        for rows in np.split(pairs, starts[1:]):
            metrics = [formulas[place].metric for place in rows[:, 1]]
            found += measures.totals(run, self.settings[rows[0, 0]], metrics)
        return np.stack(found)

    def _combine_folds(self, totals: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Compute the value for each choice of folds from the sums and counts of the folds."""
        both = np.stack(totals)
        sums, counts = both[:, :, 0], both[:, :, 1]
        with np.errstate(invalid="ignore", divide="ignore"):
            each = sums / counts
            if len(totals) == 1:
                return np.moveaxis(each, 0, 1)
            return np.stack([each.mean(axis=0), sums.sum(axis=0) / counts.sum(axis=0), *each], axis=1)

    @cached_property
    def _fewest_departures(self) -> dict[str, NDArray[np.int64]]:
        """The fewest departures of each definition of a label, shape (n_pairs, n_fold_choices, n_users_choices, n_cutoffs)."""
        return {label: self._count_departures(label) for label in self.labels}

    def _count_departures(self, label: str) -> NDArray[np.int64]:
        name = self.labels[label][0].name
        setting, formula = self._pairs_to_measure[name].T
        pairs = self._reader_departures[:, setting] + self._formula_departures[name][:, formula]
        cutoffs = self._cutoff_departures(label)
        # Loop over readers, to keep only one array of this size in memory.
        costs = (
            own[:, None, None, None] + self._fold_departures[:, None, None] + users[:, None] + depths
            for own, users, depths in zip(pairs, self._user_departures, cutoffs, strict=True)
        )
        fewest: NDArray[np.int64] = reduce(np.minimum, costs)
        return fewest

    def groups(self) -> list[frozenset[PrintedNumber]]:
        """Return the sets of numbers that definitions give, largest sets first; each number alone has few enough departures."""
        # The decisions that all numbers share -> the formula of a name -> the cut-off of a label -> the numbers that these give.
        given: dict[Hashable, dict[tuple[str, int], dict[tuple[str, int], set[PrintedNumber]]]] = {}
        for reading, cost in self._readings():
            for one in self.numbers:
                fits = (self._fewest_departures[one.label] + cost <= self.most) & self._is_within(one, reading, 0)
                for pair, fold, users, cutoff in np.argwhere(fits).tolist():
                    setting, formula = self._pairs_to_measure[one.name][pair].tolist()
                    of_shared = given.setdefault((reading, setting, fold, users), {})
                    of_shared.setdefault((one.name, formula), {}).setdefault((one.label, cutoff), set()).add(one)
        found = set()
        for of_shared in given.values():
            by_name: dict[str, set[PrintedNumber]] = {}
            for (name, _), of_cutoffs in of_shared.items():
                by_label: dict[str, set[PrintedNumber]] = {}
                for (label, _), numbers in of_cutoffs.items():
                    by_label[label] = max(by_label.get(label, set()), numbers, key=len)
                by_name[name] = max(by_name.get(name, set()), set().union(*by_label.values()), key=len)
            found.add(frozenset().union(*by_name.values()))
        return sorted(found, key=len, reverse=True)

    def _is_within(self, one: PrintedNumber, reading: Reading, window: float) -> NDArray[np.bool_]:
        """Whether each definition gives a number, except for ``window`` units of its last digit."""
        values, (low, high), reach = self._definition_values[one.name, one.run], one.bounds(reading), window * one.unit(reading)
        return (values >= low - reach) & (values <= high + reach)

    def _matching_definitions(
        self, label: str, reading: Reading, cost: int, window: float, missed: Collection[PrintedNumber]
    ) -> list[tuple[NDArray[np.int64], NDArray[Any]]]:
        """Return the indices of the definitions with values within the window, and these values."""
        numbers = self.labels[label]
        values = np.stack([self._definition_values[one.name, one.run] for one in numbers], axis=-1)
        fits = (self._fewest_departures[label] + cost <= self.most) & ~np.isnan(values).any(axis=-1)
        if all(one in missed for one in numbers):
            fits &= self._cutoff_departures(label).min(axis=0) == 0
        for one in numbers:
            if one not in missed:
                fits &= self._is_within(one, reading, window)
        return list(zip(np.argwhere(fits), values[fits], strict=True))

    def _join_labels(
        self,
        place: int,
        label: str,
        matched: Sequence[tuple[NDArray[np.int64], NDArray[Any]]],
        before: Mapping[tuple[int, int, int], list[CandidateDefinition]],
        reading: Reading,
        cost: int,
    ) -> dict[tuple[int, int, int], list[CandidateDefinition]]:
        """Combine the definitions of a label with definitions of the labels before it that have the same decisions."""
        name = self.labels[label][0].name
        names = list(self.families)
        seen = {own[0].name for own in list(self.labels.values())[:place]}
        pairs, of_cutoffs, n = self._pairs_to_measure[name], self._cutoff_departures(label), 0
        joined: dict[tuple[int, int, int], list[CandidateDefinition]] = {}
        for (pair, fold, users, cutoff), values in matched:
            setting, formula = pairs[pair].tolist()
            key = (setting, int(fold), int(users))
            if place == 0:
                shared = self._reader_departures[:, setting] + self._user_departures[:, users] + self._fold_departures[fold] + cost
                earlier = [CandidateDefinition(reading, *key, (), (), (), shared)]
            else:
                earlier = before.get(key, [])
            for one in earlier:
                if name in seen and one.formulas[names.index(name)] != formula:
                    continue
                more = 0 if name in seen else self._formula_departures[name][:, formula]
                by_reader = one.by_reader + more + of_cutoffs[:, cutoff]
                if by_reader.min() > self.most:
                    continue
                formulas = one.formulas if name in seen else (*one.formulas, formula)
                cutoffs, own = (*one.cutoffs, int(cutoff)), (*one.values, *values.tolist())
                joined.setdefault(key, []).append(CandidateDefinition(reading, *key, formulas, cutoffs, own, by_reader))
                n += 1
                if n > _MOST_COMBINED:
                    raise DataError(
                        f"more than {_MOST_COMBINED:,} definitions give these numbers, because the numbers have too few digits",
                        remedy="give more digits, or fewer departures: --departures 1, departures=1",
                    )
        return joined
