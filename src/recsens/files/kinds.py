"""What each kind of file contains, in any format, and the error about a field with other content."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from recsens.errors import DataError, nearest
from recsens.files.scale import Scale
from recsens.files.table import Names
from recsens.files.timestamps import Dates, orders_of, time_in_microseconds, time_stamps

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SWAPPED = str.maketrans(",.", ".,")

_TRUTH = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}

BY_RANK = 'order the run by its ranks instead: --rank-by rank, rank_by="rank"'
"""Advice if the scores of a run do not order its items."""

OR_SKIP = ", or leave such {row}s out and count them with invalid=skip"
"""Further advice about a row that does not match the declaration, if other rows match it."""

RankBy = Literal["score", "rank"]
"""What orders the items of a run: the score, highest first, or the rank, lowest first."""

_MOST_SHOWN = 100
"""Largest number of characters of a field that a message repeats."""

Holds = Literal["name", "number", "whole", "time"]

Decimal = Literal[".", ","]
"""The sign between the whole and the fractional part of a number."""

_HOLDS: dict[Holds, tuple[pa.DataType, str, str]] = {
    "name": (pa.dictionary(pa.int32(), pa.string()), "known", "any non-empty text"),
    "number": (pa.float64(), "a finite number", "a finite number such as 0.25"),
    "whole": (pa.float64(), "a whole number", "a whole number of at least 0, such as 1"),
    "time": (
        pa.int64(),
        "an integer of 64 bits, a date or a time",
        "an integer, such as seconds since 1970, or a date or time in ISO 8601, such as 2021-01-03T10:15:00+01:00",
    ),
}
"""Content of a field -> its type, the words that follow "is not" in a message, and what is allowed. Names, such as 007 or NA, are
stored unchanged, and each only once.
"""


def is_number(text: str) -> bool:
    """Whether a text is a decimal number."""
    return _NUMBER.fullmatch(text.strip()) is not None


def is_truth(text: str) -> bool:
    """Whether a text is true or false, or yes or no, which are read as the numbers 1 and 0."""
    return text.strip().lower() in _TRUTH


@dataclass(frozen=True)
class Column:
    """A file column: its name in a table, and the content of its fields.

    The fields are names (any, or one of ``words``), finite numbers (any, or on a ``scale``), whole numbers of at least 0, or time
    stamps. Time stamps are numbers, or dates and times, which become seconds since 1970, or microseconds if a row has a fraction of
    a second. ``remedy`` is the advice about a field with other content; ``{row}`` in this advice is replaced by "line" or
    "row". ``decimal`` is the decimal sign that a study declares; if a study cannot declare it, ``decimal`` is None, and numbers
    have a point. ``dates`` is the declared order of day and month in dates such as 3/1/2021, which are not read without one. True
    and false, or yes and no, are the numbers 1 and 0 only if ``truth``: if no field holds anything else.
    """

    role: str
    holds: Holds = "name"
    scale: Scale | None = None
    words: tuple[str, ...] = ()
    remedy: str = "correct the {row}"
    decimal: Decimal | None = None
    dates: Dates | None = None
    truth: bool = False

    @property
    def kind(self) -> pa.DataType:
        """The pyarrow type in which the column is read."""
        return _HOLDS[self.holds][0]

    def read(self, text: str) -> str | float | None:
        """Return the name or number that a text stands for; None if the column cannot contain it."""
        if self.holds == "name":
            return text if text and (not self.words or text in self.words) else None
        if self.holds == "time":
            return time_in_microseconds(text.strip(), self.dates)
        number = self._parse_number(text)
        return number if number is not None and self._allows(number) else None

    def _parse_number(self, text: str) -> float | None:
        """Return the number that a text stands for, with this column's decimal sign."""
        text = text.translate(_SWAPPED) if self.decimal == "," else text
        return float(text) if is_number(text) else _TRUTH.get(text.strip().lower()) if self.truth else None

    def is_sound(self, values: Names | NDArray[Any]) -> bool:
        """Whether the column can contain all values; False for numbers that are still text."""
        if isinstance(values, Names):
            return self.holds == "name" and None not in map(self.read, values.names)
        return bool(np.all(self._allows(values)))

    def taken(self, texts: list[str], code: NDArray[np.int32]) -> Names | NDArray[Any]:
        """Return the column; row i contains ``texts[code[i]]``."""
        if self.holds == "name":
            return Names(texts, code)
        if self.holds == "time":
            return time_stamps([int(self.read(text) or 0) for text in texts])[code]
        return np.array([self.read(text) for text in texts], dtype=self.kind.to_pandas_dtype())[code]

    def fault(self, text: str, where: str, ignored: Sequence[str] = ()) -> DataError:
        """Return the error about a text that the column cannot contain; ``ignored`` are the columns that are not read."""
        said, (_, none, allowed) = "time stamp" if self.role == "timestamp" else self.role, _HOLDS[self.holds]
        allowed = ", ".join(self.words) or (allowed if self.scale is None else self.scale.describe())
        shown = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
        problem = f"the {said} '{shown}' is not {none}{nearest(shown, self.words)}"
        remedy = f"{self.remedy}, or {BY_RANK}" if self.role == "score" and "rank" in ignored else self.remedy
        number = self._parse_number(text)
        if not text or (text.isspace() and self.holds != "name"):
            problem = f"the {said} is missing"
        elif self.scale is not None and number is not None and np.isfinite(number):
            problem, finer = self.scale.miss_in_words(number)
            # If a finer scale would include the rating, skipping all such rows would lose some of the data.
            remedy = f"declare {finer} if the scale has such ratings; otherwise correct the {{row}}" if finer else remedy
        elif self.holds == "number" and self.decimal == "," and is_number(text):
            allowed += ", with a decimal comma, as declared"
        elif self.holds == "number" and "," in text and is_number(text.replace(",", ".")):
            allowed += ", with a decimal point"
            remedy = f'declare decimal="," if ratings have decimal commas; otherwise {remedy}' if self.decimal else remedy
        elif self.holds == "time" and self.dates is None and (orders := orders_of([text])):
            remedy = f"declare {' or '.join(f'dates={order}' for order in orders)}; otherwise {remedy}"
        return DataError(problem, where=where, allowed=allowed, remedy=remedy.format(row="row" if ", row " in where else "line"))

    def sort_of_fault(self, text: str) -> str:
        """Describe the fault of a row with this text; similar texts get the same words."""
        said = "time stamp" if self.role == "timestamp" else self.role
        a_said = f"an {said}" if said[0] in "aeio" else f"a {said}"
        if not text or (text.isspace() and self.holds != "name"):
            return f"without {a_said}"
        number = self._parse_number(text)
        if self.scale is not None and number is not None and np.isfinite(number):
            return f"with {a_said} off the scale"
        return f"with {a_said} that is not {_HOLDS[self.holds][1]}"

    def _allows(self, numbers: Any) -> Any:
        if self.scale is not None:
            return self.scale.holds(numbers)
        return np.isfinite(numbers) & ((self.holds != "whole") | (numbers >= 0) & (numbers == np.floor(numbers)))


