"""Detect the form of a score file, and read it."""

from pathlib import Path

from recsens.errors import DataError
from recsens.files import FileTable
from recsens.files.kinds import RankBy
from recsens.files.text import only_member, starts_with
from recsens.score_files import dense, factors, item_weights, judged_ranks, lists
from recsens.score_files._archive import REWRITE, NamedArrays, named_arrays
from recsens.score_files._forms import FORMS, JudgedRanks, ScoreFile, ScoreFormat

VERSION = 1
"""The version of the format that this module reads."""

_MARKS: dict[ScoreFormat, bytes] = {"npz": b"PK\x03\x04", "npy": b"\x93NUMPY"}
"""The first bytes of a file of each format."""

_ARRAYS = {
    "factors": factors.ARRAYS,
    "dense": dense.ARRAYS,
    "item_weights": item_weights.ARRAYS,
    "lists": lists.ARRAYS,
    "judged_ranks": judged_ranks.ARRAYS,
}
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
    return [path, *dense.sidecars(path)] if (form or format_by_name(path.name)) == "npy" else [path]


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
        return dense.read_mapped(path)
    with named_arrays(path) as arrays:
        kind = _kind(arrays)
        arrays.refuse_others((*_HEAD, *_ARRAYS[kind]), kind)
        match kind:
            case "factors":
                return factors.read(arrays)
            case "dense":
                return dense.read(arrays)
            case "item_weights":
                return item_weights.read(arrays)
            case "lists":
                return lists.read(arrays, rank_by)
        return judged_ranks.read_arrays(arrays)


def kind_of(path: Path) -> str:
    """Return the kind of an archive, without reading its other arrays.

    Raises
    ------
    DataError
        If the archive is damaged, or has another version or an unknown kind.
    """
    with named_arrays(path) as arrays:
        return _kind(arrays)


def describe(file: ScoreFile) -> str:
    """Describe a score file's content, such as ``factors of 943 users and 1,682 items``."""
    called = {"factors": "factors", "dense": "dense scores", "item_weights": "weights between items"}[file.kind]
    users = f"{len(file.users):,} users and " if file.users else ""
    return f"{called} of {users}{len(file.items):,} items"


def _kind(arrays: NamedArrays) -> str:
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
