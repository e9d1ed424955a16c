"""Layout of a text file: the field separator, and the names and positions of the columns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from recsens.errors import DataError
from recsens.files import line_faults
from recsens.files.column_names import column_of, role_called, tell
from recsens.files.kinds import Column, Kind, is_number
from recsens.files.text import MOST_EMPTY, lines, too_empty_error

Form = Literal["csv", "trec", "parquet"]
"""The format of a file: a table with commas or tabs, TREC's form, or parquet."""


@dataclass(frozen=True)
class Layout:
    """The layout of a text file, declared or detected.

    ``separator`` is the text between two fields, one or more characters. ``columns`` gives each role's column: its number, counted
    from 0, or its name in the header, if there is a ``header``. If the file is ``quoted`` and the separator is a single character,
    a field may be in double quotes (RFC 4180: inside, quotes are doubled, and separators and line breaks belong to the field). If
    the file has TREC's form, which allows comments and several blanks between fields, ``trec`` is its kind.
    """

    separator: str
    columns: Mapping[str, int | str]
    header: bool
    encoding: str = "utf-8"
    quoted: bool = True
    trec: Kind | None = None

    @property
    def reads_quotes(self) -> bool:
        """Whether double quotes are special in this file."""
        return self.quoted and len(self.separator) == 1


@dataclass(frozen=True)
class Found:
    """The columns to read, the number of each column's field, counted from 0 (``at``), and the names of all fields of a row.

    The first ``n_header`` lines are not rows; ``ignored`` are the columns that are not read.
    """

    kind: Kind
    columns: Sequence[Column]
    at: Sequence[int]
    names: Sequence[str]
    n_header: int = 0
    ignored: Sequence[str] = ()


def find_columns(path: Path, kind: Kind, layout: Layout, first: tuple[int, list[str], int] | None) -> Found:
    """Find the columns that a kind of file needs; ``first`` is the file's first record, if there is one."""
    # TREC's form has an implied header.
    first = (0, list(kind.fields), 1) if layout.trec is not None else first
    if first is None:
        raise line_faults.empty_file(path)
    line, fields, n_lines = first
    columns = [*kind.columns, *([Column(kind.constant)] if layout.trec and kind.constant else [])]
    at = [_position_of(f"{path}:{line}", kind, layout, column, fields) for column in columns]
    tell(str(path), {role: fields[place] for role, place in zip(kind.roles, at, strict=False) if layout.columns[role] == role})
    role_of = dict(zip(at, kind.roles, strict=False))
    names = tuple(fields if layout.header else (role_of.get(place, f"column {place}") for place in range(len(fields))))
    n_header = line + n_lines - 1 if layout.header else 0
    return Found(kind, columns, at, names, n_header, [name for place, name in enumerate(names) if place not in at])


def _position_of(where: str, kind: Kind, layout: Layout, column: Column, fields: list[str]) -> int:
    """Return the position of a column in the rows, given the fields of the first line."""
    wanted = layout.columns[column.role]
    if wanted == column.role:  # The column is declared by the name of its role.
        wanted = column_of(where, column.role, fields)
    if wanted >= len(fields) if isinstance(wanted, int) else fields.count(wanted) != 1:
        raise line_faults.no_column(where, kind, fields, column.role, wanted, layout.separator)
    place = wanted if isinstance(wanted, int) else fields.index(wanted)
    if layout.header and column.holds == "number" and is_number(fields[place]):
        problem = f"the header calls the {column.role} column '{fields[place]}': this line looks like data"
        raise DataError(problem, where=where, remedy="declare header=false if the file has no header")
    return place


def _first_line(path: Path) -> tuple[int, str]:
    """Return the first line that is not a comment, with its number."""
    for number, line in enumerate(lines(path, "utf-8"), start=1):
        if line.strip() and not line.startswith("#"):
            return number, line.rstrip("\r\n")
        if number > MOST_EMPTY:
            raise too_empty_error(str(path), number)
    return 1, ""


def detect_layout(path: Path, kind: Kind, form: Form | None) -> Layout:
    """Detect a file's layout: a table if the first line names columns, otherwise TREC's form if this kind has one."""
    # In TREC's form, comments may precede a run.
    number, line = _first_line(path)
    where, separator = f"{path}:{number}", "\t" if line.count("\t") > line.count(",") else ","
    # A run in TREC's form may also contain commas or tabs, but none of its fields is one of our column names, and a line has more
    # words.
    is_short = len(line.split()) < len(kind.fields) or not kind.fields
    named = [name.strip('" ') for name in line.split(separator)]
    is_named = not {"user", "item"}.isdisjoint(named) or {"user", "item"} <= set(map(role_called, named))
    # If a line has semicolons, a single comma may be a decimal comma.
    is_table = is_named or (is_short and line.count(",") > (";" in line))
    if is_short and not is_table and ";" in line:
        remedy = (
            "separate fields by commas or tabs and write decimal points in numbers, below a first line such as "
            f"{','.join(kind.roles)}"
        )
        raise DataError("the fields seem to be separated by semicolons", where=where, remedy=remedy)
    surely = "csv" if is_table and is_short else "trec" if not is_short and "," not in line else form
    if form is not None and surely != form:
        problem = "this looks like a table" if surely == "csv" else "this looks like TREC's form, not a table"
        remedy = f"declare format={surely}, or give the file a name with that ending"
        raise DataError(problem, where=where, allowed=f"as declared, or as the name suggests: {form}", remedy=remedy)
    if form == "csv" or not kind.fields or (is_table and form is None):
        return Layout(separator, {role: role for role in kind.roles}, header=True)
    return Layout(" ", {name: name for name in kind.fields}, header=True, quoted=False, trec=kind)


_SEPARATORS = ("\t", ",", ";", " ")


def first_record(path: Path) -> tuple[str, list[str]]:
    """Return the separator and the fields of the first line that is not a comment: one field if there is no separator."""
    text = next(_lines_of_rows(path), "")
    separator = max(_SEPARATORS, key=text.count)
    return separator, [field.strip('"') for field in text.split(separator)]


def first_records(path: Path, separator: str, n: int) -> list[list[str]]:
    """Return the fields of the first ``n`` lines that are not comments."""
    return [[field.strip('"') for field in text.split(separator)] for text in islice(_lines_of_rows(path), n)]


def _lines_of_rows(path: Path) -> Iterator[str]:
    last = 0
    for number, line in enumerate(lines(path, "utf-8"), start=1):
        text = line.rstrip("\r\n")
        if text.strip() and not text.startswith("#"):
            last = number
            yield text
        elif number - last > MOST_EMPTY:
            raise too_empty_error(str(path), number)
