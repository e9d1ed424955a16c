"""Inspect an undeclared file: its field separator, whether it has a header, and its columns."""

import contextlib
import csv
import json
import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pyarrow as pa

from recsens.errors import DataError
from recsens.files.column_names import kinds_in, role_called
from recsens.files.kinds import is_number
from recsens.files.known_formats import KnownFormatError, refuse_known_formats
from recsens.files.line_faults import empty_file
from recsens.files.paths import Files, parts_of
from recsens.files.text import BLOCK, EncodingError, lines, open_unpacked, starts_with
from recsens.files.timestamps import ORDERS, moment_in_microseconds

LOOKED_AT = 1000
"""Number of lines, or of rows of a parquet file, to inspect."""

_NEARLY_ALL = 0.95
"""A column gets a description (such as "numbers") if it fits at least this share of the fields."""

SEPARATED = {
    "\t": "tabs",
    ",": "commas",
    ";": "semicolons",
    "::": "'::'",
    "|": "'|'",
    "\x01": "Hive's \\x01",
    "\xa0": "no-break spaces",
    " ": "blanks",
}
"""Possible field separators, in words; if two explain the lines equally well, see `_split`."""

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")

_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")

_OTHER_DATE = re.compile(r"[0-9]{1,2}([/-])[0-9]{1,2}\1[0-9]{2,4}(?:[T ,].*)?|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ,].*")
"""Dates, perhaps with a time, that can be read in two ways or in none, such as 1/2/2024 10:15 PM."""

_WITH_DIGITS = re.compile(r"[^0-9]{0,12}[0-9].{2,40}")
"""What dates and times look like at least."""

_GLUED_DATE = re.compile(r"[^ \"0-9][0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:")

MISSING = frozenset(("", "-", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "none", "\\N"))
"""Texts that programs write in place of a missing number."""

_LONG_NAME = re.compile(r"[0-9]{5,}\.[0-9]{10,}")
"""Names of visitors, such as 187339355.1644250401; times have at most seven digits after the point."""

WITH_DECIMAL_COMMAS = "numbers with decimal commas"
"""The description of ratings for which a study must declare ``decimal=","``."""

IN_ANOTHER_FORM = "dates in a form that is not read"
"""The description of dates that are not read as times."""

WHOLE_WITH_POINT = "numbers ending in .0"
"""The form in which pandas writes whole numbers, such as ratings or the names of users, if their column has gaps."""

PARTLY_EMPTY, NUMBERS_PARTLY_EMPTY = "text, partly empty", "numbers, partly empty"

CALENDAR_DAYS = "whole numbers that look like days (20240131)"
"""The description of days written as numbers, which a study declares with ``dates=year_first``; else they would be seconds."""

_TIMES_WITH_FRACTIONS = "numbers that look like times"

TIMES = frozenset(("dates", "dates and times", "whole numbers that look like times", _TIMES_WITH_FRACTIONS, CALENDAR_DAYS))
"""Descriptions of columns that look like time stamps."""

_WESTERN, _OTHER_SCRIPTS = (
    ("cp1252", "latin-1"),
    ("cp1252", "cp932", "euc_jp", "gb18030", "big5", "euc_kr", "cp1251", "koi8_r", "cp1250"),
)
"""Encodings besides UTF-8. The last one of Western Europe can decode every byte."""

Field = str
"""The text of a row in one column."""

_EARLIEST, _LATEST = 315_532_800, 4_102_444_800
"""An integer between these two numbers of seconds since 1970 (the years 1980 to 2100) looks like a time."""


@dataclass(frozen=True)
class Seen:
    """What the inspection found about a column.

    Attributes
    ----------
    name
        The column's name in the header or, without a header, its number, counted from 0.
    holds
        A description of nearly all of its fields, such as "whole numbers".
    fields
        The fields of the inspected rows, without blanks at both ends.
    """

    name: str | int
    holds: str
    fields: Sequence[Field]

    @property
    def examples(self) -> tuple[str, ...]:
        """The first distinct fields that are not empty."""
        return tuple(islice(filter(None, dict.fromkeys(self.fields)), 3))

    @property
    def is_distinct(self) -> bool:
        """Whether every inspected row has another field."""
        return len(set(self.fields)) == len(self.fields)


