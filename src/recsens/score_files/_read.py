"""Detect the form of a score file, and read it: factors, dense scores, weights between items, lists, or judged ranks."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from recsens.errors import DataError
from recsens.files import FileTable, Names
from recsens.files.kinds import RankBy
from recsens.files.scale import MAX_RATING
from recsens.files.text import only_member, starts_with
from recsens.score_files import judged_ranks
from recsens.score_files._archive import REWRITE, NamedArrays, named_arrays, names_beside, names_in, read_header
from recsens.score_files._forms import FORMS, JudgedRanks, ScoreFile, ScoreFormat

VERSION = 1
"""The version of the format that this module reads."""

_MARKS: dict[ScoreFormat, bytes] = {"npz": b"PK\x03\x04", "npy": b"\x93NUMPY"}
"""The first bytes of a file of each format."""

_ARRAYS = {
    "factors": ("users", "items", "user_factors", "item_factors", "user_biases", "item_biases", "global_bias", "combine"),
    "dense": ("users", "items", "scores"),
    "item_weights": ("items", "data", "indices", "indptr", "profile", "unreached"),
    "lists": ("users", "items", "indptr", "indices", "scores"),
    "judged_ranks": judged_ranks.ARRAYS,
}
"""The arrays of each form; of some, not all must be there."""

_HEAD = ("recsens_scores", "kind")


def format_by_content(path: Path) -> ScoreFormat | None:
    """Return the format that a file's first bytes show; None if they show no format, or if the file cannot be opened."""
    member = only_member(path)
    if member and not member.endswith(".npy"):
        return None
    return next((known for known, mark in _MARKS.items() if starts_with(path, mark)), None)


def format_by_name(name: str) -> ScoreFormat | None:
    """Return the format that the ending of a file's name shows, if any."""
    return next((known for known in _MARKS if name.lower().endswith(f".{known}")), None)


def files_of(path: Path, form: str | None = None) -> list[Path]:
    """List a score file and its files of names, which may not exist; without ``form``, the ending of the file's name decides."""
    return [path, *sidecars(path)] if (form or format_by_name(path.name)) == "npy" else [path]


def read_scores(path: Path, form: ScoreFormat | None = None, rank_by: RankBy = "score") -> ScoreFile | FileTable | JudgedRanks:
    """Read a score file in any public form; without ``form``, its first bytes decide between npz and npy.

    Returns
    -------
    ScoreFile
        For factors, dense scores and weights between items, from which scores are computed for a block of users.
    FileTable
        For lists, one row per item of a list, with its score or, with ``rank_by="rank"``, its rank.
    JudgedRanks
        For judged ranks, which contain no scores.

    Raises
    ------
    DataError
        If the file is damaged or does not have the form; the message names the file and the array.
    """
    if (form or format_by_content(path)) == "npy":
        return read_mapped(path)
    with named_arrays(path) as arrays:
        kind = _kind_in(arrays)
        arrays.refuse_others((*_HEAD, *_ARRAYS[kind]), kind)
        match kind:
            case "factors":
                return _read_factors(arrays)
            case "dense":
                return _read_dense(arrays)
            case "item_weights":
                return _read_item_weights(arrays)
            case "lists":
                return _read_lists(arrays, rank_by)
        return judged_ranks.read_ranks(arrays)


def archive_kind(path: Path) -> str:
    """Return the kind of an archive, without reading its other arrays.

    Raises
    ------
    DataError
        If the archive is damaged, or has another version or an unknown kind.
    """
    with named_arrays(path) as arrays:
        return _kind_in(arrays)


def describe(file: ScoreFile) -> str:
    """Describe a score file's content, such as ``factors of 943 users and 1,682 items``."""
    called = {"factors": "factors", "dense": "dense scores", "item_weights": "weights between items"}[file.kind]
    users = f"{len(file.users):,} users and " if file.users else ""
    return f"{called} of {users}{len(file.items):,} items"


def _kind_in(arrays: NamedArrays) -> str:
    if "recsens_scores" not in arrays.names:
        raise DataError(
            "no scores in the public format: the array 'recsens_scores' is missing",
            where=arrays.source,
            allowed=f"recsens_scores = {VERSION}, kind = {', '.join(FORMS)}, and the arrays of that kind",
            remedy=REWRITE,
        )
    version = int(arrays.array("recsens_scores", "iu", ()))
    if version != VERSION:
        raise arrays.fault("recsens_scores", f"is version {version} of the format", f"version {VERSION}")
    return arrays.word("kind", FORMS)


