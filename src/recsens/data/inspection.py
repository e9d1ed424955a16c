"""Inspect a ratings file without any declaration: guess what it contains, and write the line that declares it in a study."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import yaml

from recsens.data.column_roles import ROLES, Roles, guess_roles
from recsens.data.datasets import DataSet
from recsens.data.doubts import Doubt, doubts_about_columns, doubts_about_dates, doubts_about_rows
from recsens.data.scales import guess_scale, looks_like_counts
from recsens.errors import DataError
from recsens.files import FileTable, Invalid, Layout, has_types, is_json_lines, read_first_rows, read_frame, read_parquet, read_text
from recsens.files.column_names import counts_by_name
from recsens.files.first_look import (
    LOOKED_AT,
    SEPARATED,
    WITH_DECIMAL_COMMAS,
    FirstLook,
    Seen,
    first_look,
    seen_in,
)
from recsens.files.kinds import Column, Decimal, Kind
from recsens.files.parquet import entries_of
from recsens.files.paths import Files, are_paths, in_words
from recsens.files.scale import Scale
from recsens.files.timestamps import Dates, date_of, orders_of, unit_of
from recsens.plugins.specs import Spec, format_value

_COLUMNS = {
    "user": Column("user"),
    "item": Column("item"),
    "rating": Column("rating", "number"),
    "timestamp": Column("timestamp", "time"),
}

_LAYOUT = ("separator", "decimal", "quoted", "encoding", "header")
_ORDER = ("path", *_LAYOUT, *ROLES, "dates", "lowest", "highest", "step", "duplicates", "invalid")
"""Parameters in the order in which people usually write them."""

_Reader = Callable[[Mapping[str, Any], Mapping[str, Column]], tuple[FileTable, DataError | None]]
"""Reads the columns with some names, by role; returns the rows that could be read, and the error about the first other one."""


@dataclass(frozen=True)
class Inspection:
    """What a file appears to contain.

    Attributes
    ----------
    path
        The file, as the user wrote it.
    component
        The data set plug-in that can read it.
    roles
        The column for each role: its name, or its number, counted from 0; None if no column has the role.
    look
        The layout of a text file; None for parquet.
    columns
        Every column.
    scale
        The scale that the ratings appear to use; None if there are no ratings, or all are equal.
    table
        The rows that could be read.
    fault
        The error for the first row that does not match the declaration, if any. ``table`` leaves such rows out.
    doubts
        What speaks against the guess; if a doubt would change values, the file must be declared.
    """

    path: str
    component: DataSet
    roles: Roles
    look: FirstLook | None
    columns: Sequence[Seen]
    scale: Scale | None
    table: FileTable
    fault: DataError | None
    doubts: Sequence[Doubt] = ()

    @classmethod
    def of(cls, path: str | Path | Sequence[str | Path], dates: Dates | None = None) -> Self:
        """Inspect a text or parquet file, and read it; ``dates`` is the declared order of day and month, if there is one.

        Raises
        ------
        DataError
            If the file is missing or is not a table, or if no two of its columns can be users and items.
        """
        file: Files = [Path(each) for each in path] if are_paths(path) else Path(str(path))
        look = None if has_types(file) else first_look(file)
        columns = _columns_of_parquet(file) if look is None else look.columns
        declared = {"path": tuple(map(str, path)) if are_paths(path) else str(path), **({} if look is None else _layout(look))}
        name = "delimited" if look is not None else "json_lines" if is_json_lines(file) else "parquet"
        return cls._inspect(in_words(file), Spec(name, tuple(declared.items())), look, columns, partial(_read, file, look), dates)

    @classmethod
    def of_table(cls, first: pa.Table, read: Callable[[Sequence[str]], pa.Table], source: str, dates: Dates | None = None) -> Self:
        """Inspect a table in memory, of which ``first`` is the beginning and ``read`` returns some columns; raises as `of` does."""

        def rows(names: Mapping[str, Any], columns: Mapping[str, Column]) -> tuple[FileTable, DataError | None]:
            kind = Kind(tuple(columns[role] for role in names), is_declared=True)
            return _try_reading(partial(read_frame, read(list(names.values())), source, kind, names))

        return cls._inspect(source, Spec("parquet"), None, seen_in(first), rows, dates)

    @classmethod
    def _inspect(
        cls, source: str, spec: Spec, look: FirstLook | None, columns: Sequence[Seen], read: _Reader, dates: Dates | None
    ) -> Self:
        roles = guess_roles(columns)
        if roles["user"] is None or roles["item"] is None:
            raise _without_users_or_items(columns, roles, source, spec)
        decimal: Decimal = "," if _has_decimal_commas(columns, roles["rating"]) else "."
        texts: Sequence[str] = ()
        if dates is None and any(column.name == roles["timestamp"] and orders_of(column.fields) for column in columns):
            texts = read({"timestamp": roles["timestamp"]}, {"timestamp": Column("timestamp")})[0].names("timestamp").names
            dates = next(iter(orders_of(texts)), None)
        kinds = _COLUMNS | {
            "rating": replace(_COLUMNS["rating"], decimal=decimal),
            "timestamp": replace(_COLUMNS["timestamp"], dates=dates),
        }
        table, fault = read({role: name for role, name in roles.items() if name is not None}, kinds)
        if fault is not None and len(table) < table.n_invalid:
            raise fault
        ratings = table.columns.get("rating")
        scale = None if ratings is None else guess_scale(ratings)
        doubts = [
            *doubts_about_columns(columns, roles),
            *doubts_about_dates(texts, roles),
            *doubts_about_rows(table, columns, roles, has_header=look is not None and look.header, has_rating=scale is not None),
        ]
        roles |= {} if scale else {"rating": None}
        declared = {**dict(spec.params), **roles}
        declared |= {"lowest": scale.lowest, "highest": scale.highest, "step": scale.step} if scale else {}
        declared |= {"decimal": decimal} if scale and decimal != "." else {}
        declared |= {"dates": dates} if dates else {}
        declared |= {"duplicates": "last"} if table.n_repeats else {}
        declared |= {} if fault is None else {"invalid": "skip"}
        component = DataSet.build(Spec(spec.name, tuple(declared.items())))
        return cls(source, component, roles, look, columns, scale, table, fault, doubts)

    @property
    def label(self) -> str:
        """A label for the data, from the name of the file."""
        plain = unicodedata.normalize("NFKD", Path(self.path).name.partition(".")[0])
        words = re.sub(r"[^0-9A-Za-z]+", " ", re.sub(r"[^\x00-\x7f]", "", plain)).strip()
        means_nothing = words.lower() in {"", "all", "na", "nan", "null", "none"}
        return f"Data {words}".strip() if means_nothing else f"{words[:1].upper()}{words[1:]}"

    @property
    def size(self) -> tuple[int, int, int]:
        """The numbers of users, items and rows."""
        return len(self.table.names("user").names), len(self.table.names("item").names), len(self.table)

    @property
    def line(self) -> str:
        """The line that declares the file in a study, below ``datasets:``."""
        params = dict(self.component.spec.params)
        written = ",".join(f"{key}={format_value(params[key])}" for key in _ORDER if key in params)
        spec = f"{self.component.plugin_name()}({written})"
        return str(yaml.safe_dump({self.label: spec}, width=math.inf, allow_unicode=True)).strip()

    @property
    def relevance(self) -> float | None:
        """The threshold of relevance if the ratings seem to be counts; None for the default of the scale."""
        if self.scale is None:
            return None
        ratings = self.table.columns["rating"]
        is_count = looks_like_counts(ratings) or counts_by_name(self.roles["rating"])
        return float(ratings[ratings > 0].min(initial=math.inf)) if is_count and ratings.max() > 1 else None

    def refuse_doubts(self, *given: str) -> None:
        """Refuse a file whose values depend on a guess, unless a setting that is ``given`` answers it.

        Raises DataError that names the meanings, and how to declare each.
        """
        doubt = next((each for each in self.doubts if each.is_refused and each.settled_by not in given), None)
        if doubt is not None:
            choices = "; or ".join(doubt.choices)
            how = "rename or drop columns of the frame, give scale=, or write a file and declare it"
            how = how if "path" not in dict(self.component.spec.params) else f"declare it, changing this line as above: {self.line}"
            remedy = how if doubt.choices else None
            raise DataError(doubt.said.rstrip("."), where=self.path, allowed=choices or None, remedy=remedy)

    def told(self) -> Iterator[str]:
        """Describe, line by line, what the file appears to contain and how a study declares it."""
        yield from self.held()
        choices = [choice for doubt in self.doubts for choice in doubt.choices]
        yield ""
        yield "In a study, after a choice:" if choices else "In a study:"
        for choice in choices:
            yield f"  # {choice}"
        yield "datasets:"
        yield f"  {self.line}"

    def held(self) -> Iterator[str]:
        """Describe, line by line, what the file appears to contain."""
        yield f"{self.path}: {_rows(len(self.table) + self.table.n_invalid)}, {self._layout_in_words()}"
        seen = {column.name: column for column in self.columns}
        called = {role: "none" if name is None else str(name) for role, name in self.roles.items()}
        width = max(map(len, called.values()))
        for role, name in self.roles.items():
            told = _NONE[role] if name is None else self._names_in_words(role, seen[name])
            yield f"  {role:9}  {called[role]:{width}}  {told}".rstrip()
        rest = [f"{column.name} ({column.holds})" for column in self.columns if column.name not in self.roles.values()]
        if rest:
            yield f"  not read   {', '.join(rest)}"
        yield from self._doubt_lines()

    def _layout_in_words(self) -> str:
        if self.look is None:
            return "JSON lines" if self.component.plugin_name() == "json_lines" else "a parquet file"
        encoding = "" if self.look.encoding == "utf-8" else f", encoded as {self.look.encoding}"
        return f"separated by {SEPARATED[self.look.separator]}, {'with' if self.look.header else 'without'} a header{encoding}"

    def _names_in_words(self, role: str, column: Seen) -> str:
        if role == "rating" and self.scale is not None:
            steps = f" in steps of {self.scale.step:g}" if self.scale.step else ""
            counts = "" if self.relevance is None else f", counts: {self.relevance:g} is already positive"
            return f"{self.scale.lowest:g} to {self.scale.highest:g}{steps}{counts}"
        if role == "timestamp":
            times = self.table.columns["timestamp"]
            unit = unit_of(times.max(initial=0))
            order = {"dates": None, **dict(self.component.spec.params)}["dates"]
            holds = f"{column.holds}, {str(order).replace('_', ' ')}" if order else column.holds
            if "number" in holds and len(times) and date_of(times.max(), unit) < "1980":
                return f"{holds}, from {times.min()} to {times.max()}: no known days, so splits by days mean nothing"
            return f"{holds}: {' to '.join(date_of(end, unit) for end in (times.min(), times.max()))}" if len(times) else ""
        n_names = len(self.table.names(role).names)
        more = ", ..." if n_names > len(column.examples) else ""
        return f"{n_names:,} {role}{'s' * (n_names != 1)}: {', '.join(column.examples)}{more}"

    def _doubt_lines(self) -> Iterator[str]:
        for doubt in self.doubts:
            yield doubt.said
        if "rating" in self.table.columns and self.roles["rating"] is None:
            yield "All ratings are equal and carry no information, so every row counts as positive."
        if n_repeats := self.table.n_repeats:
            share = f"{100 * n_repeats / len(self.table):.2g} %"
            yield (
                f"{_rows(n_repeats)} ({share}) {'repeats' if n_repeats == 1 else 'repeat'} the user and item of an earlier row; "
                f"duplicates=last keeps the {'last row' if self.roles['timestamp'] is None else 'latest'}. "
                "Alternatives are first, mean, max, sum and count."
            )
        if self.fault is not None:
            n, have = self.table.n_invalid, "has" if self.table.n_invalid == 1 else "have"
            yield f"{_rows(n)} {have} a different form; invalid=skip leaves such rows out. The first: {self.fault}"


_NONE = {"rating": "every row counts as positive", "timestamp": "no split by time"}
"""Role -> the consequence if a file has no column for it."""


def _columns_of_parquet(file: Files) -> list[Seen]:
    return seen_in(entries_of(read_first_rows(file, LOOKED_AT), in_words(file))[0].slice(0, LOOKED_AT))


_MOST_LONG = 6
"""A file with more columns, nearly all of numbers, has a column for each item."""


def _layout(look: FirstLook) -> dict[str, Any]:
    return {"separator": look.separator, "header": look.header, "encoding": look.encoding, "quoted": look.quoted}


def _without_users_or_items(columns: Sequence[Seen], roles: Mapping[str, Any], source: str, spec: Spec) -> DataError:
    missing = " and ".join(f"{role}s" for role in ("user", "item") if roles[role] is None)
    if sum("number" in column.holds for column in columns) > max(_MOST_LONG, len(columns) / 2):
        return DataError(
            "this looks like a table of users by items: nearly all columns are numbers",
            where=source,
            allowed="a row for each pair of a user and an item",
            remedy='in Python: frame.rename_axis(index="user", columns="item").stack().rename("rating").reset_index()'
            " (users and items the other way if each row is an item)",
        )
    held = ", ".join(f"{column.name} ({column.holds})" for column in columns)
    wanted = {"user": "...", "item": "...", "rating": None}
    return DataError(
        f"no column looks like {missing}; the columns are {held}",
        where=source,
        allowed="a column of users and one of items, such as user_id and item_id",
        remedy=f"call two columns user and item, or declare yours in a study: {spec.with_params(**wanted)}"
        if spec.params
        else "rename columns: frame.rename(columns={...: 'user', ...: 'item'})",
    )


def _has_decimal_commas(columns: Sequence[Seen], name: str | int | None) -> bool:
    return any(column.name == name and column.holds == WITH_DECIMAL_COMMAS for column in columns)


def _read(
    file: Files, look: FirstLook | None, names: Mapping[str, Any], columns: Mapping[str, Column]
) -> tuple[FileTable, DataError | None]:
    """Read the columns for some roles. Invalid rows are left out; the error about the first of them is returned too."""
    kind = Kind(tuple(columns[role] for role in names), is_declared=True)
    if look is None:
        return _try_reading(partial(read_parquet, file, kind, names))
    return _try_reading(partial(read_text, file, kind, Layout(look.separator, names, look.header, look.encoding, look.quoted)))


def _try_reading(read: Callable[[Invalid], FileTable]) -> tuple[FileTable, DataError | None]:
    try:
        return read("error"), None
    except DataError as error:
        return read("skip"), error


def _rows(n: int) -> str:
    return f"{n:,} row{'s' * (n != 1)}"
