"""The exact reader, which reads row by row and reports the first fault with its location."""

import csv
from array import array
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal

import numpy as np

from recsens.errors import DataError
from recsens.files.kinds import Kind
from recsens.files.layout import Found, Layout
from recsens.files.row_faults import MOST_COUNTED, RowFaults
from recsens.files.table import FileTable
from recsens.files.text import MOST_EMPTY, lines, too_empty, within_limit
from recsens.files.trec import fields_of

Invalid = Literal["error", "skip"]
"""What to do with a row that does not match the declaration: stop, or leave it out and count it."""

Record = tuple[int, list[str], int]
"""A record: the number of its first line (from 1), its fields, and how many lines it has."""


def records(path: Path, layout: Layout) -> Iterator[Record]:
    """Return a file's records, skipping empty lines and comments.

    A record with invalid quotes is never skipped, because an unclosed quote would swallow the lines after it.
    """
    return _quoted(path, layout) if layout.reads_quotes else _plain(path, layout)


def _plain(path: Path, layout: Layout) -> Iterator[Record]:
    last = 0
    for number, line in enumerate(lines(path, layout.encoding), start=1):
        plain = line.rstrip("\r\n")
        fields = plain.split(layout.separator) if layout.trec is None else fields_of(plain, layout.trec)
        if plain and fields:
            last = number
            yield number, fields, 1
        elif number - last > MOST_EMPTY:
            raise too_empty(str(path), number)


def _quoted(path: Path, layout: Layout) -> Iterator[Record]:
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


def checked(table: FileTable, kind: Kind, invalid: Invalid = "error") -> FileTable:
    """Return the table's valid rows. Invalid rows are refused or skipped. Some kinds of file must not be empty."""
    if kind.empty is not None and len(table) == 0:
        raise DataError(f"contains no {kind.roles[-1]}s", where=table.source, remedy=kind.empty)
    if all(column.is_sound(table.columns[column.role]) for column in kind.columns):
        return table
    texts = zip(*(map(str, table.columns[role]) for role in kind.roles), strict=True)
    rows = ((number, list(fields), 1) for number, fields in enumerate(texts, start=1))
    found = Found(kind, kind.columns, range(len(kind.roles)), kind.roles, ignored=table.ignored)
    return read_exactly(table.source, rows, lambda number: table.place(number - 1), found, invalid)
