"""Printed numbers: the run and the metric to which a number belongs, and the range of values that it represents."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recsens.errors import DataError, RecsensError, SpecError, nearest
from recsens.files.text import lines

_VALUE = re.compile(r"(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*%?")
_LABEL = re.compile(r"(?P<name>[^@]+?)\s*(?:@\s*(?P<cutoff>[1-9]\d{0,8}))?")
_LONG = {"run", "metric", "value"}
_TABLE = "a header of run and metrics, then a row for each run"
_ROUNDING = 1e-7
"""Computed values may exceed a bound by this part of the last printed digit."""

_MOST_DIGITS = 20
"""Largest number of digits; a computed value has at most 17, so no comparison can use more."""

LIKE = "a number with its metric, such as nDCG@10=0.4312 or, with several runs, A:nDCG@10=0.4312"


@dataclass(frozen=True)
class Reading:
    """How a printed number is read: rounded or with its last digit cut off, as a value or as a percentage without a sign."""

    is_truncated: bool = False
    is_percent: bool = False

    @property
    def in_words(self) -> list[str]:
        """The departures of this reading from the reading as a rounded value, in words."""
        return [*(["last digit cut off"] if self.is_truncated else []), *(["printed as a percentage"] if self.is_percent else [])]


READINGS = tuple(Reading(cut, percent) for percent in (False, True) for cut in (False, True))


@dataclass(frozen=True)
class PrintedNumber:
    """A number printed for a run. ``label`` is a metric with or without a cut-off, and ``text`` is the number as printed.

    Raises SpecError or DataError if ``label`` or ``text`` cannot be read.
    """

    run: str
    label: str
    text: str

    def __post_init__(self) -> None:
        """Check at once that ``label`` and ``text`` can be read."""
        _ = self._parts, self._number

    @property
    def name(self) -> str:
        """The metric's name without the cut-off."""
        return self._parts["name"].strip()

    @property
    def cutoff(self) -> int | None:
        """The printed cut-off; None without a cut-off."""
        return int(self._parts["cutoff"]) if self._parts["cutoff"] else None

    @property
    def has_sign(self) -> bool:
        """Whether the number has a percent sign."""
        return self.text.endswith("%")

    @property
    def n_decimals(self) -> int:
        """Number of printed decimals."""
        return len(self._number["number"].partition(".")[2])

    def value(self, reading: Reading) -> float:
        """Return the printed value; a percentage is divided by 100."""
        return float(self._number["number"]) / self._divisor(reading)

    def unit(self, reading: Reading) -> float:
        """Return the value of one unit of the last printed digit."""
        return float(10.0**-self.n_decimals) / self._divisor(reading)

    def bounds(self, reading: Reading) -> tuple[float, float]:
        """Return the lowest and the highest value that would be printed as this number."""
        value, unit = self.value(reading), self.unit(reading)
        slack = _ROUNDING * unit
        return (
            (value - slack, value + unit - slack) if reading.is_truncated else (value - unit / 2 - slack, value + unit / 2 + slack)
        )

    @property
    def _parts(self) -> re.Match[str]:
        match = _LABEL.fullmatch(self.label)
        if match is None:
            raise SpecError(f"'{self.label}' is not a metric with at most one cut-off (1 or more), such as nDCG@10")
        return match

    @property
    def _number(self) -> re.Match[str]:
        match = _VALUE.fullmatch(self.text)
        if match is None:
            comma = ", with a decimal point" if "," in self.text else ""
            raise DataError(
                f"'{self.text}', printed as {self.label} of {self.run}, is not a number such as 0.4312 or 43.12%{comma}"
            )
        if sum(map(str.isdigit, self.text)) > _MOST_DIGITS:
            raise DataError(
                f"{self.label} of {self.run}, {self.text[:_MOST_DIGITS]}..., has more than {_MOST_DIGITS} digits",
                remedy="write the number as it is printed; computed values have 17 digits",
            )
        return match

    def _divisor(self, reading: Reading) -> float:
        return 100.0 if self.has_sign or reading.is_percent else 1.0


