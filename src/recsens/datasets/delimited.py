"""Interactions in a delimited text file of the user's own: CSV, TSV and their kin."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from recsens.datasets._base import Loaded
from recsens.datasets._layout import Column, Layout
from recsens.datasets._own_file import OwnFile
from recsens.datasets._read import read_delimited
from recsens.datasets._text import is_encoding
from recsens.interactions import Scale

_Column = Annotated[int, Field(ge=0)] | Annotated[str, Field(min_length=1)]


class Delimited(OwnFile):
    r"""One interaction a line, its fields between separators; plain or gzipped.

    Names of users and items are text, kept byte for byte: ``007``, ``NA`` and a name with spaces around it are what they are.
    Empty lines are passed over. FilmTrust, for example, is
    ``delimited(path="ratings.txt",separator=" ",lowest=0.5,highest=4,step=0.5,duplicates=last)``.

    Time stamps are kept as they stand, and put interactions in order; only a date is compared with them in seconds since 1970.
    Where they look like milliseconds, microseconds or nanoseconds (10^11 or more), the report says so, and a moment must be a
    number in their unit.
    """

    separator: str = Field("\t", min_length=1, description='text between two fields, one character or more: "\\t", ",", "::"')
    header: bool = Field(False, description="whether the first line names the columns")
    user: _Column = Field(0, description="column of the user: its number, counted from 0, or its name in the header")
    item: _Column = Field(1, description="column of the item")
    rating: _Column | None = Field(
        2, description="column of the rating; null if there is none: every interaction counts as positive"
    )
    timestamp: _Column | None = Field(None, description="column of the time stamp, an integer; null if there is none")
    encoding: str = Field("utf-8", description="text encoding: utf-8, latin-1, ...")
    quoted: bool = Field(
        True,
        description="whether a field may stand in double quotes (RFC 4180); only with a separator of one character",
    )

    @field_validator("separator")
    @classmethod
    def _check_separator(cls, separator: str) -> str:
        if set(separator) & set('\r\n"\0'):
            raise ValueError("a separator may not hold line breaks, double quotes or NUL characters")
        return separator

    @field_validator("encoding")
    @classmethod
    def _check_encoding(cls, encoding: str) -> str:
        if not is_encoding(encoding):
            raise ValueError("no such text encoding; allowed are Python's names, such as utf-8, latin-1, cp1252, utf-16")
        return encoding

    @model_validator(mode="after")
    def _check_columns(self) -> Self:
        columns: list[Column] = [column for column in (self.user, self.item, self.rating, self.timestamp) if column is not None]
        if len(set(columns)) < len(columns):
            raise ValueError(f"user, item, rating and timestamp must be different columns, not {columns}")
        if not self.header and any(isinstance(column, str) for column in columns):
            raise ValueError("columns have names only where header=true; without a header, give their numbers, counted from 0")
        return self

    @property
    def layout(self) -> Layout:
        """What is declared of the file."""
        return Layout(
            separator=self.separator,
            user=self.user,
            item=self.item,
            rating=self.rating,
            timestamp=self.timestamp,
            header=self.header,
            scale=self.scale,
            encoding=self.encoding,
            quoted=self.quoted,
        )

    @property
    def has_timestamps(self) -> bool:
        """Whether a column is declared."""
        return self.timestamp is not None

    @property
    def rating_scale(self) -> Scale | None:
        """The declared scale, if a column of ratings is declared."""
        return None if self.rating is None else self.scale

    def _read(self, path: Path) -> Loaded:
        return read_delimited(path, self.layout, duplicates=self.duplicates, invalid=self.invalid)