@dataclass(frozen=True)
class Kind:
    """A kind of file, with the ``columns`` that are read.

    If this kind of file can have TREC's form, ``fields`` are the fields of a line in that form, and ``constant`` is the field that
    is the same in all lines. ``empty`` is the advice about a file without rows; it is None if such a file is allowed. If
    ``is_declared``, a study declares the file's layout; otherwise a table has the column names given here.
    """

    columns: tuple[Column, ...]
    fields: tuple[str, ...] = ()
    constant: str | None = None
    empty: str | None = None
    is_declared: bool = False

    @property
    def roles(self) -> list[str]:
        """The kind's column names."""
        return [column.role for column in self.columns]


_RUN = ("user", "Q0", "item", "rank", "score", "tag")
_SCORED = "write one row for each user and each item that the model can score"
_RATING = Column("rating", "number", remedy="leave out pairs that nobody has judged")

PAIRS = Kind((Column("user"), Column("item")))
"""Only users and items, such as target items."""

RUNS: dict[RankBy, Kind] = {
    "score": Kind(
        (*PAIRS.columns, Column("score", "number", remedy="leave out items that the model cannot score")), _RUN, empty=_SCORED
    ),
    "rank": Kind((*PAIRS.columns, Column("rank", "whole", remedy="give every item of the run its rank")), _RUN, empty=_SCORED),
}
"""Runs ordered by their scores, or by their ranks; the other column is not read."""

QRELS = Kind((*PAIRS.columns, _RATING), ("user", "0", "item", "rating"), "0", "write one row for each user and each judged item")
"""Ratings of the test set: TREC's qrels."""


def role_of_order(rank_by: object) -> RankBy:
    """Return the column that orders a run's items; runs in the order of their rows have scores too."""
    return "rank" if rank_by == "rank" else "score"