def numbers_of(printed: object, runs: Iterable[str]) -> list[PrintedNumber]:
    """Parse printed numbers: texts such as ``A:nDCG@10=0.4312``, paths of tables, or mappings of runs or labels to numbers.

    Raises DataError or SpecError if a number cannot be read, belongs to no run, or is given twice.
    """
    known = list(runs)
    found = list(_parse_each(printed, known))
    if not found:
        raise DataError("no printed number is given", allowed=LIKE)
    for place, one in enumerate(found):
        if one.run not in known:
            raise DataError(f"{one.label}={one.text} is given for '{one.run}', which is not a run{nearest(one.run, known)}")
        if any((one.run, one.label) == (other.run, other.label) for other in found[:place]):
            raise DataError(f"{one.label} of {one.run} is given twice; give one number for each metric and run")
    return found


def _parse_each(printed: object, runs: Sequence[str]) -> Iterable[PrintedNumber]:
    if isinstance(printed, Mapping):
        for key, value in printed.items():
            if isinstance(value, Mapping):
                yield from (PrintedNumber(str(key), str(label).strip(), str(text).strip()) for label, text in value.items())
            else:
                yield PrintedNumber(_only(runs, f"{key}={value}"), str(key).strip(), str(value).strip())
    elif isinstance(printed, Path) or (isinstance(printed, str) and Path(printed).suffix.lower() == ".csv"):
        yield from _parse_table(Path(printed))
    elif isinstance(printed, str):
        yield _parse_text(printed, runs)
    elif isinstance(printed, Iterable):
        for one in printed:
            yield from _parse_each(one, runs)
    else:
        raise DataError(f"printed numbers cannot be read from a {type(printed).__name__}", allowed=LIKE)


def _parse_text(text: str, runs: Sequence[str]) -> PrintedNumber:
    label, equals, value = text.rpartition("=")
    if not equals or not label.strip() or not value.strip():
        raise SpecError(f"'{text}' is not {LIKE}")
    run = next((run for run in runs if label.startswith(f"{run}:")), None)
    if run is None:
        named, colon, rest = label.partition(":")
        return (
            PrintedNumber(named, rest, value.strip()) if colon else PrintedNumber(_only(runs, text), label.strip(), value.strip())
        )
    return PrintedNumber(run, label[len(run) + 1 :].strip(), value.strip())


def _only(runs: Sequence[str], text: str) -> str:
    if len(runs) != 1:
        raise DataError(f"'{text}' does not name its run; write it as {runs[0]}:{text}" if runs else "no run is given")
    return runs[0]


def _parse_table(path: Path) -> Iterable[PrintedNumber]:
    """Read a table with a row for each run and a column for each metric, or with the columns run, metric and value."""
    reader = csv.reader(lines(path, "utf-8"))
    try:
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if any(map(str.strip, row))]
    except csv.Error as error:
        raise DataError(f"is not a table: {error}", where=f"{path}:{reader.line_num}", allowed=_TABLE) from error
    if len(rows) < 2 or len(rows[0][1]) < 2:
        raise DataError("has no printed number", where=str(path), allowed=_TABLE)
    (_, header), *body = rows
    for line, row in body:
        if len(row) != len(header):
            raise DataError(f"{len(row)} cells, but {len(header)} in the header", where=f"{path}:{line}")
        try:
            yield from _parse_row(header, row)
        except RecsensError as error:
            raise error.at(f"{path}:{line}") from None


def _parse_row(header: Sequence[str], row: Sequence[str]) -> Iterable[PrintedNumber]:
    if {name.lower() for name in header} == _LONG:
        named = {name.lower(): cell for name, cell in zip(header, row, strict=True)}
        yield PrintedNumber(named["run"], named["metric"], named["value"])
    else:
        yield from (PrintedNumber(row[0], label, text) for label, text in zip(header[1:], row[1:], strict=True) if text)