@dataclass(frozen=True)
class FirstLook:
    """The apparent layout of a file.

    Attributes
    ----------
    encoding, separator, quoted, header
        Values for the parameters of ``delimited`` with these names.
    columns
        The columns in order.
    """

    encoding: str
    separator: str
    quoted: bool
    header: bool
    columns: tuple[Seen, ...]


def first_look(path: Files) -> FirstLook:
    """Inspect the first thousand lines of a text file, or of the first part in a folder.

    Raises
    ------
    DataError
        If the file is missing or empty; if it is not text; if it has a known format without a row for each interaction; if it has
        no row below its header; or if its fields have no known separator.
    """
    path = path if isinstance(path, Path) else path[0]
    if path.suffix == ".npz":
        load = f"in Python: recsens.load(scipy.sparse.load_npz({str(path)!r}))"
        raise KnownFormatError("this looks like a matrix of NumPy or SciPy", where=str(path), remedy=load)
    encoding, told = _sample(parts_of(path)[0])
    if not told:
        raise empty_file(path)
    refuse_known_formats(path, told)
    separator, quoted, rows = _split(path, told)
    first, *others = rows
    header = is_header(first, others)
    if header and not others:
        remedy = "check that it was written completely"
        raise DataError(f"the file has a header, {separator.join(first)[:60]}, but no rows", where=str(path), remedy=remedy)
    columns = [[field.strip() for field in fields] for fields in zip(*_whole(others if header else rows), strict=True)]
    names: Sequence[str | int] = first if header else range(len(first))
    seen = tuple(Seen(name, _kind_held(fields), fields) for name, fields in zip(names, columns, strict=False))
    return FirstLook(encoding, separator, quoted, header, seen)


def is_header(first: Sequence[Field], others: Sequence[Sequence[Field]]) -> bool:
    """Return whether the first line is a header: it contains a known name, or lacks a number where all other lines have one.

    A date counts as a number.
    """
    numbers = [all(map(_is_measured, fields)) for fields in zip(*_whole(others), strict=True)]
    named = {role_called(field) for field in first if not _is_measured(field)} - {None}
    # A title such as "Click" is no header if a number stands where all other lines have one.
    is_row = any(_is_measured(field) for field, holds in zip(first, numbers, strict=False) if holds)
    if len(named) > 1 or (named and not is_row):
        return True
    return any(numbers) and not any(_is_measured(field) for field, holds in zip(first, numbers, strict=False) if holds)


def _is_measured(field: Field) -> bool:
    """Whether a field is a number, a date or a time, in any common form."""
    text = field.strip()
    return (
        is_number(text)
        or moment_in_microseconds(text) is not None
        or any(form.fullmatch(text) for form in (_DECIMAL_COMMA, _OTHER_DATE))
    )


def _sample(path: Path) -> tuple[str, list[str]]:
    """Return the file's encoding and its first non-empty lines."""
    for encoding in _encodings(path):
        try:
            told = [line.rstrip("\r\n") for line in islice(lines(path, encoding), LOOKED_AT)]
        except EncodingError:
            if encoding not in {"utf-8", _WESTERN[0]}:
                raise
            continue
        return encoding, [line for line in told if line.strip()]
    raise AssertionError("the last encoding takes any byte")


