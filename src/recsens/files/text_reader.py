"""Readers of text: a fast one, for files in which every line is regular, and an exact one, which locates every fault."""

import csv
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from recsens.errors import DataError
from recsens.files import line_faults
from recsens.files.kinds import Column, Decimal, Kind, is_number, is_truth
from recsens.files.layout import Found, Layout, find_columns
from recsens.files.paths import Files, in_words, parts_of
from recsens.files.table import FileTable, Names, numbers
from recsens.files.text import MOST_EMPTY, blocks, lines, too_empty_error, within_limit
from recsens.files.timestamps import moment_in_microseconds, parse_times
from recsens.files.trec import fields_of, tidy_lines

MOST_COUNTED = 1_000_000
"""Faults are counted in at most this many rows after the first fault, because the user waits for the message."""


class FaultyRowsError(DataError):
    """Rows in a file do not match the declaration. The message gives the first fault and the number of faults of each sort.

    Attributes
    ----------
    counted
        All faults with their counts, in words; empty if there is only one fault.
    sound
        The valid rows; None if they are not known.
    """

    counted: str = ""
    sound: FileTable | None = None

    def __str__(self) -> str:
        head, *tails = super().__str__().split("\n  allowed: ", maxsplit=1)
        return "\n  allowed: ".join([f"{head}\n  in all: {self.counted}" if self.counted else head, *tails])


class RowFaults:
    """The faults found so far: the first one, and counts by sort.

    Parameters
    ----------
    found
        The columns of the file.
    place
        Function that returns the location of a row with a given number.
    """

    def __init__(self, found: Found, place: Callable[[int], str]) -> None:
        self._found = found
        self._place = place
        self._first: DataError | None = None
        self._counts: Counter[str] = Counter()

    @property
    def n(self) -> int:
        """Number of faulty rows."""
        return self._counts.total()

    def note(self, number: int, fields: Sequence[str], faulty: Sequence[tuple[Column, str]]) -> None:
        """Record a faulty row and its ``faulty`` columns with their texts; if there are none, the number of fields is wrong."""
        if faulty:
            column, text = faulty[0]
            sort = column.sort_of_fault(text)
        else:
            sort = f"with more or fewer fields than {len(self._found.names)}"
        self._counts[sort] += 1
        if self._first is None:
            where, kind = self._place(number), self._found.kind
            if faulty:
                self._first = column.fault(text, where, self._found.ignored)
            else:
                self._first = line_faults.wrong_width(where, kind, fields, self._found.names)

    def error(self, sound: FileTable) -> FaultyRowsError:
        """Return the error with the first fault and all counts; it offers to skip rows only if valid rows would remain."""
        assert self._first is not None, "there is a fault"
        first = self._first if len(sound) else line_faults.without_skipping(self._first, self.n - 1)
        listed = ", ".join(f"{n:,} {sort}" for sort, n in self._counts.items())
        n_read = f"{self.n:,} of {self.n + len(sound):,} rows read"
        told = f"{n_read} are not as declared: {listed}" if len(self._counts) > 1 else f"{n_read} have this fault"
        error = FaultyRowsError(first.problem, where=first.where, allowed=first.allowed, remedy=first.remedy)
        error.counted, error.sound = told if self.n > 1 else "", sound
        return error


Invalid = Literal["error", "skip"]
"""What to do with a row that does not match the declaration: stop, or leave it out and count it."""

Record = tuple[int, list[str], int]
"""A record: the number of its first line (from 1), its fields, and how many lines it has."""


def records(path: Path, layout: Layout) -> Iterator[Record]:
    """Return a file's records, skipping empty lines and comments.

    A record with invalid quotes is never skipped, because an unclosed quote would swallow the lines after it.
    """
    return _quoted_records(path, layout) if layout.reads_quotes else _unquoted_records(path, layout)


def _unquoted_records(path: Path, layout: Layout) -> Iterator[Record]:
    last = 0
    for number, line in enumerate(lines(path, layout.encoding), start=1):
        plain = line.rstrip("\r\n")
        fields = plain.split(layout.separator) if layout.trec is None else fields_of(plain, layout.trec)
        if plain and fields:
            last = number
            yield number, fields, 1
        elif number - last > MOST_EMPTY:
            raise too_empty_error(str(path), number)


