"""Interactions in a user's own delimited text file, such as CSV or TSV."""

import codecs
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from recsens.data.datasets._own_file import OwnFile
from recsens.files import FileTable, Layout, read_text, try_first_rows
from recsens.files.kinds import Decimal, Kind
from recsens.files.text import EncodingError

_NOT_OF_FILES = {"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}
"""Text codecs of Python that no file uses. Some of them decode to lone surrogates, which cannot be written."""

_Column = Annotated[int, Field(ge=0)] | Annotated[str, Field(min_length=1)]


class Delimited(OwnFile):
    r"""A text file, plain or gzipped, with one interaction per line and a separator between its fields.

    Names of users and items are text, kept byte for byte, such as ``007``, ``NA`` or a name with spaces around it. Empty lines are
    skipped. FilmTrust, for example, is
    ``delimited(path="ratings.txt",separator=" ",lowest=0.5,highest=4,step=0.5,duplicates=last)``.

    Time stamps order the interactions. Whole numbers are kept unchanged; they are read as seconds since 1970, or as milliseconds,
    microseconds or nanoseconds if they are that large (10^11, 10^14, 10^17 or more), only when they are compared with a date. Dates
    and times, such as ``2021-01-03``, ``2021-01-03 10:15:00+01:00``, ``2021/01/03 10:15 UTC`` or ``03.01.2021 10:15``, become
    seconds since 1970, or microseconds if a row has a fraction of a second; without a zone, they are read as UTC. Dates such as
    ``3/1/2021`` or ``03-01-2021 10:15 PM`` need ``dates=day_first`` or ``dates=month_first``.
    """

    separator: str = Field("\t", min_length=1, description='separator of fields, one or more characters: "\\t", ",", "::"')
    decimal: Decimal = Field(".", description='decimal sign of ratings: "." as in 4.5, or "," as in 4,5')
    header: bool = Field(False, description="whether the first line names the columns")
    user: _Column = Field(0, description="column of the user: its number, counted from 0, or its name in the header")
    item: _Column = Field(1, description="column of the item")
    rating: _Column | None = Field(
        2, description="column of the rating; null if there is none, in which case every interaction counts as positive"
    )
    timestamp: _Column | None = Field(
        None, description="column of the time stamp, an integer, a date or a time; null if there is none"
    )
    encoding: str = Field("utf-8", description="text encoding, such as utf-8, cp1252 or utf-16")
    quoted: bool = Field(
        True,
        description="whether fields may be in double quotes (RFC 4180); only with a separator of one character",
    )

    @field_validator("separator")
    @classmethod
    def _check_separator(cls, separator: str) -> str:
        if set(separator) & set('\r\n"\0'):
            raise ValueError("a separator must not contain line breaks, double quotes or NUL characters")
        return separator

    @field_validator("encoding")
    @classmethod
    def _check_encoding(cls, encoding: str) -> str:
        try:
            "".encode(encoding)
            name = codecs.lookup(encoding).name.replace("_", "-")
        except (LookupError, ValueError):
            name = "undefined"
        if name in _NOT_OF_FILES:
            raise ValueError("this text encoding is unknown; allowed are Python's names, such as utf-8, latin-1, cp1252, utf-16")
        return encoding

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        if not self.header and any(isinstance(column, str) for column in self._declared_columns.values()):
            raise ValueError("columns have names only if header=true; without a header, give their numbers, counted from 0")
        return self

    @property
    def layout(self) -> Layout:
        """The layout that the component's parameters declare."""
        return Layout(self.separator, self._declared_columns, self.header, self.encoding, self.quoted)

    @property
    def _kind(self) -> Kind:
        kind = super()._kind
        columns = (replace(column, decimal=self.decimal) if column.role == "rating" else column for column in kind.columns)
        return replace(kind, columns=tuple(columns))

    def try_first_rows(self, files: Sequence[Path]) -> None:
        """Read the first thousand rows, unless invalid rows are skipped."""
        if self.invalid == "error":
            with _encoding_can_be_declared():
                try_first_rows(files[0], self._kind, self.layout)

    def _read_files(self, files: Sequence[Path]) -> FileTable:
        with _encoding_can_be_declared():
            return read_text(files, self._kind, self.layout, self.invalid)


@contextmanager
def _encoding_can_be_declared() -> Iterator[None]:
    """Add to an error about the encoding the advice that a data set can declare another encoding."""
    try:
        yield
    except EncodingError as error:
        error.remedy = f"{error.remedy}; or declare encoding=cp1252, latin-1, utf-16, utf-16-le, utf-16-be ..."
        raise
