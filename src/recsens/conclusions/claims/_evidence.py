"""The evidence for claims: values of systems and differences, each with an interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from scipy import special

from recsens.conclusions.claims._parameters import Quantity, name_of_group
from recsens.conclusions.dimensions import Coordinates
from recsens.conclusions.experiment_results import ExperimentResults, design_in, design_key
from recsens.conclusions.verdicts.components import confidence_of, difference_scale, measured
from recsens.conclusions.verdicts.pairs import EQUIVALENT
from recsens.conclusions.verdicts.study_tables import records
from recsens.tables.numbers import MISSING, SPACE, estimate, p_claim, score

NO_INTERVAL = "no interval"
"""The basis of a number whose precision is unknown."""


@dataclass(frozen=True, slots=True)
class Known:
    """A number with its confidence interval.

    Attributes
    ----------
    value
        The number; NaN if there is none.
    low, high
        Ends of the number's interval; both equal the number if its precision is unknown.
    basis
        The data from which the interval is computed.
    p_value
        The p-value of a tested difference, with the design's correction; NaN for other numbers.
    winner
        The system that wins a comparison; empty if neither wins, or if nothing was compared.
    is_equivalent
        Whether the difference is certainly smaller than the study's margin.
    margin
        The study's margin of a comparison, in units of the metric.
    detectable
        The difference that a comparison with as many users would find in four of five cases; NaN if it is not known.
    """

    value: float
    low: float
    high: float
    basis: str
    p_value: float = math.nan
    winner: str = ""
    is_equivalent: bool = False
    margin: float = 0.0
    detectable: float = math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the interval."""
        return self.low, self.high

    def in_words(self, p_value: float = math.nan) -> str:
        """Format the number, its interval and the interval's basis, such as ``.007 (95 % CI .003 to .011, p = .001)``."""
        if math.isnan(self.value):
            return MISSING
        size, interval = score(self.value), self.basis
        if self.low != self.high:
            size, low, high = estimate(self.value, self.low, self.high)
            kind, _, over = self.basis.partition(" over ")
            interval = f"{kind if 'users' in over else self.basis} {low} to {high}"
        return f"{size} ({', '.join(filter(None, [interval, '' if math.isnan(p_value) else p_claim(p_value)]))})"

    def scaled(self, factor: float, shift: float = 0.0) -> Known:
        """Return the number, and the ends of its interval, times ``factor`` plus ``shift``."""
        value, *ends = (factor * number + shift for number in (self.value, self.low, self.high))
        return replace(self, value=value, low=min(ends), high=max(ends))


NOTHING = Known(math.nan, math.nan, math.nan, "no such number")


