"""The fast reader, for text files in which every line is regular. It gives up on all other files."""

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from recsens.files.exact_reader import records
from recsens.files.kinds import is_number
from recsens.files.layout import Found, Layout
from recsens.files.table import FileTable, Names, numbers
from recsens.files.text import MOST_EMPTY, blocks
from recsens.files.timestamps import moment_in_microseconds, moments
from recsens.files.trec import tidied


def read_swiftly(path: Path, layout: Layout, found: Found) -> FileTable | None:
    """Read a file in blocks; return None if a line or field is unusual.

    The result equals the exact reader's result.
    """
    # The parser only accepts a single character, so a longer separator is replaced during reading.
    separator = layout.separator if len(layout.separator) == 1 and layout.separator.isascii() else "\x1f"
    forms = _forms_of_times(path, layout, found)
    types = {str(at): forms.get(column.role, column.kind) for column, at in zip(found.columns, found.at, strict=True)}
    parse = pa_csv.ParseOptions(delimiter=separator, quote_char='"' if layout.reads_quotes else False)
    decimal = "," if any(column.decimal == "," for column in found.columns) else "."
    convert = pa_csv.ConvertOptions(column_types=types, include_columns=list(types), null_values=[], decimal_point=decimal)
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
        tidy = text if layout.trec is None else tidied(text, layout.trec)
        n_empty = 0 if tidy.strip() else n_empty + block.count("\n")
        if n_empty > MOST_EMPTY:
            return None
        skipped = 0 if tables else found.n_header
        options = pa_csv.ReadOptions(use_threads=False, block_size=len(tidy) + 1, skip_rows=skipped, column_names=names)
        try:
            tables += [pa_csv.read_csv(pa.BufferReader(tidy), options, parse, convert)] if tidy.lstrip(b"\r\n") else []
        except pa.ArrowInvalid:
            return None
    columns = _columns(pa.concat_tables(tables), found, forms) if tables else None
    if columns is None:
        return None
    return FileTable(str(path), columns, lambda row: _place(path, layout, found, row), ignored=found.ignored)


def _columns(table: pa.Table, found: Found, forms: Mapping[str, pa.DataType]) -> dict[str, Any] | None:
    """Return the columns by role; None if a time is irregular."""
    columns: dict[str, Any] = {}
    for column, at in zip(found.columns, found.at, strict=True):
        values = table.column(str(at))
        if column.role in forms:
            read = moments(values) if pa.types.is_string(values.type) else _whole(values)
            if read is None:
                return None
            values = read
        columns[column.role] = Names.of(values) if column.holds == "name" else numbers(values)
    return columns


def _whole(numbers: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return numbers such as ``1300000000.0`` as integers; None if one has a fraction."""
    try:
        return numbers.cast(pa.int64())
    except pa.ArrowInvalid:
        return None


def _forms_of_times(path: Path, layout: Layout, found: Found) -> dict[str, pa.DataType]:
    """Return the type in which to read each time column whose first field is not an integer: text for dates and times."""
    rows = (fields for line, fields, _ in records(path, layout) if line > found.n_header)
    fields = next(rows, [])
    times = ((column.role, at) for column, at in zip(found.columns, found.at, strict=True) if column.holds == "time")
    firsts = {role: fields[at].strip() for role, at in times if at < len(fields)}
    moments = {role: pa.string() for role, text in firsts.items() if moment_in_microseconds(text) is not None}
    return {role: pa.float64() for role, text in firsts.items() if "." in text and is_number(text)} | moments


def _place(path: Path, layout: Layout, found: Found, row: int) -> str:
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
