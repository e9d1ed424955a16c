"""Read from a file's path whether the file is a set or a run, and of which fold and training."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from recsens.arrays import grouped
from recsens.errors import DataError
from recsens.files.paths import is_one_data_set

Part = Literal["train", "validation", "test", "run"]

SETS: Mapping[Part, frozenset[str]] = {
    "train": frozenset(("train", "training", "trainset", "base")),
    "validation": frozenset(("validation", "valid", "val", "dev", "validset")),
    "test": frozenset(("test", "testset", "testing", "qrels", "judgements", "judgments")),
}
"""Set -> words in a file name that mean this set."""

AUDIT = "audit.yaml"
"""The study that an audit writes; a folder with this file is an audit."""

_READABLE = frozenset(
    ".csv .tsv .txt .dat .data .inter .parquet .jsonl .ndjson .run .trec .res .qrels .npz .npy".split()  # noqa: SIM905
)
"""Endings of files that may have rows or scores; ``.base`` and ``.test`` also name the set."""

_PAIRED = {".base", ".test"}
"""Endings of the folds of MovieLens 100K: ``u1.base`` and ``u1.test``."""

_NO_RUNS = frozenset(
    ("performance", "evaluation", "metrics", "logs", "log", "params", "weights", "config", "configs", "checkpoints")
)
"""Folders in which frameworks store files other than data and lists."""

UNITS = ("fold", "repeat", "seed")
"""Labels with a number that a path may contain in addition to the name of a set or run."""

_WORDS = {"fold": "fold", "split": "fold", "partition": "fold", "cv": "fold", "repeat": "repeat", "seed": "seed"}
_NUMBERED = re.compile(rf"(?:(?<=[\W_])|^)({'|'.join(_WORDS)})[\s_=.-]*(\d+)(?=[\W_]|$)", re.IGNORECASE)
_LAST_NUMBER = re.compile(r"(\d+)$")
_PACKED = ".gz"

NAME_THEM = "name the files: --train, --test, --run A=..."


@dataclass(frozen=True)
class NamedFile:
    """A file, and the facts that its path gives.

    Attributes
    ----------
    path
        Its path below the folder.
    part
        The set that the file contains, or ``run``.
    unit
        The numbers of the fold, repeat and seed, if the path names them.
    home
        The folders in the path that name no fold, repeat or seed.
    rest
        The file name without fold, repeat and seed.
    pattern
        The path with ``*`` in place of the numbers of fold, repeat and seed.
    """

    path: Path
    part: Part
    unit: Mapping[str, str]
    home: tuple[str, ...]
    rest: str
    pattern: str

    @property
    def labels(self) -> frozenset[str]:
        """The labels (fold, repeat, seed) that the path contains."""
        return frozenset(self.unit)

    def of(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Return the numbers of some labels, in the order fold, repeat, seed."""
        return tuple(self.unit[label] for label in UNITS if label in labels)


def named_files(root: Path) -> tuple[list[NamedFile], dict[Path, str]]:
    """Read the paths of a folder's files; return the sets and runs, and every other file with the reason why it is ignored.

    Of an earlier audit, the folder is returned instead of its files. A file is a set if a word of its name says so (``train.csv``,
    ``ml.valid.inter``, ``u1.base``). Otherwise, it is a run if it has an ending of rows or scores. Files of row names
    (``scores.users.txt``) belong to their compact scores. Folds, repeats and seeds are words with a number (``fold0``, ``seed=3``)
    in the name of a file or folder. A folder whose name is only a number is a fold. A number that is the same in all paths is
    ignored. Next to a test set, a folder with a number as its name contains the sets on which a program trained and tuned; it is
    ignored if there is a train set next to the test set.

    Raises DataError if a name fits two sets, if a path names two folds, or if there are several such folders next to a test set,
    but no train set.
    """
    ignored: dict[Path, str] = {}
    parts: dict[Path, Part] = {}
    files = [path for path in root.rglob("*") if path.is_file()]
    folders = {folder for path in files for folder in path.parents if folder.is_relative_to(root)} - {root}
    whole = {folder for folder in folders if is_one_data_set(folder)}
    paths = sorted({next((each for each in reversed(path.parents) if each in whole), path).relative_to(root) for path in files})
    for path in paths:
        if any(part.startswith((".", "_")) for part in path.parts):
            continue
        audit = next((parent for parent in path.parents[:-1] if (root / parent / AUDIT).is_file()), None)
        why = "" if root / path in whole else _why_not_data(path, paths)
        if audit is not None:
            ignored[audit] = "it is an earlier audit"
        elif why:
            ignored[path] = why
        else:
            parts[path] = _part_of(path)
    within = _inner_folders(parts, root)
    for path in list(parts):
        if any(within.get(folder) == "tuning" for folder in path.parents):
            ignored[path] = "a fold within the train set"
            del parts[path]
    found: dict[str, set[str]] = {}
    for path, part in parts.items():
        for label, number in _named(path, part, within, UNITS)[1]:
            found.setdefault(label, set()).add(number)
    told = [label for label, numbers in found.items() if len(numbers) > 1]
    named = [_named(path, part, within, told) for path, part in parts.items()]
    for file, units in named:
        _refuse_two_numbers(root / file.path, units)
    return [file for file, _ in named], ignored


