"""Interactions in a parquet file of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pydantic import Field, model_validator

from recsens.columns import check_text, column_names, is_text
from recsens.datasets._assemble import assemble
from recsens.datasets._base import Loaded
from recsens.datasets._own_file import OwnFile
from recsens.datasets._rows import Rows
from recsens.datasets._values import describe_scale, off_scale, on_scale, other_declaration, remedy
from recsens.errors import DataError, nearest
from recsens.interactions import Scale

_TIME = "an integer, such as seconds since 1970, or a time"


class Parquet(OwnFile):
    """One interaction a row, in declared columns.

    Users and items are text, or integers, which become text; ratings are numbers; time stamps are times, which become seconds since
    1970, or integers, which are kept as ``delimited`` keeps them. Rows are counted from 1 in messages.
    """

    user: str = Field("user", min_length=1, description="column of the user: text or integers")
    item: str = Field("item", min_length=1, description="column of the item: text or integers")
    rating: str | None = Field("rating", min_length=1, description="column of the rating; null if there is none")
    timestamp: str | None = Field(
        None, min_length=1, description="column of the time stamp, an integer or a time; null if there is none"
    )

    @model_validator(mode="after")
    def _check_columns(self) -> Self:
        columns = self._columns()
        if len(set(columns)) < len(columns):
            raise ValueError(f"user, item, rating and timestamp must be different columns, not {columns}")
        return self

    def _columns(self) -> list[str]:
        return [column for column in (self.user, self.item, self.rating, self.timestamp) if column is not None]

    @property
    def has_timestamps(self) -> bool:
        """Whether a column is declared."""
        return self.timestamp is not None

    @property
    def rating_scale(self) -> Scale | None:
        """The declared scale, if a column of ratings is declared."""
        return None if self.rating is None else self.scale

    def _read(self, path: Path) -> Loaded:
        table = _open(path, self._columns())
        user = _names(path, table, self.user)
        item = _names(path, table, self.item)
        rating = None if self.rating is None else _ratings(path, table, self.rating)
        timestamp = None if self.timestamp is None else _timestamps(path, table, self.timestamp)
        faults = [_missing("user", user, "any text but an empty one"), _missing("item", item, "any text but an empty one")]
        if rating is not None:
            faults += [_missing("rating", rating, describe_scale(self.scale)), _off_scale(rating, self.scale)]
        if timestamp is not None:
            faults.append(_missing("time stamp", timestamp, _TIME))
        is_invalid = np.logical_or.reduce([fault.rows for fault in faults])
        if self.invalid == "error" and is_invalid.any():
            raise _first(path, faults, int(np.argmax(is_invalid)))
        kept = np.flatnonzero(~is_invalid)
        user_names, user_codes = user.coded(kept)
        item_names, item_codes = item.coded(kept)
        rows = Rows(
            source=str(path),
            user_names=user_names,
            item_names=item_names,
            user=user_codes,
            item=item_codes,
            rating=None if rating is None else rating.values[kept],
            timestamp=None if timestamp is None else timestamp.values[kept],
            place=lambda row: f"{path}, row {kept[row] + 1}",
            n_invalid=len(is_invalid) - len(kept),
        )
        return assemble(rows, self.scale, self.duplicates)


@dataclass(frozen=True)
class _Values:
    """A column's values (codes of names, where it holds names), and where there are none."""

    values: NDArray[Any]
    is_missing: NDArray[np.bool_]
    names: Sequence[str] = ()

    def coded(self, kept: NDArray[np.intp]) -> tuple[list[str], NDArray[np.int32]]:
        """Return the names that occur in some rows, and those rows' codes."""
        used, codes = np.unique(self.values[kept], return_inverse=True)
        return [self.names[code] for code in used], codes.astype(np.int32)


@dataclass(frozen=True)
class _Fault:
    """What is wrong with some rows."""

    rows: NDArray[np.bool_]
    problem: Callable[[int], str]
    allowed: str
    declaration: Callable[[int], str | None] = lambda _: None