def _quoted_records(path: Path, layout: Layout) -> Iterator[Record]:
    start = 1
    text = within_limit(lines(path, layout.encoding), str(path), lambda: start)
    reader = csv.reader(text, delimiter=layout.separator, strict=True)
    try:
        for fields in reader:
            if fields:
                yield start, fields, reader.line_num + 1 - start
            start = reader.line_num + 1
    except csv.Error as error:
        limit = f"{csv.field_size_limit():,} characters"
        problem = (
            f"double quotes are not balanced, or a field has more than {limit}, in the record that begins on this line ({error})"
        )
        remedy = "correct the line; if quotes are ordinary characters, declare quoted=false in delimited(...)"
        raise DataError(problem, where=f"{path}:{start}", allowed='double the quotes inside "a field"', remedy=remedy) from error


def read_exactly(source: str, rows: Iterable[Record], place: Callable[[int], str], found: Found, invalid: Invalid) -> FileTable:
    """Read rows of text. Faulty rows are refused, or skipped and counted; ``place`` turns a row's number into its location.

    Before the error is raised, the faults in the following rows are counted, up to `MOST_COUNTED` rows. A faulty row that covers
    several lines is never skipped, because a stray quote may have joined good rows.
    """
    known: list[dict[str, int]] = [{} for _ in found.at]
    codes, numbers, faults, n_after = [array("i") for _ in found.at], array("q"), RowFaults(found, place), 0
    n_skipped = 0

    def read() -> FileTable:
        read = zip(found.columns, known, codes, strict=True)
        columns = {column.role: column.taken(list(names), np.array(code, dtype=np.int32)) for column, names, code in read}
        return FileTable(source, columns, lambda row: place(numbers[row]), n_skipped, found.ignored)

    for number, fields, n_lines in _up_to_another_fault(rows, lambda: faults.n > 0):
        if number <= found.n_header:
            continue
        is_whole = len(fields) == len(found.names)
        cells = list(zip(found.columns, [fields[at] for at in found.at] if is_whole else [], known, strict=False))
        faulty = [(column, text) for column, text, names in cells if text not in names and column.read(text) is None]
        if is_whole and not faulty:
            numbers.append(number)
            for code, (_, text, names) in zip(codes, cells, strict=True):
                code.append(names.setdefault(text, len(names)))
        elif invalid == "skip" and n_lines == 1:
            n_skipped += 1
        else:
            faults.note(number, fields, faulty)
        n_after += faults.n > 0
        if n_after >= MOST_COUNTED:
            break
    if faults.n:
        raise faults.error(read())
    return read()


def _up_to_another_fault(rows: Iterable[Record], is_refused: Callable[[], bool]) -> Iterator[Record]:
    """Yield rows. If the file itself has a fault after a refused row, just stop: the error must report the first fault."""
    try:
        yield from rows
    except DataError:
        if not is_refused():
            raise


def valid_rows(table: FileTable, kind: Kind, invalid: Invalid = "error") -> FileTable:
    """Return the table's valid rows. Invalid rows are refused or skipped. Some kinds of file must not be empty."""
    if kind.empty is not None and len(table) == 0:
        raise DataError(f"contains no {kind.roles[-1]}s", where=table.source, remedy=kind.empty)
    if all(column.is_sound(table.columns[column.role]) for column in kind.columns):
        return table
    texts = zip(*(map(str, table.columns[role]) for role in kind.roles), strict=True)
    rows = ((number, list(fields), 1) for number, fields in enumerate(texts, start=1))
    found = Found(kind, kind.columns, range(len(kind.roles)), kind.roles, ignored=table.ignored)
    return read_exactly(table.source, rows, lambda number: table.place(number - 1), found, invalid)


