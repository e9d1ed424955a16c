"""Base of data sets in a user's own file, and the tables beside it that describe users, items or interactions."""

import logging
import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import pyarrow as pa
from pydantic import Field, model_validator

from recsens.data.datasets._assemble import Repeats, add_repeats, assemble, kind_of_ratings
from recsens.data.datasets._base import RELEVANCE, DataSet, Described, Loaded, RawFile
from recsens.errors import ConfigError, DataError, nearest
from recsens.files import FileTable, Invalid, Layout, has_types, read_table, records
from recsens.files.kinds import Kind, is_number
from recsens.files.scale import FINEST_STEP, MAX_RATING, MAX_STEPS, Scale
from recsens.files.text_reader import FaultyRowsError
from recsens.files.timestamps import Dates
from recsens.score_files import names_beside
from recsens.seeds import Stream

log = logging.getLogger(__name__)

MEMBERS = "|"
"""Separator of the members of a set in a text file."""

_RESERVED = {1: ("key",), 2: ("user", "item")}
"""Number of names in a row -> the column names that are reserved, because results use them."""

_KINDS = ("category", "number", "set")
_SHAPES = {
    1: "a first line that names the columns, such as user,age,town; the first column contains the names used in the ratings",
    2: (
        "a first line that names the columns, such as user,item,device; the first two columns contain the names used in the ratings"
    ),
}


Name = str | tuple[str, str]
"""The name of a user or an item, or the names of an interaction's user and item."""


class _Table(NamedTuple):
    """The name (or pair of names) of each row in a file, the other columns by name, and a function that locates a row."""

    names: Sequence[Name]
    columns: Mapping[str, Sequence[Any]]
    place: Callable[[int], str]


def read_own(path: Path, ids: Sequence[Name], whom: str, width: int = 1) -> dict[str, list[Any]]:
    """Read a side table's columns in the order of ``ids``; an empty field, or an id without a row, becomes None.

    The first ``width`` columns contain names: one for a user or an item, two for an interaction.

    In a text file, fields are separated by commas or tabs. The header may declare the kind of a column: ``name:category``,
    ``name:number`` or ``name:set``, with ``|`` between the members of a set. Without a declaration, a column contains numbers if
    all its fields are numbers, and categories otherwise. In a parquet file, the kind follows from a column's type: text and truth
    values are categories, and lists of text are sets. Rows whose names are not in ``ids`` are skipped.

    Raises DataError if a row or column has a wrong form, if a name occurs twice, or if none of ``ids`` has a row; the message names
    the file and line.
    """
    table = _table_of_parquet(path, width) if has_types(path) else _table_of_text(path, width)
    row_of: dict[Name, int] = {}
    for row, name in enumerate(table.names):
        if row_of.setdefault(name, row) != row:
            problem = f"{_quote_name(name)} is described twice, first at {table.place(row_of[name])}"
            raise DataError(problem, where=table.place(row), allowed="one row for each name", remedy="remove one of the rows")
    rows = [row_of.get(name) for name in ids]
    n_missing = sum(row is None for row in rows)
    if rows and n_missing == len(rows):
        problem = (
            f"none of the {len(ids)} {whom} has a row: the first names in the file are "
            f"{', '.join(map(_quote_name, table.names[:3])) or 'none'}"
        )
        remedy = f"write names as in the ratings, whose first names are {', '.join(map(_quote_name, ids[:3]))}"
        raise DataError(problem, where=str(path), allowed=_SHAPES[width], remedy=remedy)
    if n_missing:
        log.warning("%d of %d %s have no row in %s: their values are missing", n_missing, len(ids), whom, path)
    return {name: [None if row is None else values[row] for row in rows] for name, values in table.columns.items()}