def _why_not_data(path: Path, paths: Sequence[Path]) -> str:
    """Return why a file cannot be a train, validation or test set or a run; empty if it can."""
    ending = _file_ending(path)
    if ending not in _READABLE | _PAIRED:
        return f"'{ending or path.name}' is not an ending of rows or scores"
    if _NO_RUNS & {part.lower() for part in path.parts[:-1]}:
        return "its folder has no lists"
    stem = re.sub(r"\.(?:users|items)\.txt$", "", path.name)
    if stem != path.name and any(path.with_name(f"{stem}{end}") in set(paths) for end in (".npy", ".npz")):
        return f"names of rows or columns of {stem}"
    return ""


def _file_ending(path: Path) -> str:
    return Path(path.name.removesuffix(_PACKED)).suffix.lower()


def _part_of(path: Path) -> Part:
    words = set(re.split(r"[^a-z]+", path.name.lower()))
    taken = [part for part, names in SETS.items() if words & names]
    if not taken:
        taken = [part for part, names in SETS.items() if names & {folder.lower() for folder in path.parts[:-1]}]
    # A file in TREC's form of judgements can contain any set.
    if len(taken) > 1 and words & SETS["test"] == {"qrels"}:
        taken.remove("test")
    if len(taken) > 1:
        raise DataError(
            f"could be the {' or the '.join(taken)} set: its name says both", where=str(path), remedy=f"rename it, or {NAME_THEM}"
        )
    return taken[0] if taken else "run"


def _inner_folders(parts: Mapping[Path, Part], root: Path) -> dict[Path, str]:
    """Return the numbered folders next to a test set: a single folder contains its train set, or all contain folds for tuning."""
    beside = {part: {path.parent for path, own in parts.items() if own == part} for part in ("train", "test")}
    above = dict.fromkeys(parent for path in parts for parent in path.parents[:-1] if parent.name.isdecimal())
    inner = grouped((each.parent, each) for each in above if each.parent in beside["test"] and each not in beside["test"])
    within: dict[Path, str] = {}
    for outer, folders in inner.items():
        if outer not in beside["train"] and len(folders) > 1:
            raise DataError(
                f"has {len(folders)} folds: {', '.join(sorted(each.name for each in folders))}; the runs could belong to any fold",
                where=str(root / outer),
                allowed=f"one of them, such as {root / min(folders)}, with its own runs",
            )
        within |= dict.fromkeys(folders, "tuning" if outer in beside["train"] else "sets")
    return within


def _named(path: Path, part: Part, within: Mapping[Path, str], labels: Sequence[str]) -> tuple[NamedFile, list[tuple[str, str]]]:
    """Read a path; also return every number in the path, with its label."""
    found: list[tuple[str, str]] = []
    home, pattern = [], []
    for folder in reversed(path.parents[:-1]):
        left, shown, own = _without_units(folder.name, labels)
        if folder.name.isdecimal() and folder not in within and "fold" in labels:
            left, shown, own = "", "*", [("fold", str(int(folder.name)))]
        found += own
        pattern.append(shown)
        if left and folder not in within and not any(left.lower() in names for names in SETS.values()):
            home.append(left)
    stem = Path(path.name.removesuffix(_PACKED)).stem
    left, shown, own = _without_units(stem, labels)
    number = _LAST_NUMBER.search(stem)
    if _file_ending(path) in _PAIRED and number is not None and "fold" in labels and not own:
        left, shown, own = stem[: number.start()], f"{stem[: number.start()]}*", [("fold", str(int(number[1])))]
    found += own
    end = path.name[len(stem) :]
    if part == "run" and not left and home:
        left = home.pop()
    pattern.append(f"{shown}{end}")
    return NamedFile(path, part, dict(found), tuple(home), f"{left or stem}{end}", "/".join(pattern)), found


def _refuse_two_numbers(path: Path, units: Sequence[tuple[str, str]]) -> None:
    of = dict(units)
    for label, number in units:
        if of[label] != number:
            raise DataError(
                f"could belong to {label} {number} or to {label} {of[label]}: its path names both",
                where=str(path),
                remedy=f"rename it, or {NAME_THEM}",
            )


def _without_units(name: str, labels: Sequence[str]) -> tuple[str, str, list[tuple[str, str]]]:
    """Return a name without its folds, repeats and seeds; the name with ``*`` for their numbers; and the numbers."""
    found = [match for match in _NUMBERED.finditer(name) if _WORDS[match[1].lower()] in labels]
    left, shown = name, name
    for match in reversed(found):
        left = left[: match.start()] + left[match.end() :]
        shown = f"{shown[: match.start(2)]}*{shown[match.end(2) :]}"
    left = re.sub(r"^[\W_]+|[\W_]+$", "", re.sub(r"([\W_])[\W_]+", r"\1", left)) if found else left
    return left, shown, [(_WORDS[match[1].lower()], str(int(match[2]))) for match in found]
