"""Check the rows that a loader reads from a special format against the expected content of the columns."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv

from recsens.errors import DataError
from recsens.files.exact_reader import Invalid, Record, read_exactly
from recsens.files.kinds import Kind
from recsens.files.layout import Found
from recsens.files.table import FileTable, Names, numbers
from recsens.files.text import blocks, lines


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
    path: Path,
    width: int,
    kind: Kind,
    invalid: Invalid,
    arrange: Callable[[list[pa.Array]], list[pa.Array]],
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
        table = _swiftly(path, block, width, kind, arrange)
        tables.append(table or _exactly(path, block, n_lines, width, kind, invalid, arrange))
        n_lines += block.count("\n")
    return _joined(path, tables, kind)


def _swiftly(
    path: Path, block: str, width: int, kind: Kind, arrange: Callable[[list[pa.Array]], list[pa.Array]]
) -> FileTable | None:
    """Read a block of regular lines; None if some line is irregular."""
    text = block.encode()
    if not text.strip() or b"\0" in text:
        return None
    names = list(map(str, range(width)))
    try:
        table = pa_csv.read_csv(
            pa.BufferReader(text),
            pa_csv.ReadOptions(use_threads=False, block_size=len(text) + 1, column_names=names),
            pa_csv.ParseOptions(delimiter="\t", quote_char=False),
            pa_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), null_values=[], strings_can_be_null=False),
        )
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


def _exactly(
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


def _joined(path: Path, tables: list[FileTable], kind: Kind) -> FileTable:
    columns: dict[str, object] = {}
    for column in kind.columns:
        parts = [table.columns[column.role] for table in tables]
        if column.holds == "name":
            coded = [pa.DictionaryArray.from_arrays(pa.array(part.code), pa.array(part.names, pa.string())) for part in parts]
            columns[column.role] = Names.of(pa.chunked_array(coded, pa.dictionary(pa.int32(), pa.string())))
        else:
            columns[column.role] = numbers(pa.chunked_array([pa.array(part) for part in parts], column.kind))
    return FileTable(str(path), columns, lambda row: _place(path, row), sum(table.n_invalid for table in tables))


def _place(path: Path, row: int) -> str:
    """Return a row's file and line. The line is correct only if no earlier row was left out."""
    full = (number for number, line in enumerate(lines(path, "utf-8"), start=1) if line.strip("\r\n"))
    number = next(islice(full, row, None), None)
    if number is None:
        raise DataError(f"has no row {row + 1}", where=str(path))
    return f"{path}:{number}"