def parse_regular(
    text: bytes,
    names: Sequence[str],
    types: Mapping[str, pa.DataType],
    options: pa_csv.ParseOptions,
    decimal: Decimal = ".",
    n_skipped: int = 0,
) -> pa.Table | None:
    """Parse lines with a field for each of ``names``; return the columns that have types, or None if anything is irregular."""
    read = pa_csv.ReadOptions(use_threads=False, block_size=len(text) + 1, skip_rows=n_skipped, column_names=list(names))
    convert = pa_csv.ConvertOptions(
        column_types=dict(types), include_columns=list(types), null_values=[], strings_can_be_null=False, decimal_point=decimal
    )
    try:
        return pa_csv.read_csv(pa.BufferReader(text), read, options, convert)
    except pa.ArrowInvalid:
        return None


def read_swiftly(path: Path, layout: Layout, found: Found) -> FileTable | None:
    """Read a file in blocks; return None if a line or field is unusual.

    The result equals the exact reader's result.
    """
    # The parser only accepts a single character, so a longer separator is replaced during reading.
    separator = layout.separator if len(layout.separator) == 1 and layout.separator.isascii() else "\x1f"
    forms = _time_types(path, layout, found)
    types = {str(at): forms.get(column.role, column.kind) for column, at in zip(found.columns, found.at, strict=True)}
    parse = pa_csv.ParseOptions(delimiter=separator, quote_char='"' if layout.reads_quotes else False)
    decimal: Decimal = "," if any(column.decimal == "," for column in found.columns) else "."
    names = list(map(str, range(len(found.names))))
    tables: list[pa.Table] = []
    n_empty = 0
    for block in blocks(path, layout.encoding):
        # The parser would drop a byte order mark at the start of every block.
        if "\0" in block or block.startswith("\ufeff") or (separator != layout.separator and separator in block):
            return None
        text = block.encode()
        text = text if separator == layout.separator else text.replace(layout.separator.encode(), separator.encode())
        if layout.reads_quotes and b'"' in text and not _enclose_fields(text, ord(separator)):
            return None
        tidy = text if layout.trec is None else tidy_lines(text, layout.trec)
        n_empty = 0 if tidy.strip() else n_empty + block.count("\n")
        if n_empty > MOST_EMPTY:
            return None
        if tidy.lstrip(b"\r\n"):
            table = parse_regular(tidy, names, types, parse, decimal, n_skipped=0 if tables else found.n_header)
            if table is None:
                return None
            tables.append(table)
    columns = _columns_by_role(pa.concat_tables(tables), found, forms) if tables else None
    if columns is None:
        return None
    return FileTable(str(path), columns, lambda row: _line_of_row(path, layout, found, row), ignored=found.ignored)


def _columns_by_role(table: pa.Table, found: Found, forms: Mapping[str, pa.DataType]) -> dict[str, Any] | None:
    """Return the columns by role; None if a time is irregular."""
    columns: dict[str, Any] = {}
    for column, at in zip(found.columns, found.at, strict=True):
        values = table.column(str(at))
        if column.role in forms:
            read = parse_times(values, column.dates) if pa.types.is_string(values.type) else _as_integers(values)
            if read is None:
                return None
            values = read
        columns[column.role] = Names.of(values) if column.holds == "name" else numbers(values)
    return columns


