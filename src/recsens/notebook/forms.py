"""Input forms (frames, sparse and dense matrices, lists by user), converted to rows of user, item and value."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.sparse as sp
from numpy.typing import NDArray

from recsens.arrays import Floats
from recsens.errors import DataError, nearest
from recsens.files import FileTable, Names
from recsens.files.column_names import column_of, label_columns
from recsens.files.paths import are_paths
from recsens.files.recognised import refuse_unread_labels
from recsens.score_files import JUDGED_RANKS

log = logging.getLogger(__name__)


def rename_columns(frame: pd.DataFrame, needed: Iterable[str], optional: Iterable[str] = (), *, what: str) -> pd.DataFrame:
    """Rename a frame's columns to the names that recsens uses, and log the changes; other columns stay unchanged.

    Raises
    ------
    DataError
        If a needed column is missing, or if several columns match.
    """
    needed, given = list(needed), [str(column) for column in frame.columns]
    meant = {role: column_of(what, role, given) for role in (*needed, *optional)}
    for role in needed:
        if meant[role] not in given:
            raise DataError(
                f"no column '{role}': the columns are {', '.join(map(repr, given))}{nearest(role, given)}",
                where=what,
                allowed=f"the columns {', '.join(needed)}, or other common names of these, such as userId, movie_id, prediction",
                remedy=f"rename it: frame.rename(columns={{...: '{role}'}})",
            )
    other = {name: role for role, name in meant.items() if name in given and name != role}
    if other:
        log.warning("%s: columns read: %s", what, ", ".join(f"'{name}' as {role}" for name, role in other.items()))
    return frame.set_axis([other.get(name, name) for name in given], axis=1)


def is_long(columns: Iterable[Any], *, what: str) -> bool:
    """Whether a frame has one row per pair of a user and an item, which a column with a usual name of users or items shows.

    Raises the same errors as `rename_columns`.
    """
    names = [str(column) for column in columns]
    return any(column_of(what, role, names) in names for role in ("user", "item"))


_LEAST = float(np.finfo(np.float32).min)
"""The score with which implicit fills up short lists in its arrays."""

ACCEPTED = (
    "a data frame (pandas, polars, Arrow) with a row for each pair, a scipy.sparse matrix, a dense array or frame of users by "
    "items, a mapping of users to items, a tuple of three arrays, or the path of a file"
)

HOLDS_RATINGS = (
    "the path of a file, a data frame (pandas, polars, Arrow) with a row for each rating, a scipy.sparse matrix, or an array with "
    "a mask"
)


_MOST_LONG = 6
"""A frame with more columns, all of numbers and none with a usual name, has a column for each item."""


@dataclass(frozen=True)
class Axes:
    """Names of the rows and columns of matrices; None means that rows and columns are numbered."""

    users: Sequence[Any] | None = None
    items: Sequence[Any] | None = None


def frame_of(given: Any) -> pd.DataFrame | None:
    """Convert any library's table to a pandas frame, through Arrow or the table's own method; None if it is not a table."""
    if isinstance(given, pd.DataFrame):
        return given
    if hasattr(given, "__arrow_c_stream__"):
        return pd.DataFrame(pa.table(given).to_pandas())
    if hasattr(given, "to_pandas"):
        return pd.DataFrame(given.to_pandas())
    if hasattr(given, "__dataframe__"):
        return pd.DataFrame(pd.api.interchange.from_dataframe(given))
    return None


def is_matrix(given: Any) -> bool:
    """Whether an object is a sparse or dense matrix of users by items."""
    is_frame = isinstance(given, pd.DataFrame) or hasattr(given, "__arrow_c_stream__")
    is_array = bool(sp.issparse(given)) or (hasattr(given, "__array__") and not is_frame)
    return is_array and getattr(given, "ndim", 0) == len(("users", "items"))


def _shows_entries(matrix: Any) -> bool:
    """Whether a matrix shows which pairs have a value: a sparse one does, and one with a mask."""
    return is_matrix(matrix) and (bool(sp.issparse(matrix)) or isinstance(matrix, np.ma.MaskedArray))


def refuse_other_shapes(matrices: Mapping[str, Any]) -> None:
    """Refuse matrices of different shapes, given by what they contain, because their rows or columns would be others' numbers.

    Raises DataError that names the first two.
    """
    shapes = {what: tuple(given.shape) for what, given in matrices.items() if is_matrix(given)}
    first = next(iter(shapes), "")
    other = next((what for what in shapes if shapes[what] != shapes[first]), None)
    if other is not None:
        (n_users, n_items), (of_users, of_items) = shapes[other], shapes[first]
        raise DataError(
            f"{n_users:,} users by {n_items:,} items, but {first} has {of_users:,} by {of_items:,}",
            where=other,
            allowed="matrices of one shape, users by items",
            remedy="transpose or extend one, as in csr_matrix(..., shape=(users, items)), or give frames with names",
        )


def refuse_wide(frame: pd.DataFrame, what: str) -> None:
    """Refuse ratings with a row for each user and a column for each item; raises DataError that says how to turn them."""
    if frame.shape[1] > _MOST_LONG and _is_wide(frame) and not is_long(frame.columns, what=what):
        raise DataError(
            f"a frame of {len(frame):,} users by {frame.shape[1]:,} items, without columns of users and items",
            where=what,
            allowed=HOLDS_RATINGS,
            remedy='frame.rename_axis(index="user", columns="item").stack().rename("rating").reset_index()',
        )


def matrix_frame(given: Any) -> pd.DataFrame:
    """Convert a sparse matrix, or one with a mask, to a frame of user, item and rating; users and items are numbered.

    Raises
    ------
    DataError
        If the matrix is dense, which does not show which items are rated, or if its numbers are not real.
    """
    if not _shows_entries(given):
        raise _dense_error("the ratings")
    user, item, rating = _stored_entries(given, "the ratings")
    return pd.DataFrame({"user": user, "item": item, "rating": rating})


def rows_of_ratings(given: Any, axes: Axes, *, what: str) -> Any:
    """Return ratings as rows of user, item and rating (1 if the data have none), in a form that an evaluation can read.

    Raises
    ------
    DataError
        If ``given`` has none of the allowed forms.
    """
    frame = frame_of(given)
    if frame is not None:
        refuse_wide(frame, what)
        found = rename_columns(frame, ("user", "item"), ("rating",), what=what)
        if "rating" not in found:
            labels = label_columns(map(str, found.columns)).values()
            others = [name for name in found.columns if name not in {"user", "item", *labels}]
            refuse_unread_labels(what, {str(name): list(map(str, found[name].unique())) for name in others})
            found = found.assign(rating=1.0)
        return _role_columns(found, ("user", "item", "rating"))
    if _shows_entries(given):
        return _read_sparse(given, "rating", axes, what)
    if isinstance(given, Mapping):
        return _of_mapping(given, lambda _: 1.0, what)
    if isinstance(given, np.ndarray) and given.ndim == 2:
        raise _dense_error(what)
    return _read_other(given, what)


def rows_of_scores(given: Any, axes: Axes, *, what: str, role: str = "score") -> Any:
    """Return the scores or the ranks of a run as rows of user, item and score.

    Raises
    ------
    DataError
        If ``given`` has none of the allowed forms.
    """
    frame = None if sp.issparse(given) else frame_of(given)
    if frame is not None:
        return frame if set(JUDGED_RANKS.roles) <= set(frame.columns) else _read_frame(frame, role, what)
    if sp.issparse(given) and is_matrix(given):
        return _read_sparse(given, role, axes, what)
    if isinstance(given, Mapping):
        return _of_mapping(given, lambda place: float(place if role == "rank" else -place), what)
    if isinstance(given, tuple | list) and len(given) == 2 and all(np.ndim(each) == 2 for each in given):
        return _read_top_lists(np.asarray(given[0]), np.asarray(given[1]), role, axes, what)
    return _read_dense(_real_numbers(given, what), role, axes, what) if is_matrix(given) else _read_other(given, what)


def _read_frame(frame: pd.DataFrame, role: str, what: str) -> Any:
    """Read a frame with one row per pair or, if no column name suggests this, with one row per user and one column per item."""
    if is_long(frame.columns, what=what) or not _is_wide(frame):
        return _role_columns(rename_columns(frame, ("user", "item", role), what=what), ("user", "item", role))
    return _read_dense(frame.to_numpy(np.float64), role, Axes(frame.index.tolist(), frame.columns.tolist()), what)


def _dense_error(what: str) -> DataError:
    return DataError(
        "a dense array does not show which items are rated",
        where=what,
        allowed=HOLDS_RATINGS,
        remedy="if zero means not rated, pass scipy.sparse.csr_matrix(...)",
    )


def _is_wide(frame: pd.DataFrame) -> bool:
    return frame.shape[1] > 0 and all(pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes)


def _role_columns(frame: pd.DataFrame, roles: Sequence[str]) -> Any:
    """Return three columns as arrays, or as a frame if further columns name the system or the fold of each row."""
    labels = list(label_columns(map(str, frame.columns)).values())
    return frame[[*roles, *labels]] if labels else tuple(frame[role].to_numpy() for role in roles)


def _read_sparse(matrix: Any, role: str, axes: Axes, what: str) -> FileTable:
    _check_axes(matrix.shape, axes, what)
    return _pair_table(*_stored_entries(matrix, what), role, axes, what)


def _stored_entries(matrix: Any, what: str) -> tuple[NDArray[Any], NDArray[Any], Floats]:
    """Return row, column and value of every entry that a sparse matrix stores, including zeros, or that a mask leaves."""
    if isinstance(matrix, np.ma.MaskedArray):
        users, items = np.nonzero(~np.ma.getmaskarray(matrix))
        return users, items, _real_numbers(matrix, what)[users, items]
    stored = matrix.tocoo()
    return stored.row, stored.col, _real_numbers(stored.data, what)


def _real_numbers(values: Any, what: str) -> Floats:
    """Return numbers, with NaN where a mask hides one; raises DataError if they are not real numbers."""
    given = values if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    if given.dtype.kind not in "biuf":
        raise DataError(f"the values are of type {given.dtype}", where=what, allowed="real numbers, such as those of type float64")
    return np.asarray(np.ma.filled(given.astype(np.float64), np.nan))


def _read_dense(scores: Floats, role: str, axes: Axes, what: str) -> FileTable:
    _check_axes(scores.shape, axes, what)
    # NaN and -inf mean that an item is not ranked; +inf is refused below.
    users, items = np.nonzero(~np.isnan(scores) & (scores > -np.inf))
    return _pair_table(users, items, scores[users, items], role, axes, what)


def _read_top_lists(items: NDArray[Any], scores: NDArray[Any], role: str, axes: Axes, what: str) -> FileTable:
    """Read the two arrays that implicit's recommend returns: item numbers and scores, one row per user."""
    if items.shape != scores.shape or items.dtype.kind not in "iu":
        problem = f"items of shape {items.shape} and type {items.dtype}, scores of shape {scores.shape}"
        raise DataError(problem, where=what, allowed="two arrays of one shape, users by places: whole numbers of items, and scores")
    n_items = int(items.max(initial=-1)) + 1 if axes.items is None else len(axes.items)
    _check_axes((len(items), n_items), axes, what)
    if int(items.max(initial=-1)) >= n_items:
        raise DataError(f"item {int(items.max())}, but items= names {n_items}", where=what, allowed=f"0 to {n_items - 1}")
    is_ranked = (items >= 0) & ~np.isnan(scores) & (scores > _LEAST)
    if n_padding := int(np.count_nonzero(~is_ranked)):
        log.warning("%s: %s places of short lists are empty, and are left out", what, f"{n_padding:,}")
    users, places = np.nonzero(is_ranked)
    return _pair_table(users, items[users, places], scores[users, places].astype(np.float64), role, axes, what)