def _encodings(path: Path) -> Iterator[str]:
    """Visit the encodings to try; text in none of Western Europe is refused, with what other encodings would make of it."""
    if any(starts_with(path, mark) for mark in _UTF_16):
        yield "utf-16"
        return
    yield "utf-8"
    with open_unpacked(path) as stream:
        text = stream.read(BLOCK).rpartition(b"\n")[0]
    known = {encoding: _n_known(text, encoding) for encoding in _OTHER_SCRIPTS}
    best = [encoding for encoding, n in known.items() if n == max(known.values()) > 1]
    if len(best) == 1:
        yield from _WESTERN if best[0] in _WESTERN else best
        return
    runs = re.findall(rb"[\x80-\xff]+", text)
    # In Western Europe, most letters beside an accented one have no accent; five bytes have no meaning there.
    if 2 * sum(len(run) == 1 for run in runs) < len(runs) or re.search(rb"[\x81\x8d\x8f\x90\x9d]", text):
        line = next((line for line in text.splitlines() if re.search(rb"[\x80-\xff]", line)), b"")
        readings = {}
        for encoding in _OTHER_SCRIPTS:
            with contextlib.suppress(UnicodeDecodeError):
                if _are_letters(text.decode(encoding)):
                    readings[encoding] = line.decode(encoding).strip()[:30]
        if readings:
            raise DataError(
                "the text is not UTF-8, and its letters are not those of Western Europe",
                where=str(path),
                allowed="; ".join(f"encoding={encoding} if this is right: {shown}" for encoding, shown in readings.items()),
                remedy="declare it in delimited(...), or write the file as UTF-8: iconv -f ENCODING -t UTF-8 FILE",
            )
    yield from _WESTERN


def _n_known(text: bytes, encoding: str) -> int:
    """Return how many words of the first line are known in an encoding; 0 if the text has another."""
    with contextlib.suppress(UnicodeDecodeError):
        header = text.decode(encoding).partition("\n")[0]
        return sum(kind != "?" for field in re.split(r"[\t,;|]", header) for kind in kinds_in(field))
    return 0


def _are_letters(text: str) -> bool:
    """Whether all characters beyond ASCII are usual in words: letters and punctuation, of which no more than half are capitals."""
    beyond = [letter for letter in text if letter > "\x7f"]
    are_usual = all(unicodedata.category(letter)[0] in "LP" and not "\uff61" <= letter <= "\uff9f" for letter in beyond)
    return are_usual and 2 * sum(map(str.isupper, beyond)) <= len(beyond)


def _split(path: Path, told: Sequence[str]) -> tuple[str, bool, list[list[Field]]]:
    """Find the field separator, whether quotes enclose fields, and the rows.

    The separator with which the largest share of lines has the same number of fields, at least two, is chosen. If two separators
    reach the same share, a separator with which the first line has this number too is preferred, because a header has no decimal
    signs; then any separator but blanks; then the one with more fields, because a comma may be a decimal sign.
    """
    found: dict[str, tuple[tuple[float, bool, bool, int], bool, list[list[Field]]]] = {}
    for separator in SEPARATED:
        # A blank between the day and the time shows that another character separates fields.
        if separator == " " and all(map(_GLUED_DATE.search, told)):
            continue
        quoted, rows = _rows(told, separator)
        [(width, n_rows)] = Counter(map(len, rows)).most_common(1)
        if width > 1:
            found[separator] = (round(n_rows / len(rows), 2), len(rows[0]) == width, separator != " ", width), quoted, rows
    if not found:
        raise DataError(
            f"the fields of the first line have no known separator: '{told[0][:60]}'",
            where=f"{path}:1",
            allowed="tabs, commas, semicolons, '::', '|' or blanks",
            remedy="write one row for each interaction: a user, an item, and what is known about the two",
        )
    separator = max(found, key=lambda each: found[each][0])
    _, quoted, rows = found[separator]
    width = found[separator][0][-1]
    n_above = next(at for at, fields in enumerate(rows) if len(fields) == width)
    if n_above and width > len(("user", "item")) and all(len(fields) == 1 for fields in rows[:n_above]):
        raise KnownFormatError(
            f"this looks like a table below other lines, such as '{told[0][:60]}'",
            where=f"{path}:1",
            remedy=f"leave these out: awk 'index($0, {json.dumps(told[n_above], ensure_ascii=False)}) {{found = 1}} found' "
            f"{shlex.quote(str(path))} > ratings.csv",
        )
    return separator, quoted, rows


def _rows(told: Sequence[str], separator: str) -> tuple[bool, list[list[Field]]]:
    """Return whether quotes enclose fields, and the fields of each line; unbalanced quotes are ordinary characters."""
    if len(separator) == 1:
        reader, rows, n_read = csv.reader(told, delimiter=separator, strict=True), [], 0
        with contextlib.suppress(csv.Error):
            for fields in reader:
                rows.append(fields)
                n_read = reader.line_num
            return True, rows
        # The sample may end within the quotes of a text of several lines.
        if reader.line_num == len(told) and n_read > len(rows):
            return True, rows
    return len(separator) > 1, [line.split(separator) for line in told]


