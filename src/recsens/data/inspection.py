"""Inspect a ratings file without any declaration: guess what it contains, and write the line that declares it in a study."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from recsens.data.datasets import DataSet
from recsens.errors import DataError
from recsens.files import FileTable, Invalid, Layout, is_parquet, read_first_rows, read_parquet, read_text
from recsens.files.column_names import role_called
from recsens.files.first_look import (
    IN_ANOTHER_FORM,
    LOOKED_AT,
    WHOLE_WITH_POINT,
    WITH_DECIMAL_COMMAS,
    FirstLook,
    Seen,
    first_look,
    seen_in,
)
from recsens.files.kinds import Column, Decimal, Kind
from recsens.files.parquet import entries_of, lists_in, read_lists
from recsens.files.scale import FINEST_STEP, MAX_STEPS, Scale
from recsens.files.timestamps import date_of, unit_of
from recsens.plugins.specs import Spec, format_value

_COLUMNS = {
    "user": Column("user"),
    "item": Column("item"),
    "rating": Column("rating", "number"),
    "timestamp": Column("timestamp", "time"),
}
_ROLES = tuple(_COLUMNS)

_LAYOUT = ("separator", "decimal", "quoted", "encoding", "header")
_ORDER = ("path", *_LAYOUT, *_ROLES, "lowest", "highest", "step", "duplicates", "invalid")
"""Parameters in the order in which people usually write them."""

_SEPARATED = {"\t": "tabs", ",": "commas", ";": "semicolons", "::": "'::'", "|": "'|'", " ": "blanks"}

_USUAL = (Scale(), Scale(0.5, 5, 0.5), Scale(1, 10, 1), Scale(0, 10, 1), Scale(0, 1, 1))
"""Common rating scales. A common scale is chosen if all ratings lie on it, even if some of its values do not occur."""

_TOP = 0.8
"""A common scale is chosen only if the highest rating lies at or above this share of the scale's range."""