def _of_mapping(given: Mapping[Any, Any], value_at: Callable[[int], float], what: str) -> tuple[list[Any], list[Any], list[float]]:
    """Read a mapping from users to a list of items, best first, a set of items, or a mapping from items to values."""
    rows: list[tuple[Any, Any, float]] = []
    for user, items in given.items():
        if isinstance(items, Mapping):
            rows += [(user, item, value) for item, value in items.items()]
        elif isinstance(items, Sequence | AbstractSet | np.ndarray) and not isinstance(items, str):
            rows += [(user, item, value_at(place)) for place, item in enumerate(items, start=1)]
        else:
            raise DataError(
                f"the items of user {user!r} are of type {type(items).__name__}",
                where=what,
                allowed="a list of items, best first, or a mapping of items to values",
            )
    users, items_, values = zip(*rows, strict=True) if rows else ((), (), ())
    return list(users), list(items_), list(values)


def _pair_table(users: NDArray[Any], items: NDArray[Any], values: Floats, role: str, axes: Axes, what: str) -> FileTable:
    named = {"user": _code_numbers(users, axes.users), "item": _code_numbers(items, axes.items)}

    def place(row: int) -> str:
        return f"{what}, user '{named['user'][row]}', item '{named['item'][row]}'"

    if not len(values):
        raise DataError("it contains no entries", where=what, allowed="at least one pair of user and item")
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise DataError(f"the {role} is {values[row]}", where=place(row), allowed="finite numbers; NaN or -inf in a dense array")
    return FileTable(what, {**named, role: values}, place)


