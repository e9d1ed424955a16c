"""Paths that a user writes: where they lead, and whether the workflow can use them."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from glob import escape
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from recsens.errors import ConfigError, DataError

_PATTERN = re.compile(r"\{\s*[.\w]+\s*(?:,.*)?\}", re.DOTALL)
"""What Snakemake reads as a wildcard; it cannot be escaped in the path of an input file."""


ENVIRONMENT = "RECSENS_DATA"
"""Environment variable for the folder with local copies of data sets."""

DOWNLOADS = Path("data")
"""Folder below the working directory for downloaded files; ``RECSENS_DATA`` replaces it."""

_PLACEHOLDER = re.compile(r"\{\w+\}")
"""A placeholder for a name, such as the name of a fold, in a path that means several files."""

is_file, is_folder = os.path.isfile, os.path.isdir
"""Whether a path leads to a file, or to a folder; False if the system cannot look it up, as for a name of more than 255 bytes."""

_STUDY_FOLDER: ContextVar[Path | None] = ContextVar("study_folder", default=None)


_PART = re.compile(r"part[-._]?[0-9].*|data_[0-9]+\..*|[0-9]+\.part.*|.*(?<![0-9])[0-9]{12}(?![0-9]).*")

_RATINGS = re.compile(
    r"(?i)(?:(?:.*/)?(?:ratings|interactions)\.(?:csv|tsv|dat|txt|jsonl?|parquet)|u\.data|.*\.inter|"
    r"user_(?:artists|ratedmovies)\.dat|ratings_data\.txt|behaviors\.tsv)(?:\.gz)?"
)
"""The name of the file that has the ratings, in a folder or an archive with tables of users and items."""

_MORE_RATINGS = re.compile(r"(?i)(?:.*/)?(?:ratings?|interactions?|train|test|valid)[^/]*")
"""Names of files that may have further ratings."""

_COUNTED = re.compile(
    r"(?!.*(?:fold|split|seed|rep|run|model|train|valid|test|core|top|sample|cv|exp|iter|epoch|round|percent|pct))(?=.*[0-9]{2})"
    r"[\w.-]+",
    re.IGNORECASE,
)
"""Names that may be parts if they differ by a number alone."""

_DIVISION = re.compile(r"(?!(?:user|item|rating|fold|seed|repeat|rep|split|run|trial|model)(?:_?id)?=)[A-Za-z]\w*=[^=]+")
"""The name of a folder that divides parts by the value of a column; in such a folder, they may have any name."""

Files: TypeAlias = Path | Sequence[Path]
"""A file, a folder of parts, a pattern, or several of these."""


def are_paths(given: Any) -> TypeGuard[Sequence[str | Path]]:
    """Whether an object is a list of paths."""
    return isinstance(given, list | tuple) and len(given) > 0 and all(isinstance(each, str | Path) for each in given)


def in_words(files: Files) -> str:
    """Return a path, or the first of several and the number of others."""
    first, *others = [files] if isinstance(files, Path) else files
    return f"{first} and {len(others)} more" if others else str(first)


def parts_of(path: Files) -> list[Path]:
    """Return the files of a data set: the file itself, the parts in a folder in order, or what a pattern matches (2021-*.csv).

    Folders such as ``year=2021`` may divide the parts.

    Files without content are left out, as are files whose name begins with ``_`` or a point. A path that does not exist is returned
    unchanged.

    Raises
    ------
    DataError
        If a folder contains anything but parts of one file, named as Spark, dask and BigQuery name them.
    """
    if not isinstance(path, Path):
        return [part for each in path for part in parts_of(each)]
    if is_file(path) or not (is_folder(path) or "*" in path.name):
        return [path]
    found = _parts_in(path) or _ratings_in(path) if is_folder(path) else list(path.parent.glob(path.name))
    if found is None:
        names = sorted(each.name for each in path.iterdir())
        pairs = ((name, name.replace("train", "test")) for name in names if "train" in name)
        split = next((f"train={path / train},test={path / test}" for train, test in pairs if test in names), "")
        listed = ", ".join(names[:3]) or "none"
        raise DataError(
            f"a folder, not a file, and its files are not the parts of one data set: {listed}",
            where=str(path),
            allowed="a file; a folder of parts such as part-00000.csv and part-00001.csv; or a pattern such as data/2021-*.csv",
            remedy="give one of its files, or a pattern that matches only parts"
            + (
                f"; if they are a split, predefined({split}) as the split, and the list of both as the data set's path"
                if split
                else ""
            ),
        )
    found.sort(key=lambda each: [(text, int(number or 0)) for text, number in re.findall("([^0-9]*)([0-9]*)", str(each))])
    return [each for each in found if each.stat().st_size] or found[:1] or [path]


def _parts_in(folder: Path) -> list[Path] | None:
    """Return the parts in a folder, such as part-00000.csv beside _SUCCESS; None if it contains anything else, or nothing."""
    found = [each for each in folder.iterdir() if each.name[0] not in "._"]
    if found and all(is_folder(each) and _DIVISION.fullmatch(each.name) for each in found):
        inner = [_parts_in(each) for each in found]
        return None if None in inner else [part for parts in inner for part in parts or ()]
    is_part = _PART if not _DIVISION.fullmatch(folder.name) else re.compile(r".*\.(?:csv|tsv|parquet|jsonl?)(?:\.gz)?")
    return found if found and all(is_file(each) and is_part.fullmatch(each.name) for each in found) else None


def _ratings_in(folder: Path) -> list[Path] | None:
    """Return the only file of ratings beside other tables, or files whose names differ by a number alone."""
    found = [each for each in folder.iterdir() if each.name[0] not in "._" and is_file(each)]
    if ratings := only_ratings_file([each.name for each in found]):
        return [folder / ratings]
    are_counted = all(map(_COUNTED.fullmatch, (each.name for each in found)))
    return found if are_counted and len({re.sub("[0-9]+", "0", each.name) for each in found}) == 1 < len(found) else None


def only_ratings_file(names: Sequence[str]) -> str:
    """Return the only name that a file of ratings has beside other tables; empty if there is none, or another may have some."""
    ratings = [name for name in names if _RATINGS.fullmatch(name)]
    others = [name for name in names if name not in ratings and _MORE_RATINGS.fullmatch(name)]
    return ratings[0] if len(ratings) == 1 and not others else ""


def is_one_data_set(path: Path) -> bool:
    """Whether a folder has the parts of one file."""
    return is_folder(path) and _parts_in(path) is not None


def is_there(path: Path) -> bool:
    """Whether a path leads to a file or a folder, or a pattern matches files."""
    return is_file(path) or is_folder(path) or ("*" in path.name and any(path.parent.glob(path.name)))


@contextmanager
def relative_to_study(study: str | Path) -> Iterator[None]:
    """Within this block, relative paths in components may also start at a study file's folder; see `from_study`."""
    token = _STUDY_FOLDER.set(Path(study).parent)
    try:
        yield
    finally:
        _STUDY_FOLDER.reset(token)