_MOST_STEPS = 1000
"""If ratings with fractions have more distinct values than this, the scale is treated as having no steps."""


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
    """

    path: str
    component: DataSet
    roles: Mapping[str, str | int | None]
    look: FirstLook | None
    columns: Sequence[Seen]
    scale: Scale | None
    table: FileTable
    fault: DataError | None

    @classmethod
    def of(cls, path: str | Path) -> Self:
        """Inspect a text or parquet file, and read it.

        Raises
        ------
        DataError
            If the file is missing or is not a table, or if no two of its columns can be users and items.
        """
        file = Path(path)
        look = None if is_parquet(file) else first_look(file)
        columns = look.columns if look else seen_in(entries_of(read_first_rows(file, LOOKED_AT), str(file))[0].slice(0, LOOKED_AT))
        roles = _roles(columns, str(file), {} if look is None else _layout(look))
        held = next((column.holds for column in columns if column.name == roles["rating"]), "")
        decimal: Decimal = "," if held == WITH_DECIMAL_COMMAS else "."
        table, fault = _read(file, look, {role: name for role, name in roles.items() if name is not None}, decimal)
        if fault is not None and len(table) < table.n_invalid:
            raise fault
        ratings = table.columns.get("rating")
        scale = None if ratings is None else scale_of(ratings)
        roles |= {} if scale else {"rating": None}
        declared = {"path": str(path), **({} if look is None else _layout(look)), **roles}
        declared |= {"lowest": scale.lowest, "highest": scale.highest, "step": scale.step} if scale else {}
        declared |= {"decimal": decimal} if scale and decimal != "." else {}
        declared |= {"duplicates": "last"} if table.n_repeats else {}
        declared |= {} if fault is None else {"invalid": "skip"}
        component = DataSet.build(Spec("parquet" if look is None else "delimited", tuple(declared.items())))
        return cls(str(path), component, roles, look, columns, scale, table, fault)

    @property
    def line(self) -> str:
        """The line that declares the file in a study, below ``datasets:``."""
        name = Path(self.path).name.partition(".")[0]
        words = re.sub(r"[^0-9A-Za-z]+", " ", name).strip()
        params = dict(self.component.spec.params)
        written = ",".join(f"{key}={format_value(params[key])}" for key in _ORDER if key in params)
        return f"{words[:1].upper()}{words[1:]}: {self.component.plugin_name()}({written})"

    def told(self) -> Iterator[str]:
        """Describe, line by line, what the file appears to contain and how a study declares it."""
        yield from self.held()
        yield ""
        yield "In a study:"
        yield "datasets:"
        yield f"  {self.line}"

    def held(self) -> Iterator[str]:
        """Describe, line by line, what the file appears to contain."""
        yield f"{self.path}: {_rows(len(self.table) + self.table.n_invalid)}, {self._laid_out()}"
        seen = {column.name: column for column in self.columns}
        called = {role: "none" if name is None else str(name) for role, name in self.roles.items()}
        width = max(map(len, called.values()))
        for role, name in self.roles.items():
            told = _NONE[role] if name is None else self._held(role, seen[name])
            yield f"  {role:9}  {called[role]:{width}}  {told}".rstrip()
        rest = [f"{column.name} ({column.holds})" for column in self.columns if column.name not in self.roles.values()]
        if rest:
            yield f"  not read   {', '.join(rest)}"
        yield from self._doubts()

    def _laid_out(self) -> str:
        if self.look is None:
            return "a parquet file"
        encoding = "" if self.look.encoding == "utf-8" else f", encoded as {self.look.encoding}"
        return f"separated by {_SEPARATED[self.look.separator]}, {'with' if self.look.header else 'without'} a header{encoding}"

    def _held(self, role: str, column: Seen) -> str:
        if role == "rating" and self.scale is not None:
            steps = f" in steps of {self.scale.step:g}" if self.scale.step else ""
            return f"{self.scale.lowest:g} to {self.scale.highest:g}{steps}"
        if role == "timestamp":
            times = self.table.columns["timestamp"]
            unit = unit_of(times.max(initial=0))
            return f"{column.holds}: {' to '.join(date_of(end, unit) for end in (times.min(), times.max()))}" if len(times) else ""
        n_names = len(self.table.names(role).names)
        more = ", ..." if n_names > len(column.examples) else ""
        return f"{n_names:,} {role}{'s' * (n_names != 1)}: {', '.join(column.examples)}{more}"

    def _doubts(self) -> Iterator[str]:
        for role in _ROLES:
            called = [str(column.name) for column in self.columns if role_called(column.name) == role]
            if len(called) > 1:
                yield (
                    f"Several columns could be the {role}, judging by their names: {', '.join(called)}. To choose a different "
                    f"one, write {role}=."
                )
        if self.look is not None and not self.look.header:
            yield "The columns have no names, so their roles are guessed from their content."
        for role, name in self.roles.items():
            if isinstance(name, str) and role_called(name) != role:
                a_role = f"{'an' if role == 'item' else 'a'} {role}"
                yield f"No column has the name of {a_role}, so '{name}' was chosen by content. To choose another, write {role}=."
        yield from self._unread()
        if "rating" in self.table.columns and self.roles["rating"] is None:
            yield "All ratings are equal and carry no information, so every row counts as positive."
        rest = (column for column in self.columns if column.name not in self.roles.values())
        numbers = [
            f'{column.name} (with decimal=",")' if column.holds == WITH_DECIMAL_COMMAS else str(column.name)
            for column in rest
            if _fits(column, "rating")
        ]
        if numbers and "rating" not in self.table.columns:
            yield f"No column name suggests a rating. If {' or '.join(numbers)} says how much users like items, write rating=."
        if n_repeats := self.table.n_repeats:
            share = f"{100 * n_repeats / len(self.table):.2g} %"
            yield (
                f"{_rows(n_repeats)} ({share}) {'repeats' if n_repeats == 1 else 'repeat'} the user and item of an earlier row; "
                "duplicates=last keeps the last row. Alternatives are first, mean, max, sum and count."
            )
        if self.fault is not None:
            n, have = self.table.n_invalid, "has" if self.table.n_invalid == 1 else "have"
            yield f"{_rows(n)} {have} a different form; invalid=skip leaves such rows out. The first: {self.fault}"

    def _unread(self) -> Iterator[str]:
        """Name columns that could be read as ratings or times if they were written in another form."""
        for column in self.columns:
            role = role_called(column.name)
            shown = f"'{column.name}' holds {column.holds}, such as {column.examples[0]}" if column.examples else ""
            if column.holds == IN_ANOTHER_FORM:
                yield f"{shown}, and is not read. For a split by time, write them as 2021-01-03 or 2021-01-03 10:15:00."
            elif role in {"rating", "timestamp"} and self.roles[role] is None and not _fits(column, role):
                yield f"{shown}, so it is not read as the {role}."


_NONE = {"rating": "every row counts as positive", "timestamp": "no split by time"}
"""Role -> the consequence if a file has no column for it."""


def scale_of(ratings: NDArray[np.float64]) -> Scale | None:
    """Return the scale that the ratings appear to use; None if all ratings are equal.

    Examples
    --------
    >>> scale_of(np.array([2.0, 4.0, 5.0])).describe(), scale_of(np.array([0.0, 12.5])).describe()
    ('a number from 1 to 5 in steps of 1', 'a number from 0 to 12.5 in steps of 12.5')
    """
    values = np.unique(ratings)
    if len(values) == 1:
        return None
    for scale in _USUAL:
        if scale.holds(values).all() and values[-1] >= scale.lowest + _TOP * (scale.highest - scale.lowest):
            return scale
    step = _step(values)
    return Scale(float(values[0]), float(values[-1]), step)


def _step(values: NDArray[np.float64]) -> float:
    """Return the largest step such that every value is a whole number of steps above the lowest; 0 if there is no such step."""
    gaps = np.diff(values)
    if len(values) > _MOST_STEPS and (values % 1).any():
        return 0.0
    for parts in range(1, 5):
        step = float(gaps.min()) / parts
        steps = gaps / step
        if step >= FINEST_STEP and np.abs(steps - np.rint(steps)).max() < 1e-3 and (values[-1] - values[0]) / step <= MAX_STEPS:
            return round(step, 9)
    return 0.0


def _layout(look: FirstLook) -> dict[str, Any]:
    return {"separator": look.separator, "header": look.header, "encoding": look.encoding, "quoted": look.quoted}


def _roles(columns: Sequence[Seen], source: str, layout: Mapping[str, Any]) -> dict[str, Any]:
    """Find the column for each role by its name or, failing that, by its content."""
    roles: dict[str, Any] = dict.fromkeys(_ROLES)
    for role in _ROLES:
        fitting = [column for column in columns if role_called(column.name) == role and _fits(column, role)]
        whole = [column for column in fitting if column.holds not in {_GAPS, WHOLE_WITH_POINT}]
        roles[role] = next((column.name for column in (*whole, *fitting)), None)
    left = [column for column in columns if column.name not in roles.values()]
    is_named = any(isinstance(column.name, str) for column in columns)
    for role in ("timestamp", "user", "item", "rating"):
        if roles[role] is None and (role != "rating" or not is_named):
            fitting = [column for column in left if _looks_like(column, role)]
            if fitting:
                roles[role] = fitting[0].name
                left.remove(fitting[0])
    if roles["user"] is None or roles["item"] is None:
        raise _without_users_or_items(columns, roles, source, layout)
    return roles


def _without_users_or_items(columns: Sequence[Seen], roles: Mapping[str, Any], source: str, layout: Mapping[str, Any]) -> DataError:
    missing = " and ".join(f"{role}s" for role in ("user", "item") if roles[role] is None)
    held = ", ".join(f"{column.name} ({column.holds})" for column in columns)
    return DataError(
        f"no column looks like {missing}; the columns are {held}",
        where=source,
        allowed="a column of users and one of items, such as user_id and item_id",
        remedy="call two columns user and item in the first line, or declare yours in a study: "
        f'delimited(path="{source}",separator={format_value(layout["separator"])},header=true,user=...,item=...,rating=null)'
        if layout
        else f'declare yours in a study: parquet(path="{source}",user=...,item=...,rating=null)',
    )


_GAPS = "text, partly empty"

_NAMING = re.compile(r"(?i).*(id|nr|no|num|number|key|code|index)s?\W*")
"""Names of columns in which a whole number may stand for a user or an item; a price, for example, cannot."""


def _fits(column: Seen, role: str) -> bool:
    """Whether a column with a name that suggests a role could have that role."""
    match role:
        case "rating":
            return "number" in column.holds
        case "timestamp":
            return _is_time(column) or "whole" in column.holds
        case _:
            return column.holds not in {"numbers", WITH_DECIMAL_COMMAS}


def _is_time(column: Seen) -> bool:
    return column.holds == "dates" or "times" in column.holds


def _looks_like(column: Seen, role: str) -> bool:
    """Whether a column could have a role, judging by content alone."""
    match role:
        case "rating":
            return column.holds in {"numbers", "whole numbers", WHOLE_WITH_POINT, WITH_DECIMAL_COMMAS}
        case "timestamp":
            return _is_time(column)
        case _:
            may_name = isinstance(column.name, int) or _NAMING.fullmatch(column.name) is not None
            return column.holds == "text" or (column.holds == "whole numbers" and may_name)


def _read(file: Path, look: FirstLook | None, names: Mapping[str, Any], decimal: Decimal) -> tuple[FileTable, DataError | None]:
    """Read the columns for some roles. Invalid rows are left out; the error about the first of them is returned too."""
    columns = _COLUMNS | {"rating": replace(_COLUMNS["rating"], decimal=decimal)}
    kind = Kind(tuple(columns[role] for role in names), is_declared=True)

    def read(invalid: Invalid) -> FileTable:
        if look is None:
            return (read_parquet if lists_in(file) is None else read_lists)(file, kind, names, invalid)
        return read_text(file, kind, Layout(look.separator, names, look.header, look.encoding, look.quoted), invalid)

    try:
        return read("error"), None
    except DataError as error:
        return read("skip"), error


def _rows(n: int) -> str:
    return f"{n:,} row{'s' * (n != 1)}"