def _code_numbers(numbers: NDArray[Any], names: Sequence[Any] | None) -> Names:
    used, code = np.unique(numbers, return_inverse=True)
    return Names([str(each if names is None else names[each]) for each in used.tolist()], code.astype(np.int32).ravel())


def _check_axes(shape: tuple[int, ...], axes: Axes, what: str) -> None:
    for number, (name, listed) in enumerate({"users": axes.users, "items": axes.items}.items()):
        if listed is None:
            continue
        if len(listed) != shape[number]:
            raise DataError(
                f"{len(listed):,} {name} are named, but the matrix has {shape[0]:,} users and {shape[1]:,} items",
                where=what,
                allowed=f"one name for each {'row' if name == 'users' else 'column'}, as {name}=",
            )
        if len(set(map(str, listed))) < len(listed):
            raise DataError(f"a name appears twice in {name}=", where=what, allowed="different names")


def _read_other(given: Any, what: str) -> Any:
    if isinstance(given, str | Path) or are_paths(given):
        return Path(given) if isinstance(given, str | Path) else list(given)
    if isinstance(given, tuple | list) and len(given) == 3:
        return given
    shape = f" of {len(given)}" if isinstance(given, tuple | list) else f" of shape {np.shape(given)}" if np.ndim(given) else ""
    raise DataError(f"cannot be read from a {type(given).__name__}{shape}", where=what, allowed=ACCEPTED)