def _table_of_text(path: Path, width: int) -> _Table:
    first = next(records(path, Layout("\n", {}, header=True, quoted=False)), (1, [""], 1))[1][0]
    separator = "\t" if first.count("\t") > first.count(",") else ","
    if first.count(";") > first.count(separator):
        raise DataError(
            "the fields seem to be separated by semicolons", where=f"{path}:1", remedy=("separate fields by commas or tabs")
        )
    lines, rows = [], []
    for line, fields, _ in records(path, Layout(separator, {}, header=True)):
        lines.append(line)
        rows.append(fields)
        if len(fields) != len(rows[0]):
            problem = f"{len(fields)} fields, but the first line names {len(rows[0])} columns"
            raise DataError(
                problem, where=f"{path}:{line}", allowed=("a field for each column; leave it empty if the value is unknown")
            )
    header, *body = rows or [[]]
    declared = [_split_header(field, f"{path}:{lines[0]}") for field in header[width:]]
    _check_header(header[:width], [name for name, _ in declared], f"{path}:{lines[0] if lines else 1}", width)

    def place(row: int) -> str:
        return f"{path}:{lines[row + 1]}"

    columns = {}
    for at, (name, kind) in enumerate(declared, start=width):
        columns[name] = _parse_column([fields[at] for fields in body], kind, partial(_place_of_cell, place, name))
    return _Table(_check_names([fields[:width] for fields in body], place), columns, place)


def _quote_name(name: Name) -> str:
    return repr(name) if isinstance(name, str) else " with ".join(map(repr, name))


def _place_of_cell(place: Callable[[int], str], column: str, row: int) -> str:
    return f"{place(row)}, column '{column}'"


def _split_header(field: str, where: str) -> tuple[str, str | None]:
    """Split a header field into the column's name and its declared kind."""
    name, colon, kind = field.rpartition(":")
    if not colon:
        return field, None
    if kind not in _KINDS:
        problem = f"the column '{field}' declares the unknown kind '{kind}'{nearest(kind, _KINDS)}"
        raise DataError(problem, where=where, allowed=", ".join(f"{name}:{each}" for each in _KINDS))
    return name, kind


def _parse_column(texts: Sequence[str], kind: str | None, place: Callable[[int], str]) -> list[Any]:
    known = [text for text in texts if text]
    if kind == "number" or (kind is None and known and all(map(is_number, known))):
        odd = next((row for row, text in enumerate(texts) if text and not (is_number(text) and math.isfinite(float(text)))), None)
        if odd is not None:
            raise DataError(
                f"'{texts[odd][:40]}' is not a number", where=place(odd), allowed=("a decimal number, or an empty field")
            )
        return [float(text) if text else None for text in texts]
    if kind == "set":
        return [text.split(MEMBERS) if text else None for text in texts]
    return [text or None for text in texts]


def _table_of_parquet(path: Path, width: int) -> _Table:
    table = read_table(path)
    named, others = (table.column_names or [""])[:width], table.column_names[width:]
    _check_header(named, others, str(path), width)

    def place(row: int) -> str:
        return f"{path}, row {row + 1}"

    for name in named:
        if not (pa.types.is_integer(kind := table.column(name).type) or _is_text(kind)):
            raise DataError(f"the column '{name}' contains {kind}", where=str(path), allowed="names: text or integers")
    names = [["" if each is None else str(each) for each in table.column(name).to_pylist()] for name in named]
    columns = {name: _plain_values(name, table.column(name), path) for name in others}
    return _Table(_check_names(list(zip(*names, strict=True)), place), columns, place)


def _plain_values(name: str, column: pa.ChunkedArray, path: Path) -> list[Any]:
    column = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    kind, values = column.type, column.to_pylist()
    if _is_text(kind) or pa.types.is_null(kind):
        return list(values)
    if pa.types.is_boolean(kind):
        return [None if value is None else str(value).lower() for value in values]
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = [math.nan if value is None else float(value) for value in values]
        if (odd := next((row for row, number in enumerate(numbers) if math.isinf(number)), None)) is not None:
            where = f"{path}, row {odd + 1}, column '{name}'"
            raise DataError(f"{numbers[odd]} is not a number", where=where, allowed="a finite number, or no value")
        return [None if math.isnan(number) else number for number in numbers]
    if (pa.types.is_list(kind) or pa.types.is_large_list(kind)) and _is_text(kind.value_type):
        return [None if value is None else [each for each in value if each is not None] for value in values]
    raise DataError(f"column '{name}' contains {kind}", where=str(path), allowed="text, numbers, truth values, or lists of text")


def _is_text(kind: pa.DataType) -> bool:
    return any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def _check_names(names: Sequence[Sequence[str]], place: Callable[[int], str]) -> Sequence[Name]:
    nameless = next((row for row, each in enumerate(names) if "" in each), None)
    if nameless is not None:
        raise DataError("a name is missing", where=place(nameless), allowed="a name in each of the first columns")
    return [each[0] if len(each) == 1 else (each[0], each[1]) for each in names]


