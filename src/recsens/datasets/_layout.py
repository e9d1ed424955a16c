"""How a delimited file is laid out, and where its columns are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from recsens.datasets._values import is_number
from recsens.errors import DataError, nearest
from recsens.interactions import Scale

Column = int | str
"""A column by its number, counted from 0, or by its name in the header."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What is declared of a delimited file.

    Attributes
    ----------
    separator
        Text between two fields; one character or more.
    user, item, rating, timestamp
        Columns; None where there are no ratings or no time stamps.
    header
        Whether the first line names the columns.
    scale
        The rating scale that every rating must be on.
    encoding
        Text encoding.
    quoted
        Whether a field may stand in double quotes (RFC 4180: a quote inside is doubled, separators and line breaks inside are part
        of the field). Only with a separator of one character; else quotes are ordinary characters.
    """

    separator: str
    user: Column
    item: Column
    rating: Column | None
    timestamp: Column | None
    header: bool
    scale: Scale
    encoding: str = "utf-8"
    quoted: bool = False

    @property
    def reads_quotes(self) -> bool:
        """Whether double quotes have a meaning in this file."""
        return self.quoted and len(self.separator) == 1


@dataclass(frozen=True, slots=True)
class Positions:
    """Numbers of the columns, counted from 0, and the number of fields that every line must have."""

    user: int
    item: int
    rating: int | None
    timestamp: int | None
    width: int


def find_columns(path: Path, layout: Layout, first: Sequence[str], line: int) -> Positions:
    """Find the declared columns, given the fields of the first line.

    Raises
    ------
    DataError
        If a column is missing or its name is not unique, or if what is declared to be a header looks like data.
    """
    where = f"{path}:{line}"
    numbers = {
        role: None if column is None else _number(where, layout, first, role, column)
        for role, column in (
            ("user", layout.user),
            ("item", layout.item),
            ("rating", layout.rating),
            ("timestamp", layout.timestamp),
        )
    }
    user, item, rating = numbers["user"], numbers["item"], numbers["rating"]
    assert user is not None
    assert item is not None
    if layout.header and rating is not None and is_number(first[rating]):
        raise DataError(
            f"the header names the rating column '{first[rating]}': the line looks like data",
            where=where,
            remedy="declare header=false if the file has no header",
        )
    return Positions(user, item, rating, numbers["timestamp"], len(first))


def _number(where: str, layout: Layout, first: Sequence[str], role: str, column: Column) -> int:
    if isinstance(column, int):
        if column < len(first):
            return column
        raise DataError(
            f"there is no column {column} to take {role} from: the line has {len(first)} field{'s' * (len(first) != 1)}",
            where=where,
            allowed=f"0 to {len(first) - 1}",
            remedy=f"check {role}= and separator= (declared: {layout.separator!r})",
        )
    found = [place for place, name in enumerate(first) if name == column]
    if len(found) == 1:
        return found[0]
    problem = f"the header names {len(found)} columns '{column}'" if found else f"the header has no column '{column}'"
    raise DataError(
        f"{problem}{'' if found else nearest(column, first)}",
        where=where,
        allowed=", ".join(f"'{name}'" for name in first),
        remedy=f"give {role}= a column's name or its number, counted from 0; check separator= (declared: {layout.separator!r})",
    )
