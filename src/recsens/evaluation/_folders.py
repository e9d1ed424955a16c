"""Output folders of other programs in place of files: which runs, judgements and train sets they contain.

The log says how a folder is read; a folder that can be read in two ways is refused, and the message names both.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recsens.errors import DataError

log = logging.getLogger(__name__)

_TABLES = (".tsv", ".csv", ".inter", ".parquet")
_SCORES = (".npz", ".npy")
_ROLES = {"train": "train", "validation": "validation", "valid": "validation", "val": "validation", "test": "test"}
"""File names of a split -> what the files are: WarpRec and recsens write ``validation``, RecBole ``valid``, Elliot ``val``."""

_WRITTEN_AT = re.compile(r"_(\d\d\.\d\d\.\d{4}_\d\d-\d\d-\d\d)$")
"""The time at the end of the names of WarpRec's lists."""

_ITERATION = re.compile(r"-it:\d+$")
"""The iteration at the end of the names of Elliot's lists."""


@dataclass(frozen=True)
class OutputFolder:
    """A folder written by another program.

    Attributes
    ----------
    path
        The folder.
    program
        The program that wrote it, for messages.
    runs
        Files of lists and scores.
    split
        ``train``, ``validation`` and ``test``, those that are present -> the file.
    """

    path: Path
    program: str
    runs: Sequence[Path] = ()
    split: Mapping[str, Path] = field(default_factory=dict)

    @classmethod
    def of(cls, path: Path) -> OutputFolder:
        """Recognise the content of a folder.

        Raises DataError if nothing in it is recognised, or if it can be read in two ways.
        """
        lists = _files(path / "recs", (*_TABLES, *_SCORES))
        if lists and (path / "split").is_dir():
            _refuse_two_times(path, lists)
            return cls(path, "WarpRec's output", lists, _split_in(path / "split"))
        if lists:
            _refuse_iterations(path, lists)
            return cls(path, "Elliot's results", lists)
        split = _split_in(path) or _split_of_elliot(path)
        if split:
            runs = _files(path, _SCORES)
            return cls(path, "scores with their split" if runs else "a split", runs, split)
        raise _unknown(path)

    @property
    def has_lists(self) -> bool:
        """Whether the runs are lists of items that the program itself ranked."""
        return any(run.parent.name == "recs" for run in self.runs)

    def told(self, runs: Sequence[Path], split: Mapping[str, Path]) -> str:
        """Say which files of the folder are used."""
        named = {"runs": [*map(self._within, runs)], **{what: [self._within(file)] for what, file in split.items()}}
        parts = [f"{what} {', '.join(files)}" for what, files in named.items() if files]
        return f"{self.path}: read as {self.program}: {'; '.join(parts)}"

    def _within(self, file: Path) -> str:
        return file.relative_to(self.path).as_posix()


def files_of_folders(files: Sequence[str], given: Mapping[str, str]) -> tuple[list[str], str | None, dict[str, str]]:
    """Return runs, judgements (None if there are none), and train and validation sets; ``given`` are the sets that the user names.

    A folder provides its runs and, as the last argument, its test set. A single folder may provide both. Lists are measured as the
    program wrote them; the train set of a folder serves other runs.

    Raises DataError if a folder does not contain what its place requires, or if it can be read in two ways.
    """
    found = {file: OutputFolder.of(Path(file)) for file in files if Path(file).is_dir()}
    *before, last = files
    runs = [own for file in before for own in _runs_of(file, found)]
    folder = found.get(last)
    if folder is None:
        return runs, (last if before else None), dict(given)
    _refuse_place(folder, is_alone=not before)
    are_lists = all(file in found and found[file].has_lists for file in before or files)
    beside = dict(given) if are_lists else _sets_beside(folder, given)
    sets = {what: folder.split[what] for what in beside if what not in given}
    log.info("%s", folder.told([] if before else folder.runs, {"judgements": folder.split["test"], **sets}))
    return runs or [str(run) for run in folder.runs], str(folder.split["test"]), beside


def _refuse_place(folder: OutputFolder, *, is_alone: bool) -> None:
    """Refuse a folder as judgements if it has none, or if it has runs that may be meant too."""
    last = str(folder.path)
    if not is_alone and folder.runs:
        tested = (
            f"its test set measures the runs named before it ({folder.split['test']})" if "test" in folder.split else "no test set"
        )
        raise DataError(
            f"{folder.program}: a folder with runs in the last place, where the judgements belong",
            where=last,
            allowed=f"{tested}; or its runs are measured too, with those before it ({', '.join(map(str, folder.runs[:3]))})",
            remedy="give the files, not the folder",
        )
    if "test" not in folder.split:
        remedy = f"add the test set, as a file or as the folder of the split: recsens evaluate {last} TEST"
        raise DataError(f"{folder.program} without a test set", where=last, remedy=remedy)
    if is_alone and not folder.runs:
        raise DataError(f"{folder.program} without runs", where=last, remedy=f"give the runs first: recsens evaluate RUN... {last}")


