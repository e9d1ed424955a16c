"""The table of findings, which can be written as text, records, JSON, or tables of a report."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recsens.runs.leakage.suspicion import State, Suspicion

if TYPE_CHECKING:
    from recsens.tables.table import Table

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
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        from recsens.report.html.templates import cell  # noqa: PLC0415 - templates are needed only in a notebook

        return cell(self.headline, said=[*self._notes()], tables=[self.table(), *self.details()])

    @property
    def headline(self) -> str:
        """Say in one sentence what was found."""
        names = list(dict.fromkeys(each.detector for each in self.found))
        values = ", ".join(f"{name} {value:.4f}" for name, value in self.values.items())
        said = f"{len(names)} of 12 kinds of leak found: {', '.join(names)}" if names else "no leak found"
        return f"{said}. {self.metric} as given: {values}"

    def records(self) -> list[dict[str, Any]]:
        """Return all rows as records of plain values; unknown numbers are None."""
        return [
            {
                "detector": each.detector,
                "run": each.run or None,
                "state": each.state,
                "size": _known(each.inflation.estimate),
                "low": _known(each.inflation.low),
                "high": _known(each.inflation.high),
                "ends": each.inflation.ends,
                "p_value": _known(each.chance),
                "p_adjusted": _known(each.adjusted),
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
            "values": {name: _known(value) for name, value in self.values.items()},
            "findings": self.records(),
        }
        return json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False)

    def table(self) -> Table:
        """Return the findings as a table of a report, grouped by state."""
        from recsens.tables.table import Row, RowGroup, Table, TableCell  # noqa: PLC0415 - not needed for text

        groups = []
        for state in _SHOWN:
            rows = [
                Row(each.detector, (TableCell(each.run or "all", is_text=True), *map(TableCell, _numbers(each))))
                for each in self._in_state(state)
            ]
            if rows:
                groups.append(RowGroup(state.capitalize(), tuple(rows)))
        caption = f"Leaks, with their size in {self.metric}"
        return Table("leaks", caption, "Finding", _HEADS[1:], tuple(groups), tuple(self._notes()))

    def details(self) -> list[Table]:
        """Return a table of evidence, innocent explanations and remedies; no table if nothing was found."""
        from recsens.tables.table import Row, RowGroup, Table, texts  # noqa: PLC0415 - not needed for text

        rows = tuple(Row(name, texts(told)) for name, told in self._told().items())
        table = Table("leaks-evidence", "What was counted, and what to do", "Finding", _TOLD, (RowGroup("", rows),))
        return [] if table.is_empty else [table]

    def _in_state(self, state: State) -> tuple[Suspicion, ...]:
        return tuple(each for each in self.rows if each.state == state)

    def _shown(self) -> list[Suspicion]:
        return [each for state in _SHOWN for each in self._in_state(state)]

    def _told(self) -> dict[str, tuple[str, str, str]]:
        """Return the texts under the heads of `_TOLD`, for each detector with rows to show."""
        by_detector: dict[str, list[Suspicion]] = {}
        for each in self._shown():
            by_detector.setdefault(each.detector, []).append(each)
        return {name: (_evidence(own), own[0].innocent, own[0].remedy) for name, own in by_detector.items()}

    def _notes(self) -> Iterator[str]:
        """Say what was not found, what could not be checked, and how to read the numbers."""
        told = self._told()
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

    def _lines(self) -> Iterator[str]:
        yield from textwrap.wrap(self.headline, _WIDTH)
        cells = [(each.detector, _short(each.run or "all"), *_numbers(each), each.state) for each in self._shown()]
        if cells:
            rows = [(*_HEADS, ""), *cells]
            widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
            yield ""
            for row in rows:
                texts = [
                    text.ljust(width) if at in {0, 1, 7} else text.rjust(width)
                    for at, (text, width) in enumerate(zip(row, widths, strict=True))
                ]
                yield "  ".join(texts).rstrip()
        for name, told in self._told().items():
            yield from ("", name)
            for head, text in zip(_TOLD, told, strict=True):
                yield from textwrap.wrap(text, _WIDTH, initial_indent=f"  {head}: ", subsequent_indent="    ")
        yield ""
        for note in self._notes():
            yield from textwrap.wrap(note, _WIDTH)


_HEADS = ("finding", "run", "size", "from", "to", "chance", "all together")
_TOLD = ("evidence", "innocent explanation", "what to do")


def _numbers(each: Suspicion) -> tuple[str, ...]:
    size, is_fact = each.inflation, math.isnan(each.chance)
    ends = [_signed(end) for end in (size.low, size.high)]
    low, high = (f"[{ends[0]}", f"{ends[1]}]") if size.is_bounded and not math.isnan(size.low) else ends
    low = f">= {low}" if size.ends == "at least" else low
    chances = ("fact", "fact") if is_fact else (_chance(each.chance), _chance(each.adjusted))
    return (_signed(size.estimate), low, high, *chances)


def _signed(value: float) -> str:
    return "?" if math.isnan(value) else f"{value:+.4f}"


def _chance(value: float) -> str:
    return "<.0001" if value < 0.0001 else f"{value:.4f}"


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 3]}..."


def _evidence(own: list[Suspicion]) -> str:
    """Join the runs' evidence; if all runs have the same evidence, state it once."""
    texts = dict.fromkeys(each.evidence for each in own)
    if len(texts) == 1:
        return next(iter(texts))
    return ". ".join(f"{each.run}: {each.evidence}" for each in own)


def _known(value: float) -> float | None:
    return None if math.isnan(value) or math.isinf(value) else value