def _read_factors(arrays: NamedArrays) -> ScoreFile:
    """Read factors, and biases if the file has them; all values must be finite, and small enough for finite scores.

    Raises DataError if an array is missing, damaged or invalid.
    """
    users, items = names_in(arrays, "users"), names_in(arrays, "items")
    user_factors = arrays.finite("user_factors", (len(users), None))
    found = {"user_factors": user_factors, "item_factors": arrays.finite("item_factors", (len(items), user_factors.shape[1]))}
    for name, shape in (("user_biases", (len(users),)), ("item_biases", (len(items),)), ("global_bias", ())):
        if name in arrays.names:
            found[name] = arrays.finite(name, shape)
    arrays.refuse_overflow(_largest_score(found), found)
    arrays.word("combine", ("dot",), default="dot")
    return ScoreFile(arrays.source, "factors", users, items, found)


def _largest_score(found: Mapping[str, NDArray[Any]]) -> float:
    """Return a size that no score exceeds: the products of the largest sizes in each column, and the largest biases."""
    most = {name: np.atleast_1d(_most(array)) for name, array in found.items()}
    with np.errstate(over="ignore"):
        products = (most["user_factors"] * most["item_factors"]).sum()
        return float(products + sum(size[0] for name, size in most.items() if not name.endswith("factors")))


def _most(array: NDArray[Any]) -> NDArray[np.float64]:
    """Return the largest size in each column."""
    rows = np.atleast_1d(array)
    highest, lowest = (end(rows, axis=0, initial=0).astype(np.float64) for end in (np.max, np.min))
    sizes: NDArray[np.float64] = np.maximum(highest, -lowest)
    return sizes


_AT_ONCE = 1 << 22
"""Number of scores checked at a time: few enough to need little memory compared with a matrix on disk."""

_WIDEST = np.dtype(np.float64).itemsize
_BESIDE = "the names of rows and columns are in files next to it, one per line, in UTF-8"


def _read_dense(arrays: NamedArrays) -> ScoreFile:
    """Read dense scores from an archive.

    Raises DataError if an array is missing, damaged or invalid, or if a score is infinite.
    """
    users, items = names_in(arrays, "users"), names_in(arrays, "items")
    scores = arrays.array("scores", "f", (len(users), len(items)))
    _refuse_infinite(scores, lambda problem: arrays.fault("scores", problem, "finite numbers; NaN if there is no score"))
    return ScoreFile(arrays.source, "dense", users, items, {"scores": scores})


def read_mapped(path: Path) -> ScoreFile:
    """Map dense scores from an npy file, with the names of users and items in text files next to it.

    Raises DataError if a file is missing, damaged or invalid, or if a score is infinite.
    """
    scores = _mapped(path)
    users, items = (names_beside(file, what) for file, what in zip(sidecars(path), ("users", "items"), strict=True))
    if scores.shape != (len(users), len(items)):
        shape = f"({len(users)}, {len(items)})"
        problem = f"has the shape {scores.shape}, but the files next to it name {len(users):,} users and {len(items):,} items"
        raise DataError(problem, where=str(path), allowed=shape, remedy=f"write a row for each user: {_BESIDE}")
    _refuse_infinite(
        scores, lambda problem: DataError(problem, where=str(path), allowed="finite numbers; NaN if there is no score")
    )
    return ScoreFile(str(path), "dense", users, items, {"scores": scores})


def sidecars(path: Path) -> tuple[Path, Path]:
    """Return the paths of the two files next to an npy file that contain its user names and item names."""
    stem = path.name.removesuffix(".npy")
    return path.with_name(f"{stem}.users.txt"), path.with_name(f"{stem}.items.txt")


def _mapped(path: Path) -> NDArray[Any]:
    try:
        with path.open("rb") as stream:
            shape, _, dtype = read_header(stream)
            fault = _fault(shape, dtype, path.stat().st_size - stream.tell())
        scores = open_memmap(path, mode="r") if fault is None else None
    except FileNotFoundError as error:
        raise DataError("no such file", where=str(path)) from error
    except (OSError, ValueError, EOFError) as error:
        fault, scores = str(error), None
    if scores is None:
        remedy = f"write it with numpy.save, users by items; {_BESIDE}"
        raise DataError(f"not readable dense scores: {fault}", where=str(path), remedy=remedy)
    return scores


def _fault(shape: tuple[int, ...], dtype: np.dtype[Any], held: int) -> str | None:
    """Describe what is wrong with a matrix on disk; None if nothing is wrong."""
    if not (len(shape) == len(("user", "item")) and dtype.kind == "f" and dtype.itemsize <= _WIDEST and dtype.isnative):
        return f"it contains {dtype} of shape {shape}; allowed are floats of 16, 32 or 64 bits, users by items"
    n_bytes = math.prod(shape) * dtype.itemsize
    if not n_bytes:
        return "it contains no scores"
    return None if n_bytes == held else f"its header says {n_bytes:,} bytes, but it contains {held:,}"