def _as_integers(numbers: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return numbers such as ``1300000000.0`` as integers; None if one has a fraction."""
    try:
        return numbers.cast(pa.int64())
    except pa.ArrowInvalid:
        return None


def _time_types(path: Path, layout: Layout, found: Found) -> dict[str, pa.DataType]:
    """Return the type in which to read each time column whose first field is not an integer: text for dates and times."""
    rows = (fields for line, fields, _ in records(path, layout) if line > found.n_header)
    fields = next(rows, [])
    times = ((column, at) for column, at in zip(found.columns, found.at, strict=True) if column.holds == "time")
    firsts = {column: fields[at].strip() for column, at in times if at < len(fields)}
    forms = {column.role: pa.float64() for column, text in firsts.items() if "." in text and is_number(text)}
    return forms | {
        column.role: pa.string() for column, text in firsts.items() if moment_in_microseconds(text, column.dates) is not None
    }


def _line_of_row(path: Path, layout: Layout, found: Found, row: int) -> str:
    rows = (line for line, _, _ in records(path, layout) if line > found.n_header)
    return f"{path}:{next(islice(rows, row, None))}"


def _enclose_fields(text: bytes, separator: int) -> bool:
    """Whether every quotation mark encloses a whole field; programs that read CSV disagree on other uses."""
    byte = np.frombuffer(b"\n%b\n" % text, dtype=np.uint8)
    is_end = (byte == ord("\n")) | (byte == ord("\r")) | (byte == separator)
    # One bit for each byte of the text, eight bits to a byte; the first bit is the lowest.
    before, quote, after = (np.packbits(bits, bitorder="little") for bits in (is_end[:-2], byte[1:-1] == ord('"'), is_end[2:]))
    # A byte opens quotes or is inside them if the number of quotes up to and including this byte is odd (running sum modulo 2).
    inside = quote.copy()
    for shift in (1, 2, 4):
        inside ^= inside << shift
    is_odd = np.bitwise_xor.accumulate(inside >> 7)
    inside[1:] ^= np.negative(is_odd[:-1])
    return not (is_odd[-1] or (quote & inside & ~before).any() or (quote & ~inside & ~after).any())


def read_rows(path: Path, rows: Iterable[Record], kind: Kind, invalid: Invalid) -> FileTable:
    """Read rows of text. Each row consists of its line number, the texts of its columns, and the number of its lines, which is 1.

    Raises
    ------
    DataError
        If a row is invalid, unless invalid rows are skipped; the message gives file and line.
    """
    found = Found(kind, kind.columns, range(len(kind.roles)), kind.roles)
    return read_exactly(str(path), rows, lambda line: f"{path}:{line}", found, invalid)


def read_tabbed(
    path: Path, width: int, kind: Kind, invalid: Invalid, arrange: Callable[[list[pa.Array]], list[pa.Array]]
) -> FileTable:
    """Read a large tab-separated file without header or quotes, block by block.

    Parameters
    ----------
    path
        The file, UTF-8, plain or gzipped.
    width
        Number of fields in each line.
    kind
        The content of the columns.
    invalid
        Whether an irregular row is an error, or is left out.
    arrange
        Function that turns the fields of many lines, which are text, into the kind's columns (as text or in their own types).

    If a block contains an irregular line, its lines are read one by one, and the error names the first fault.
    """
    tables: list[FileTable] = []
    n_lines = 0
    for block in blocks(path, "utf-8"):
        table = _block_swiftly(path, block, width, kind, arrange)
        tables.append(table or _block_exactly(path, block, n_lines, width, kind, invalid, arrange))
        n_lines += block.count("\n")
    return replace(FileTable.joined(str(path), tables), place=lambda row: _place_of_line(path, row))


def _block_swiftly(
    path: Path, block: str, width: int, kind: Kind, arrange: Callable[[list[pa.Array]], list[pa.Array]]
) -> FileTable | None:
    """Read a block of regular lines; None if some line is irregular."""
    text = block.encode()
    if not text.strip() or b"\0" in text:
        return None
    names = list(map(str, range(width)))
    table = parse_regular(text, names, dict.fromkeys(names, pa.string()), pa_csv.ParseOptions(delimiter="\t", quote_char=False))
    if table is None:
        return None
    try:
        arranged = arrange([table.column(name).combine_chunks() for name in names])
        read = [pa.chunked_array([values.cast(column.kind)]) for column, values in zip(kind.columns, arranged, strict=True)]
    except pa.ArrowInvalid:
        return None
    columns = {
        column.role: Names.of(values) if column.holds == "name" else numbers(values)
        for column, values in zip(kind.columns, read, strict=True)
    }
    is_sound = all(column.is_sound(columns[column.role]) for column in kind.columns)
    return FileTable(str(path), columns, lambda row: f"{path}, row {row + 1}") if is_sound else None


def _block_exactly(
    path: Path,
    block: str,
    before: int,
    width: int,
    kind: Kind,
    invalid: Invalid,
    arrange: Callable[[list[pa.Array]], list[pa.Array]],
) -> FileTable:
    """Read a block line by line; its first line has number ``before`` + 1."""

    def rows() -> Iterator[Record]:
        for number, line in enumerate(block.split("\n"), start=before + 1):
            fields = line.rstrip("\r").split("\t")
            if fields == [""]:
                continue
            if len(fields) != width:
                # An empty text is not a valid name, so the row is skipped or refused like other invalid rows.
                yield number, [""] * len(kind.roles), 1
                continue
            try:
                arranged = arrange([pa.array([field], pa.string()) for field in fields])
            except pa.ArrowInvalid:
                yield number, [""] * len(kind.roles), 1
                continue
            yield number, [str(values[0].as_py()) for values in arranged], 1

    return read_rows(path, rows(), kind, invalid)


def _place_of_line(path: Path, row: int) -> str:
    """Return a row's file and line. The line is correct only if no earlier row was left out."""
    full = (number for number, line in enumerate(lines(path, "utf-8"), start=1) if line.strip("\r\n"))
    number = next(islice(full, row, None), None)
    if number is None:
        raise DataError(f"has no row {row + 1}", where=str(path))
    return f"{path}:{number}"


_TRIED = 1000
"""Number of rows that `try_first_rows` reads."""


def read_text(path: Files, kind: Kind, layout: Layout, invalid: Invalid = "error") -> FileTable:
    """Read a text file with a given layout: with the fast reader if every line is regular, otherwise with the exact reader.

    The parts of a folder, or several files, are read one after the other; if there is a header, later parts may lack it.
    """
    first, *others = parts_of(path)
    table = _read_file(first, kind, layout, invalid)
    if not others:
        return table
    layouts = _layouts_of_parts(first, others, kind, layout)
    tables = [_read_file(part, kind, own, invalid) for part, own in zip(others, layouts, strict=True)]
    return FileTable.joined(in_words(path), [table, *tables])


def _layouts_of_parts(first: Path, others: Sequence[Path], kind: Kind, layout: Layout) -> list[Layout]:
    header = next(records(first, layout), None)
    if header is None or layout.trec is not None or not layout.header:
        return [layout] * len(others)
    columns = dict(zip(kind.roles, find_columns(first, kind, layout, header).at, strict=True))
    without = replace(layout, columns=columns, header=False)
    beginnings = (next(records(part, layout), header) for part in others)
    return [layout if sorted(fields) == sorted(header[1]) else without for _, fields, _ in beginnings]


def _find_columns(path: Path, kind: Kind, layout: Layout) -> Found:
    """Find the columns, and whether those of numbers hold only true and false, or yes and no; a number ends this search."""
    found = find_columns(path, kind, layout, next(records(path, layout), None))

    def holds_truth(at: int) -> bool:
        rows = (fields for line, fields, _ in records(path, layout) if line > found.n_header and at < len(fields))
        return all(is_truth(fields[at]) for fields in rows if fields[at].strip())

    columns = zip(found.columns, found.at, strict=True)
    return replace(found, columns=[replace(each, truth=each.holds == "number" and holds_truth(at)) for each, at in columns])


def _read_file(path: Path, kind: Kind, layout: Layout, invalid: Invalid) -> FileTable:
    found = _find_columns(path, kind, layout)
    table = read_swiftly(path, layout, found)
    # If anything is unusual, read again with the exact reader, which reports the text and the line of each fault.
    if table is not None and all(column.is_sound(table.columns[column.role]) for column in found.columns):
        return table
    return read_exactly(str(path), records(path, layout), lambda line: f"{path}:{line}", found, invalid)


def try_first_rows(path: Path, kind: Kind, layout: Layout) -> None:
    """Read the first thousand rows of a text file with a given layout.

    Raises
    ------
    DataError
        If a field has content that its column does not allow; the message names the line.
    """
    found = _find_columns(path, kind, layout)
    read_exactly(str(path), islice(records(path, layout), _TRIED), lambda line: f"{path}:{line}", found, "error")