def _sets_beside(folder: OutputFolder, given: Mapping[str, str]) -> dict[str, str]:
    """Return the train set, and the validation set if the user names it, because some programs rank its pairs and others do not.

    Raises DataError if the user names neither.
    """
    train, validation = (folder.split.get(what) for what in ("train", "validation"))
    if train is not None and validation is not None and not given:
        raise DataError(
            f"{folder.program} with a validation set: some programs rank its pairs, others do not",
            where=str(folder.path),
            allowed=f"its pairs are ranked: --train {train}; they are not: --validation {validation}",
        )
    return {**({} if train is None else {"train": str(train)}), **given}


def _runs_of(file: str, found: Mapping[str, OutputFolder]) -> list[str]:
    folder = found.get(file)
    if folder is None:
        return [file]
    if not folder.runs:
        raise DataError(
            f"{folder.program} without runs", where=file, remedy=("give the judgements last: recsens evaluate RUN... QRELS")
        )
    log.info("%s", folder.told(folder.runs, {}))
    return [str(run) for run in folder.runs]


def _files(folder: Path, endings: tuple[str, ...]) -> list[Path]:
    """Return a folder's files with some endings, gzipped or not, by name; none if there is no such folder."""
    within = sorted(folder.iterdir()) if folder.is_dir() else []
    return [file for file in within if file.is_file() and file.name.removesuffix(".gz").endswith(endings)]


def _split_in(folder: Path) -> dict[str, Path]:
    """Return a folder's files that are named like sets of a split: ``test.tsv``, or ``ml-100k.test.inter`` of RecBole.

    Raises DataError if two files have the same role.
    """
    split: dict[str, Path] = {}
    for file in _files(folder, _TABLES):
        stem = file.name.removesuffix(".gz").rpartition(".")[0]
        role = _ROLES.get(stem.rpartition(".")[2])
        if role in split:
            raise DataError(
                f"two files could be the {role} set: {split[role].name} and {file.name}",
                where=str(folder),
                remedy="give the files, not the folder: recsens evaluate RUN... TEST --train TRAIN",
            )
        if role is not None:
            split[role] = file
    return split if "test" in split else {}


def _split_of_elliot(path: Path) -> dict[str, Path]:
    """Return a split that Elliot saved: ``0/test.tsv`` with ``0/train.tsv``, or with train and validation in ``0/0``.

    Raises DataError if it has several folds.
    """
    folds = _folds(path)
    if len(folds) > 1:
        raise _several_folds(path, folds)
    outer = folds[0] if folds else path
    tested = _split_in(outer)
    inner = _folds(outer) if tested and "train" not in tested else []
    if len(inner) > 1:
        raise _several_folds(outer, inner)
    named = {_ROLES.get(file.name.partition(".")[0]): file for each in inner for file in _files(each, _TABLES)}
    return {**{role: file for role, file in named.items() if role in {"train", "validation"}}, **tested}


def _folds(path: Path) -> list[Path]:
    return sorted(each for each in path.iterdir() if each.is_dir() and each.name.isdecimal())


def _several_folds(path: Path, folds: Sequence[Path]) -> DataError:
    return DataError(
        f"contains {len(folds)} folds: {', '.join(each.name for each in folds)}; the runs may belong to any of them",
        where=str(path),
        allowed=f"one fold, such as {folds[0]}, with its own runs",
    )


def _refuse_two_times(path: Path, lists: Sequence[Path]) -> None:
    """Refuse WarpRec's lists of several experiments, because each experiment overwrites the split, even if it does not change."""
    times = sorted({found[1] for file in lists if (found := _WRITTEN_AT.search(file.stem))})
    if len(times) > 1:
        raise DataError(
            f"the lists were written at {len(times)} times: {', '.join(times)}; the split belongs to the last experiment",
            where=str(path / "recs"),
            allowed="the lists of the last experiment with this split, or all lists if the split was the same",
            remedy=f"give the files, not the folder: recsens evaluate {path}/recs/... {path}/split/test.tsv",
        )


def _refuse_iterations(path: Path, lists: Sequence[Path]) -> None:
    """Refuse lists of several iterations of a model: Elliot saves the lists of each iteration that is better than all before."""
    models = [_ITERATION.sub("", file.stem) for file in lists]
    again = next((model for model in models if models.count(model) > 1), None)
    if again is not None:
        raise DataError(
            f"contains lists of {models.count(again)} iterations of {again}",
            where=str(path / "recs"),
            allowed="the last iteration of each model, as Elliot reports it, or each iteration as a separate run",
            remedy=f"give the files, not the folder: recsens evaluate {path}/recs/... TEST",
        )


def _unknown(path: Path) -> DataError:
    if any(path.glob("*.pth")):
        return DataError(
            "contains models (.pth), such as RecBole's, but no lists: RecBole saves none",
            where=str(path),
            remedy="write the model's scores to a file: 'recsens exporter' and docs/trained-models.md",
        )
    inner = [each for each in sorted(path.iterdir()) if (each / "recs").is_dir()]
    if inner:
        return DataError(
            f"contains the output of several experiments: {', '.join(each.name for each in inner)}",
            where=str(path),
            allowed=f"one experiment, such as {inner[0]}",
        )
    return DataError(
        "a folder without recs/ (WarpRec, Elliot) and without a split (test.tsv, 0/test.tsv, NAME.test.inter)",
        where=str(path),
        allowed="files, or the output folder of such a program",
    )