def _refuse_infinite(scores: NDArray[Any], fault: Callable[[str], DataError]) -> None:
    step = max(_AT_ONCE // max(scores.shape[1], 1), 1)
    for first in range(0, len(scores), step):
        is_infinite = np.isinf(scores[first : first + step])
        if is_infinite.any():
            row, column = map(int, np.argwhere(is_infinite)[0])
            raise fault(f"contains {float(scores[first + row, column])} in row {first + row}, column {column}")


def _read_item_weights(arrays: NamedArrays) -> ScoreFile:
    """Read weights, with one row per profile item; they must be finite, and small enough for finite scores.

    Words are returned as arrays of text.

    Raises DataError if an array is missing, damaged or invalid.
    """
    items = names_in(arrays, "items")
    indptr, indices = rows_in(arrays, ("indptr", "indices"), len(items), len(items))
    data = arrays.finite("data", (len(indices),))
    words = {
        "profile": arrays.word("profile", ("ones", "ratings"), default="ones"),
        "unreached": arrays.word("unreached", ("zero", "none"), default="zero"),
    }
    rating = MAX_RATING if words["profile"] == "ratings" else 1.0
    with np.errstate(over="ignore"):
        arrays.refuse_overflow(np.bincount(indices, np.abs(data)).max(initial=0.0) * rating, {"data": data})
    found = {"indptr": indptr, "indices": indices, "data": data, **{name: np.array(word) for name, word in words.items()}}
    return ScoreFile(arrays.source, "item_weights", [], items, found)


def rows_in(arrays: NamedArrays, names: tuple[str, str], n_rows: int, n_columns: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read the two arrays of a sparse matrix that contain the start of each row, and the columns in each row.

    Raises DataError if rows are not successive, or if a row contains a column twice or a column that does not exist.
    """
    of_rows, of_columns = names
    indptr = arrays.array(of_rows, "iu", (n_rows + 1,)).astype(np.int64, copy=False)
    indices = arrays.array(of_columns, "iu", (None,))
    if indptr[0] != 0 or (np.diff(indptr) < 0).any() or indptr[-1] != len(indices):
        allowed = f"numbers that never fall, from 0 to {len(indices)}, the length of '{of_columns}'"
        raise arrays.fault(of_rows, "does not divide the rows", allowed)
    if len(indices) and (int(indices.min()) < 0 or int(indices.max()) >= n_columns):
        wrong = next(int(end) for end in (indices.min(), indices.max()) if not 0 <= end < n_columns)
        raise arrays.fault(of_columns, f"contains {wrong}", f"0 to {n_columns - 1}")
    indices = indices.astype(np.int32, copy=False)
    pairs = np.repeat(np.arange(n_rows, dtype=np.int64), np.diff(indptr)) * n_columns + indices
    pairs.sort()
    again = np.flatnonzero(pairs[1:] == pairs[:-1])
    if len(again):
        row, column = divmod(int(pairs[again[0]]), n_columns)
        raise arrays.fault(of_columns, f"contains {column} twice in row {row}", "each column once per row")
    return indptr, indices


def _read_lists(arrays: NamedArrays, rank_by: RankBy) -> FileTable:
    """Read lists as rows of user, item and score, or rank if ``rank_by="rank"``. Without scores, the score is minus the rank.

    Raises DataError if an array is missing, damaged or invalid, or if all lists are empty.
    """
    users, items = names_in(arrays, "users"), names_in(arrays, "items")
    indptr, indices = rows_in(arrays, ("indptr", "indices"), len(users), len(items))
    scores = arrays.finite("scores", (len(indices),)) if "scores" in arrays.names else None
    if not len(indices):
        raise arrays.fault("indices", "is empty: all lists are empty", "at least one item")
    lengths = np.diff(indptr)
    user, place = (
        np.repeat(np.arange(len(users), dtype=np.int32), lengths),
        np.arange(len(indices)) - np.repeat(indptr[:-1], lengths),
    )
    rank = (place + 1).astype(np.float64)
    columns = {"rank": rank} if rank_by == "rank" else {"score": -rank if scores is None else scores.astype(np.float64)}
    named = {"user": _used(users, user), "item": _used(items, indices)}
    ignored = ["rank"] if rank_by == "score" and scores is not None else []
    return FileTable(
        arrays.source,
        {**named, **columns},
        lambda row: f"{arrays.source}, place {int(place[row]) + 1} of user '{users[int(user[row])]}'",
        ignored=ignored,
    )


def _used(names: list[str], code: NDArray[np.int32]) -> Names:
    """Drop names without a row, because every name in a table must have a row."""
    return Names(names, code).kept(slice(None))