class Evidence(ExperimentResults):
    """The results of an experiment, read as numbers with intervals."""

    def value(self, at: Coordinates, quantity: Quantity) -> Known:
        """Return one number of a system.

        The interval of a metric's value is a Student interval over the folds' values, ``value ± t · s / √n``, at the confidence
        level of the design's test. Folds are treated as independent even if they share users or ratings. With one fold, or for a
        coverage, there is no interval: the number counts as exact.
        """
        row = self.row(at)
        if row is None:
            return NOTHING
        value, error = float(row[quantity.column]), self._standard_error(at, quantity)
        if math.isnan(error):
            return Known(value, value, value, NO_INTERVAL)
        share = confidence_of(str(at.design.test))
        reach = float(special.stdtrit(row["n_folds"] - 1, (1 + share) / 2)) * error
        return Known(value, value - reach, value + reach, f"{_confidence(at)} over {row['n_folds']:g} folds")

    def difference(self, first: Coordinates, second: Coordinates, quantity: Quantity, *, paired: bool = True) -> Known:
        """Return the number at ``first`` minus the number at ``second``.

        If the study compares the two systems under one design, this is the difference as the test estimates it, with the test's
        interval over users. Otherwise, and always if ``paired`` is false, it is the difference between the two values, with an
        interval over folds. That interval treats the errors of the two values as independent. So it is too wide if the values come
        from the same folds and vary together, as usual.
        """
        tested = self._tested_difference(first, second) if paired and quantity.is_measured else None
        if tested is not None:
            return tested
        return subtract(self.value(first, quantity), self.value(second, quantity))

    def _tested_difference(self, first: Coordinates, second: Coordinates) -> Known | None:
        if replace(first, system=second.system) != second:
            return None
        key = (first.dataset, str(first.metric), design_key(first.design))
        for a, b, sign in ((first.system, second.system, 1.0), (second.system, first.system, -1.0)):
            row = self._comparison_rows.get((*key, a, b))
            if row is not None:
                found = self._from_comparison(row, first)
                if verdict := self._verdict_rows.get((*key, a, b)):
                    own = {name: verdict[name] for name in ("winner", "margin", "detectable")}
                    found = replace(found, is_equivalent=verdict["verdict"] == EQUIVALENT, **own)
                return found.scaled(sign)
        return None

    def in_group(self, first: Coordinates, second: Coordinates, group: str) -> Known:
        """Return the difference within a group, named by its label or with its grouping; `NOTHING` unless there is one."""
        pair = {first.system, second.system}
        rows = [
            row
            for row in records(self.results.groups)
            if {row["system_a"], row["system_b"]} == pair
            and (row["dataset"], row["metric_full"]) == (first.dataset, str(first.metric))
            and group in (row["group"], name_of_group(row["grouping"], row["group"]))
        ]
        if len(rows) != 1:
            return NOTHING
        found = replace(self._from_comparison(rows[0], first), winner=rows[0]["winner"])
        return found.scaled(1.0 if rows[0]["system_a"] == first.system else -1.0)

    def _from_comparison(self, row: Mapping[str, Any], at: Coordinates) -> Known:
        difference, low, high = (float(row[name]) for name in ("difference", "low", "high"))
        p_value = float(row["p_adjusted"])
        if math.isnan(low) or math.isnan(high):
            return Known(difference, difference, difference, NO_INTERVAL, p_value)
        basis = f"{_confidence(at)} over {float(row['users']):,.0f} users{difference_scale(str(at.design.aggregate))}"
        return Known(difference, low, high, basis, p_value)

    def _standard_error(self, at: Coordinates, quantity: Quantity) -> float:
        """Return a value's standard error over folds; NaN if it is unknown."""
        spread, folds = self.number(at, "spread"), self.number(at, "n_folds")
        return spread / math.sqrt(folds) if quantity.is_measured and folds > 1 else math.nan

    @cached_property
    def _comparison_rows(self) -> dict[tuple[Any, ...], dict[str, Any]]:
        return {_row_key(row): row for row in records(self.comparisons[self.comparisons["fold"] == "all"])}

    @cached_property
    def _verdict_rows(self) -> dict[tuple[Any, ...], dict[str, Any]]:
        return {_row_key(row): row for row in records(self.verdicts.rows)}


def subtract(first: Known, second: Known) -> Known:
    """Subtract two independent numbers.

    The half-width of the result is ``√(h² + k²)``, where h and k are the half-widths of the two numbers' intervals.
    """
    value = first.value - second.value
    reach = math.hypot((first.high - first.low) / 2, (second.high - second.low) / 2)
    return Known(value, value - reach, value + reach, first.basis or second.basis)


def join_bases(numbers: Sequence[Known]) -> str:
    """Name the bases of several numbers, each basis once; if there are more than two bases, name only the first."""
    bases = list(dict.fromkeys(each.basis for each in numbers))
    return " or ".join(bases) if len(bases) < 3 else f"{bases[0]}, and other intervals"


def _row_key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["dataset"], str(measured(row["metric"])), design_in(row), row["system_a"], row["system_b"]


def _confidence(at: Coordinates) -> str:
    return f"{100 * confidence_of(str(at.design.test)):g}{SPACE}%{SPACE}CI"