def _missing(what: str, column: _Values, allowed: str) -> _Fault:
    return _Fault(column.is_missing, lambda _: f"the {what} is missing", allowed)


def _off_scale(rating: _Values, scale: Scale) -> _Fault:
    is_off = ~rating.is_missing & ~on_scale(rating.values, scale)
    return _Fault(
        is_off,
        lambda row: off_scale(float(rating.values[row]), scale),
        describe_scale(scale),
        lambda row: other_declaration(float(rating.values[row]), scale),
    )


def _first(path: Path, faults: Sequence[_Fault], row: int) -> DataError:
    fault = next(fault for fault in faults if fault.rows[row])
    return DataError(
        fault.problem(row),
        where=f"{path}, row {row + 1}",
        allowed=fault.allowed,
        remedy=remedy("row", fault.declaration(row)),
    )


def _open(path: Path, columns: Sequence[str]) -> pa.Table:
    try:
        names = column_names(path)
        for column in columns:
            if names.count(column) != 1:
                raise _no_column(path, column, names)
        return pq.read_table(path, columns=list(columns), partitioning=None)
    except FileNotFoundError as error:
        raise DataError(
            "no such file", where=str(path), remedy="check the path; relative paths start at the working directory"
        ) from error
    except (pa.ArrowException, OSError) as error:
        raise DataError(
            f"not a parquet file, or a damaged one: {error}",
            where=str(path),
            remedy="write or fetch it again; text such as CSV is read by delimited(...)",
        ) from error


def _no_column(path: Path, column: str, names: Sequence[str]) -> DataError:
    found = names.count(column)
    problem = f"there are {found} columns '{column}'" if found else f"there is no column '{column}'{nearest(column, names)}"
    return DataError(
        problem,
        where=str(path),
        allowed=", ".join(f"'{name}'" for name in names),
        remedy="declare user=, item=, rating=, timestamp=",
    )


def _wrong_type(path: Path, column: str, kind: pa.DataType, allowed: str) -> DataError:
    return DataError(
        f"column '{column}' holds {kind}", where=str(path), allowed=allowed, remedy="convert the column when writing the file"
    )


def _names(path: Path, table: pa.Table, column: str) -> _Values:
    texts = table.column(column)
    if pa.types.is_dictionary(texts.type):
        texts = texts.cast(texts.type.value_type)
    if not (pa.types.is_integer(texts.type) or is_text(texts.type)):
        raise _wrong_type(path, column, texts.type, "text or integers")
    check_text(path, column, texts)
    coded = texts.cast(pa.large_string()).combine_chunks().dictionary_encode()
    names = coded.dictionary.to_pylist()
    codes = coded.indices.fill_null(-1).to_numpy()
    is_missing = codes < 0
    if "" in names:
        is_missing |= codes == names.index("")
    return _Values(codes, is_missing, names)


def _ratings(path: Path, table: pa.Table, column: str) -> _Values:
    numbers = table.column(column)
    if not (pa.types.is_integer(numbers.type) or pa.types.is_floating(numbers.type) or pa.types.is_decimal(numbers.type)):
        raise _wrong_type(path, column, numbers.type, "numbers")
    values = numbers.cast(pa.float64(), safe=False).to_numpy()
    return _Values(values, numbers.is_null().to_numpy())


def _timestamps(path: Path, table: pa.Table, column: str) -> _Values:
    times = table.column(column)
    if pa.types.is_timestamp(times.type) or pa.types.is_date(times.type):
        times = times.cast(pa.timestamp("s"), safe=False)
    elif not pa.types.is_integer(times.type):
        raise _wrong_type(path, column, times.type, _TIME)
    try:
        values = times.cast(pa.int64()).fill_null(0).to_numpy()
    except pa.ArrowInvalid as error:
        raise _wrong_type(path, column, times.type, "integers of 64 bits") from error
    return _Values(values, times.is_null().to_numpy())
