"""Dense scores: a matrix of users by items, in an archive or mapped from disk; NaN marks a pair without a score."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from recsens.errors import DataError
from recsens.score_files._archive import NamedArrays, names_beside, names_in, read_header
from recsens.score_files._forms import ScoreFile

ARRAYS = ("users", "items", "scores")
"""The arrays of this form."""

_AT_ONCE = 1 << 22
"""Number of scores checked at a time: few enough to need little memory compared with a matrix on disk."""

_WIDEST = np.dtype(np.float64).itemsize
_BESIDE = "the names of rows and columns are in files next to it, one per line, in UTF-8"


def read(arrays: NamedArrays) -> ScoreFile:
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