def from_study(path: str) -> str:
    """Resolve a path relative to the study being read; a path that does not exist there is unchanged.

    An unchanged path starts at the working directory, or at the folder given by ``RECSENS_DATA``: see `places`.
    """
    folder = _STUDY_FOLDER.get()
    if folder is None or Path(path).expanduser().is_absolute():
        return path
    placed = folder / path
    return str(placed) if is_there(placed) or _names_files(folder, path) else path


def _names_files(folder: Path, path: str) -> bool:
    """Whether files exist that match a path with placeholders; False if the system cannot look them up."""
    if not _PLACEHOLDER.search(path):
        return False
    try:
        return any(folder.glob("*".join(map(escape, _PLACEHOLDER.split(path)))))
    except OSError:
        return False


def places(path: str | Path) -> list[Path]:
    """List where to look for a file: at the path and, if it is relative, below ``RECSENS_DATA`` (without a leading ``data/``)."""
    written, root = Path(path).expanduser(), os.environ.get(ENVIRONMENT)
    if written.is_absolute() or not root:
        return [written]
    return [written, Path(root).expanduser() / (written.relative_to(DOWNLOADS) if written.is_relative_to(DOWNLOADS) else written)]


def located(path: str | Path, where: str | None = None, allowed: str = "a file") -> Path:
    """Return the first path in `places` at which a file or folder exists.

    Raises
    ------
    DataError
        If there is none; the message lists all paths that were tried.
    """
    looked = places(path)
    found = next((place for place in looked if is_there(place)), None)
    if found is None:
        remedy = (
            f"check the path; a relative path starts at the study file, at the working directory, {Path.cwd()}, or at the folder "
            f"given by {ENVIRONMENT}"
        )
        problem = " or ".join(f"'{place}'" for place in looked)
        raise DataError(f"there is no file {problem}", where=where, allowed=allowed, remedy=remedy)
    return found


def check_path(path: str | Path) -> None:
    """Refuse an input path if Snakemake would read part of it as a wildcard.

    Raises
    ------
    ConfigError
        If the path contains a word in braces, or is not text.
    """
    found = _PATTERN.search(str(path))
    if found is not None:
        raise ConfigError(
            f"the path '{path}' contains '{found[0]}', which Snakemake reads as a wildcard",
            allowed="names without a word in braces",
            remedy="rename the folder or file, or link to it under another name",
        )
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise ConfigError(f"the path {str(path)!a} is not UTF-8", remedy="rename the folder or file") from error