def _whole(rows: Sequence[Sequence[Field]]) -> list[Sequence[Field]]:
    """Leave out rows that are shorter or longer than most; they are reported when the file is read."""
    (width, _), *_ = Counter(map(len, rows)).most_common(1) or [(0, 0)]
    return [fields for fields in rows if len(fields) == width]


def _kind_held(texts: Sequence[Field]) -> str:
    """Describe nearly all fields of a column; the other fields are reported when the file is read."""
    if not _nearly_all(text not in MISSING for text in texts):
        present = [text for text in texts if text not in MISSING]
        return NUMBERS_PARTLY_EMPTY if present and _nearly_all(map(is_number, present)) else PARTLY_EMPTY
    if all(map(_LONG_NAME.fullmatch, texts)):
        return "text"
    if _nearly_all(map(is_number, texts)):
        return _kind_of_numbers(texts)
    may_be_times = _nearly_all(_WITH_DIGITS.fullmatch(text) is not None for text in texts)
    if may_be_times and any(_nearly_all(moment_in_microseconds(text, order) is not None for text in texts) for order in ORDERS):
        return "dates" if _nearly_all(":" not in text for text in texts) else "dates and times"
    for form, said in ((_DECIMAL_COMMA, WITH_DECIMAL_COMMAS), (_OTHER_DATE, IN_ANOTHER_FORM)):
        if _nearly_all(is_number(text) or form.fullmatch(text) is not None for text in texts):
            return said
    return "text"


def _kind_of_numbers(texts: Sequence[Field]) -> str:
    whole = [int(text) for text in texts if re.fullmatch(r"[+-]?[0-9]+", text)]
    if len(whole) < _NEARLY_ALL * len(texts):
        numbers = [float(text) for text in texts if is_number(text)]
        are_times = _nearly_all(_EARLIEST <= number <= _LATEST for number in numbers)
        return WHOLE_WITH_POINT if all(map(float.is_integer, numbers)) else _TIMES_WITH_FRACTIONS if are_times else "numbers"
    if _nearly_all(map(_looks_like_a_day, whole)):
        return CALENDAR_DAYS
    return "whole numbers that look like times" if _nearly_all(map(_looks_like_a_time, whole)) else "whole numbers"


def _nearly_all(are: Iterable[bool]) -> bool:
    found = list(are)
    return sum(found) >= _NEARLY_ALL * len(found)


def _looks_like_a_day(number: int) -> bool:
    text = str(number)
    is_day = len(text) in {len("20240131"), len("20240131221500")} and "1900" < text[:4] < "2100"
    return is_day and moment_in_microseconds(f"{text[:4]}-{text[4:6]}-{text[6:8]}") is not None


def _looks_like_a_time(number: int) -> bool:
    return any(_EARLIEST * unit <= number <= _LATEST * unit for unit in (1, 10**3, 10**6, 10**9))


def seen_in(table: pa.Table) -> list[Seen]:
    """Describe a parquet file's columns from their types and the first rows."""
    return [
        Seen(name, _kind_held(fields) if _is_described_by_fields(column.type) else _held_by(column.type, fields), fields)
        for name, column in zip(table.column_names, table.columns, strict=True)
        for fields in (["" if value is None else str(value).strip() for value in column.to_pylist()],)
    ]


def _held_by(kind: pa.DataType, fields: Sequence[Field]) -> str:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_temporal(kind):
        return "dates and times"
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "numbers" if _nearly_all(text not in MISSING for text in fields) else NUMBERS_PARTLY_EMPTY
    return str(kind)


def _is_described_by_fields(kind: pa.DataType) -> bool:
    kind, types = kind.value_type if pa.types.is_dictionary(kind) else kind, pa.types
    return any(fits(kind) for fits in (types.is_string, types.is_large_string, types.is_integer, types.is_null))