def _check_header(named: Sequence[str], columns: Sequence[str], where: str, width: int) -> None:
    if not columns or not all((*named, *columns)):
        problem = "a column has no name" if columns else "the file has only columns of names"
        raise DataError(problem, where=where, allowed=_SHAPES[width])
    repeated = next((name for at, name in enumerate(columns) if name in columns[:at] or name in _RESERVED[width]), None)
    if repeated is not None:
        problem = "has a reserved name" if repeated in _RESERVED[width] else "occurs twice"
        raise DataError(f"the column '{repeated}' {problem}", where=where, remedy="rename it")


class OwnFile(DataSet):
    """A data set in a user's own file, with at most one further file each for users, items and interactions."""

    identity_excludes: ClassVar[tuple[str, ...]] = ("path", "users", "items", "catalogue", "contexts")
    describing: ClassVar[tuple[str, ...]] = ("users", "items", "contexts")
    reads_any_file: ClassVar[bool] = True
    synonyms: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("file", "filename", "file_path"), "path"),
        **dict.fromkeys(("sep", "delimiter"), "separator"),
        **dict.fromkeys(("user_col", "user_column", "user_id", "uid"), "user"),
        **dict.fromkeys(("item_col", "item_column", "item_id", "iid"), "item"),
        **dict.fromkeys(("rating_col", "rating_column", "score"), "rating"),
        **dict.fromkeys(("time", "date", "timestamp_col"), "timestamp"),
        **dict.fromkeys(("scale", "rating_scale"), "lowest, highest and step declare the scale: lowest=0.5,highest=5,step=0.5"),
        **dict.fromkeys(("user_table", "user_file", "user_features"), "users"),
        **dict.fromkeys(("item_table", "item_file", "item_features"), "items"),
        **dict.fromkeys(("context", "context_file", "context_table"), "contexts"),
        "min_rating": "lowest",
        "max_rating": "highest",
    }

    path: str | tuple[str, ...] | None = Field(
        None,
        description="the file, a folder of parts such as part-00000.csv, a pattern such as data/2021-*.csv, or several of these, "
        "[a.csv,b.csv]; relative paths start at the study, the working directory or RECSENS_DATA",
    )
    lowest: float = Field(1.0, allow_inf_nan=False, description="lowest value of the rating scale")
    highest: float = Field(
        5.0,
        allow_inf_nan=False,
        description="highest value of the rating scale; for sums and counts, the largest if that is higher",
    )
    step: float = Field(1.0, ge=0, allow_inf_nan=False, description="distance between neighbouring ratings; 0 allows every value")
    relevance: float | None = RELEVANCE
    duplicates: Repeats = Field(
        "error",
        description="how to treat a repeated pair: error; first or last row, by time if there are times; mean or max of its "
        "ratings; in a log of events, also the sum of its ratings or the count of its rows",
    )
    invalid: Invalid = Field(
        "error", description="how to treat a row that does not match the declaration: error, or skip and count"
    )
    dates: Dates | None = Field(
        None, description="order of day and month in dates such as 3/1/2021: day_first or month_first; null if there are none"
    )
    users: str | None = Field(
        None, description="a file that describes users: names in the first column, one attribute in each other column"
    )
    items: str | None = Field(None, description="a file of the same form that describes items")
    catalogue: str | None = Field(
        None, description="a file of items that can be recommended even if nobody rated them, one per line"
    )
    contexts: str | None = Field(
        None, description=("a file of the same form that describes interactions, with user and item in the first two columns")
    )

    @model_validator(mode="after")
    def _check_scale(self) -> Self:
        if not self.lowest < self.highest:
            raise ValueError(f"lowest = {self.lowest:g} must be below highest = {self.highest:g}")
        if max(abs(self.lowest), abs(self.highest)) > MAX_RATING:
            raise ValueError(f"the scale from {self.lowest:g} to {self.highest:g} goes beyond the limit of {MAX_RATING:g}")
        if self.step and not FINEST_STEP <= self.step <= self.highest - self.lowest <= self.step * MAX_STEPS:
            raise ValueError(
                f"step = {self.step:g} must be at least {FINEST_STEP:g} and lead from lowest = {self.lowest:g} to highest = "
                f"{self.highest:g} in 1 to {MAX_STEPS:,} steps; 0 allows every value"
            )
        return self

    @model_validator(mode="after")
    def _check_repeats(self) -> Self:
        if self.duplicates == "count" and "rating" in self._declared_columns:
            raise ValueError(
                "duplicates=count counts rows and reads no ratings: declare rating=null, or add the ratings up with sum"
            )
        if self.duplicates == "sum":
            if "rating" not in self._declared_columns:
                raise ValueError("duplicates=sum adds up ratings, but rating=null: declare the rating column, or use count")
            if self.lowest < 0 or (self.step and round(self.lowest / self.step, 9) % 1):
                raise ValueError(
                    f"sums of ratings from {self.lowest:g} in steps of {self.step:g} would not be on their scale: with "
                    "duplicates=sum, lowest must be 0 or a multiple of the step"
                )
        return self

    @model_validator(mode="after")
    def _check_columns(self) -> Self:
        columns = list(self._declared_columns.values())
        if len(set(columns)) < len(columns):
            raise ValueError(f"user, item, rating and timestamp must be different columns, not {columns}")
        return self

    @property
    def scale(self) -> Scale:
        """The declared rating scale."""
        return Scale(self.lowest, self.highest, self.step, self.relevance)

    def raw_files(self) -> tuple[RawFile, ...]:
        """List the file, and that of the catalogue.

        Raises ConfigError if no path is given.
        """
        if not self.path:
            raise ConfigError(
                f"the data set '{self.spec}' does not say which file to read", remedy='give its path: path="ratings.csv"'
            )
        paths = (self.path,) if isinstance(self.path, str) else self.path
        return tuple(RawFile(name=Path(path).name, path=path) for path in (*paths, self.catalogue) if path is not None)

    def side_files(self) -> tuple[RawFile, ...]:
        """List the declared files for users, items and interactions."""
        declared = (self.users, self.items, self.contexts)
        return tuple(RawFile(name=Path(path).name, path=path) for path in declared if path is not None)

    def describe(self, files: Sequence[Path], user_ids: Sequence[str], item_ids: Sequence[str]) -> Described:
        """Read the files for users and items."""
        rest = iter(files)
        users = {} if self.users is None else read_own(next(rest), user_ids, "users")
        items = {} if self.items is None else read_own(next(rest), item_ids, "items")
        return Described(users, items)

    def describe_interactions(self, files: Sequence[Path], users: Sequence[str], items: Sequence[str]) -> dict[str, list[Any]]:
        """Read the file of interactions."""
        return {} if self.contexts is None else read_own(files[-1], list(zip(users, items, strict=True)), "interactions", width=2)

    def load(self, files: Sequence[Path], stream: Stream) -> Loaded:
        """Read the file."""
        try:
            rows = self._read_files(files if self.catalogue is None else files[:-1])
        except FaultyRowsError as fault:
            raise (fault if self.duplicates != "error" else add_repeats(fault)) from None
        catalogue = names_beside(files[-1], "items") if self.catalogue is not None else ()
        return assemble(rows, self.scale, self.duplicates, catalogue)

    def assembled(self, rows: FileTable) -> Loaded:
        """Load the rows of the file, read before; raises the same errors about repeated pairs as `load`."""
        return assemble(rows, self.scale, self.duplicates)

    @property
    def has_timestamps(self) -> bool:
        """Whether a column of time stamps is declared."""
        return "timestamp" in self._declared_columns

    @property
    def rating_scale(self) -> Scale | None:
        """The declared scale; None without a rating column, and for sums, because their scale depends on the data."""
        return self.scale if "rating" in self._declared_columns and self.duplicates != "sum" else None

    @property
    def declared_ratings(self) -> tuple[bool, Scale] | None:
        """Whether a rating column is declared, and the declared scale; None for sums and counts, which the data show."""
        return None if self.duplicates in {"sum", "count"} else ("rating" in self._declared_columns, self.scale)

    @property
    def _declared_columns(self) -> dict[str, Any]:
        """The declared columns, by role."""
        declared = {role: getattr(self, role) for role in ("user", "item", "rating", "timestamp")}
        return {role: column for role, column in declared.items() if column is not None}

    @property
    def _kind(self) -> Kind:
        rows = replace(self.scale, highest=MAX_RATING) if self.duplicates == "sum" else self.scale
        kind = kind_of_ratings(rows if "rating" in self._declared_columns else None, with_times=self.has_timestamps)
        return replace(kind, columns=tuple(replace(column, dates=self.dates) for column in kind.columns))

    @abstractmethod
    def _read_files(self, files: Sequence[Path]) -> FileTable:
        """Read the file, or its parts, as declared."""
