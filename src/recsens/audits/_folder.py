"""What is what in a folder of results: the train, validation and test set, and the runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from recsens.errors import DataError

Part = Literal["train", "validation", "test", "run"]

_NAMES: Mapping[Part, frozenset[str]] = {
    "train": frozenset(("train", "training", "trainset", "base")),
    "validation": frozenset(("validation", "valid", "val", "dev", "validset")),
    "test": frozenset(("test", "testset", "testing", "qrels", "judgements", "judgments")),
}
"""Words of a file name that say which set it holds."""

_READABLE = {".csv", ".tsv", ".txt", ".dat", ".data", ".inter", ".parquet", ".run", ".trec", ".res", ".qrels", ".npz", ".npy"}
"""Endings of files that may hold rows or scores; ``.base`` and ``.test`` are endings that name the set itself."""

_NO_RUNS = frozenset(
    ("performance", "evaluation", "metrics", "logs", "log", "params", "weights", "config", "configs", "checkpoints")
)
"""Folders in which frameworks keep what is neither data nor lists."""

STUDY = "audit.yaml"
"""The study that an audit writes; a folder that holds it is an audit."""

_REMEDY = "name the files: --train, --test, --run A=..."
_PACKED = {".gz"}


@dataclass(frozen=True)
class RecognisedFiles:
    """What a folder holds, as paths below it.

    Attributes
    ----------
    root
        The folder.
    parts
        What each file was taken for; runs are in the order of their names.
    ignored
        Files that were not taken for anything, with the reason.
    """

    root: Path
    parts: Mapping[Path, Part]
    ignored: Mapping[Path, str]

    def of(self, part: Part) -> list[Path]:
        """List the files taken for one part, with their folder."""
        return [self.root / path for path, taken in self.parts.items() if taken == part]

    def tree(self) -> list[str]:
        """Say what was recognised, a line for each file, folder by folder."""
        said: dict[Path, str] = {**self.parts, **{path: f"not read: {why}" for path, why in self.ignored.items()}}
        return [f"{self.root}/", *(f"  {path.as_posix()}: {said[path]}" for path in sorted(said))]


def recognised(folder: str | Path) -> RecognisedFiles:
    """Find out by their names which files of a folder are train, validation and test set, and which are runs.

    A file is one of the sets if a word of its name says so (``train.csv``, ``ml.valid.inter``, ``u1.base``), and else a run if its
    ending is that of rows or scores. Names of rows of compact scores (``scores.users.txt``) belong to their file.

    Raises DataError if the folder cannot be read, no file is a train set, a test set or a run, or two files are the same set.
    """
    root = Path(folder)
    if not root.is_dir():
        raise DataError("no such folder", where=str(folder), remedy=_REMEDY)
    parts: dict[Path, Part] = {}
    ignored: dict[Path, str] = {}
    paths = sorted(_files(root))
    for path in paths:
        below = path.relative_to(root)
        why = _not_data(below, paths, root)
        if why:
            ignored[below] = why
        else:
            parts[below] = _part_of(below)
    found = RecognisedFiles(root, parts, ignored)
    _refuse_unclear(found)
    return found


def _files(root: Path) -> Iterator[Path]:
    for path in root.rglob("*"):
        hidden = any(part.startswith((".", "_")) for part in path.relative_to(root).parts)
        if path.is_file() and not hidden:
            yield path


def _not_data(path: Path, paths: Iterable[Path], root: Path) -> str:
    """Say why a file is neither a set nor a run; empty if it may be one."""
    ending = _ending(path)
    if ending not in _READABLE and not ({ending.removeprefix(".")} & (_NAMES["train"] | _NAMES["test"])):
        return f"'{ending or path.name}' is no ending of rows or scores"
    if any((root / parent / STUDY).is_file() for parent in path.parents[:-1]):
        return "it belongs to an earlier audit"
    if _NO_RUNS & {part.lower() for part in path.parts[:-1]}:
        return "its folder holds no lists"
    stem = re.sub(r"\.(?:users|items)\.txt$", "", path.name)
    if stem != path.name and any((root / path).with_name(f"{stem}{end}") in set(paths) for end in (".npy", ".npz")):
        return f"names of rows or columns of {stem}"
    return ""


def _part_of(path: Path) -> Part:
    words = {word for word in re.split(r"[^a-z]+", path.name.lower()) if word}
    taken = [part for part, names in _NAMES.items() if words & names]
    return taken[0] if len(taken) == 1 else "run"


def _ending(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _refuse_unclear(found: RecognisedFiles) -> None:
    for part, least in (("train", 1), ("validation", 0), ("test", 1)):
        paths = found.of(part)  # type: ignore[arg-type]
        if len(paths) > 1:
            named = ", ".join(path.relative_to(found.root).as_posix() for path in paths)
            raise DataError(f"{len(paths)} files may be the {part} set: {named}", where=str(found.root), remedy=_REMEDY)
        if len(paths) < least:
            named = ", ".join(path.as_posix() for path in found.parts) or "none that holds rows or scores"
            allowed = f"one whose name says so, such as {part}.csv; there are: {named}"
            raise DataError(f"no file is the {part} set", where=str(found.root), allowed=allowed, remedy=_REMEDY)
    if not found.of("run"):
        raise DataError(
            "no file is a run", where=str(found.root), allowed="a file of lists or scores beside the sets", remedy=_REMEDY
        )
