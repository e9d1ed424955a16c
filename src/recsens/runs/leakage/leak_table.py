"""The table of findings, which can be written as text, records, JSON, or tables of a report."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from recsens.arrays import grouped
from recsens.runs.leakage.suspicion import State, Suspicion
from recsens.tables.cells import compared_cells
from recsens.tables.numbers import MISSING, estimate, p_value, score
from recsens.tables.table import Row, RowGroup, Table, TableCell, texts
from recsens.tables.texts import to_json, to_text

_WIDTH = 132
_LONGEST_NAME = 20
_SHOWN: tuple[State, ...] = ("found", "noted")


@dataclass(frozen=True, repr=False)
class LeakTable:
    """The findings of a search for leaks.

    Attributes
    ----------
    metric
        The metric; sizes are in its units.
    alpha
        The level of all findings together.
    values
        The mean of each unchanged run, by the run's name.
    rows
        One row for each detector and run; detectors that read no run have a single row.
    """

    metric: str
    alpha: float
    values: Mapping[str, float]
    rows: tuple[Suspicion, ...]

    @property
    def found(self) -> tuple[Suspicion, ...]:
        """The rows with a fault."""
        return self._in_state("found")

    def __repr__(self) -> str:
        parts = [textwrap.wrap(self.headline, _WIDTH)]
        if self._rows_shown():
            parts.append(to_text(self.table(longest_name=_LONGEST_NAME)).splitlines())
        for name, told in self._detector_texts().items():
            lines = [
                textwrap.wrap(text, _WIDTH, initial_indent=f"  {head}: ", subsequent_indent="    ")
                for head, text in zip(_TOLD, told, strict=True)
            ]
            parts.append([name, *(line for each in lines for line in each)])
        parts.append([line for note in self._notes() for line in textwrap.wrap(note, _WIDTH)])
        return "\n\n".join("\n".join(lines) for lines in parts)

    def _repr_html_(self) -> str:
        from recsens.report.html.templates import cell  # noqa: PLC0415 - templates are needed only in a notebook

        return cell(self.headline, said=[*self._notes()], tables=[self.table(), *self.details()])

    @property
    def headline(self) -> str:
        """Say in one sentence what was found."""
        names = list(dict.fromkeys(each.detector for each in self.found))
        cells = compared_cells(list(self.values.values()))
        values = ", ".join(f"{name} {cell.text}" for name, cell in zip(self.values, cells, strict=True))
        said = f"{len(names)} of 12 kinds of leak found: {', '.join(names)}" if names else "no leak found"
        return f"{said}. {self.metric} as given: {values}"

    def records(self) -> list[dict[str, Any]]:
        """Return all rows as records of plain values; unknown numbers are None."""
        return [
            {
                "detector": each.detector,
                "run": each.run or None,
                "state": each.state,
                "size": _finite_or_none(each.inflation.estimate),
                "low": _finite_or_none(each.inflation.low),
                "high": _finite_or_none(each.inflation.high),
                "ends": each.inflation.ends,
                "p_value": _finite_or_none(each.chance),
                "p_adjusted": _finite_or_none(each.adjusted),
                "evidence": each.evidence,
                "innocent": each.innocent,
                "remedy": each.remedy,
            }
            for each in self.rows
        ]

    def to_json(self) -> str:
        """Write everything as JSON."""
        whole = {
            "metric": self.metric,
            "alpha": self.alpha,
            "correction": "holm",
            "values": self.values,
            "findings": self.records(),
        }
        return to_json(whole)

    def table(self, longest_name: int | None = None) -> Table:
        """Return the findings as a table of a report, grouped by state; longer names of runs are cut."""
        groups = []
        for state in _SHOWN:
            rows = []
            for each in self._in_state(state):
                name = each.run or "all"
                name = name if longest_name is None or len(name) <= longest_name else f"{name[: longest_name - 3]}..."
                rows.append(Row(each.detector, (TableCell(name, is_text=True), *map(TableCell, _number_texts(each)))))
            if rows:
                groups.append(RowGroup(state.capitalize(), tuple(rows)))
        caption = f"Leaks, with their size in {self.metric}"
        return Table("leaks", caption, "Finding", _COLUMNS, tuple(groups), tuple(self._notes()))

    def details(self) -> list[Table]:
        """Return a table of evidence, innocent explanations and remedies; no table if nothing was found."""
        rows = tuple(Row(name, texts(told)) for name, told in self._detector_texts().items())
        table = Table("leaks-evidence", "What was counted, and what to do", "Finding", _TOLD, (RowGroup("", rows),))
        return [] if table.is_empty else [table]

    def _in_state(self, state: State) -> tuple[Suspicion, ...]:
        return tuple(each for each in self.rows if each.state == state)

    def _rows_shown(self) -> list[Suspicion]:
        return [each for state in _SHOWN for each in self._in_state(state)]

    def _detector_texts(self) -> dict[str, tuple[str, str, str]]:
        """Return the texts under the heads of `_TOLD`, for each detector with rows to show."""
        by_detector = grouped((each.detector, each) for each in self._rows_shown())
        return {name: (_join_evidence(own), own[0].innocent, own[0].remedy) for name, own in by_detector.items()}

    def _notes(self) -> Iterator[str]:
        """Say what was not found, what could not be checked, and how to read the numbers."""
        told = self._detector_texts()
        for state, said in (("none", "No sign of"), ("not told", "Could not be checked")):
            names = {each.detector: each.evidence for each in self.rows if each.state == state and each.detector not in told}
            if names:
                yield f"{said}: {'; '.join(f'{name} ({why})' if state == 'not told' else name for name, why in names.items())}."
        n_tests = sum(not math.isnan(each.chance) for each in self.rows)
        yield (
            "Size: the metric's value as given, minus its value without the fault; with a 95 % interval, if it rests on ten "
            "users or more, or with guaranteed bounds, in [brackets]. After >=, the size is at least this, with 97.5 % confidence. "
            "Chance: the p-value of the evidence, which is the probability of evidence at least this strong in files without a "
            "fault. All together: the same p-value, adjusted by Holm's method for the number of tests by all detectors on all runs "
            f"(here {n_tests}). If every p-value is valid, the probability of any such finding in files without a fault is at most "
            f"{self.alpha:g}. Fact: a count that is always 0 in a clean split."
        )


_COLUMNS = ("run", "size", "from", "to", "chance", "all together")
_TOLD = ("evidence", "innocent explanation", "what to do")


def _number_texts(each: Suspicion) -> tuple[str, ...]:
    size, is_fact = each.inflation, math.isnan(each.chance)
    value, low, high = estimate(size.estimate, size.low, size.high)
    if size.ends == "at least":
        low = f">= {score(size.low)}"
    elif size.is_bounded and low != MISSING:
        low, high = f"[{low}", f"{high}]"
    return (value, low, high, *(["fact"] * 2 if is_fact else map(p_value, (each.chance, each.adjusted))))


def _join_evidence(own: list[Suspicion]) -> str:
    """Join the runs' evidence, its numbers without a zero before the point; if all runs have the same, state it once."""
    found = dict.fromkeys(each.evidence for each in own)
    whole = next(iter(found)) if len(found) == 1 else ". ".join(f"{each.run}: {each.evidence}" for each in own)
    return re.sub(r"(?<!\d)0(?=\.\d{4}\b)", "", whole)


def _finite_or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None
