"""Output folders of other programs in place of files: which runs, judgements and train sets they hold.

What is taken for what is logged; a folder that may be read in two ways is refused, and both ways are named.
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
"""What a split's files are called -> what they are: WarpRec and recsens write ``validation``, RecBole ``valid``, Elliot ``val``."""

_WRITTEN_AT = re.compile(r"_(\d\d\.\d\d\.\d{4}_\d\d-\d\d-\d\d)$")
"""The time at the end of the names of WarpRec's lists."""

_ITERATION = re.compile(r"-it:\d+$")
"""The iteration at the end of the names of Elliot's lists."""


@dataclass(frozen=True)
class OutputFolder:
    """A folder that another program has written.

    Attributes
    ----------
    path
        The folder.
    program
        What wrote it, for a message.
    runs
        Files of lists and scores.
    split
        ``train``, ``validation`` and ``test``, as far as they are there -> the file.
    """

    path: Path
    program: str
    runs: Sequence[Path] = ()
    split: Mapping[str, Path] = field(default_factory=dict)

    @classmethod
    def of(cls, path: Path) -> OutputFolder:
        """Recognise a folder's content.

        Raises DataError if it holds nothing known, or may be read in two ways.
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
        """Whether the runs are lists of what the program itself ranked."""
        return any(run.parent.name == "recs" for run in self.runs)

    def told(self, runs: Sequence[Path], split: Mapping[str, Path]) -> str:
        """Say what is taken from the folder."""
        named = {"runs": [*map(self._within, runs)], **{what: [self._within(file)] for what, file in split.items()}}
        parts = [f"{what} {', '.join(files)}" for what, files in named.items() if files]
        return f"{self.path}: taken for {self.program}: {'; '.join(parts)}"

    def _within(self, file: Path) -> str:
        return file.relative_to(self.path).as_posix()


def files_of_folders(files: Sequence[str], given: Mapping[str, str]) -> tuple[list[str], str | None, dict[str, str]]:
    """Return runs, judgements (None if there are none), and train and validation sets; ``given`` are those that the user names.

    A folder stands for its runs, and as the last argument for its test set. A single folder may be both. Lists are measured as the
    program wrote them; the train set of a folder is for other runs.

    Raises DataError if a folder does not hold what its place asks for, or may be read in two ways.
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
    """Refuse a folder as judgements that has none, or that has runs which may be meant too."""
    last = str(folder.path)
    if not is_alone and folder.runs:
        tested = f"its test set measures the runs before it ({folder.split['test']})" if "test" in folder.split else "no test set"
        raise DataError(
            f"{folder.program}: a folder with runs of its own at the last place, where judgements are",
            where=last,
            allowed=f"{tested}; or its runs are measured with those before it ({', '.join(map(str, folder.runs[:3]))})",
            remedy="give the files, not the folder",
        )
    if "test" not in folder.split:
        remedy = f"add the test set, as a file or as the folder of the split: recsens evaluate {last} TEST"
        raise DataError(f"{folder.program} without a test set", where=last, remedy=remedy)
    if is_alone and not folder.runs:
        raise DataError(f"{folder.program} without runs", where=last, remedy=f"give the runs first: recsens evaluate RUN... {last}")


def _sets_beside(folder: OutputFolder, given: Mapping[str, str]) -> dict[str, str]:
    """Return the train set, and the validation set if the user names it: some programs rank its pairs, and others do not.

    Raises DataError if the user names neither.
    """
    train, validation = (folder.split.get(what) for what in ("train", "validation"))
    if train is not None and validation is not None and not given:
        raise DataError(
            f"{folder.program} with a validation set, whose pairs are ranked by some programs and not by others",
            where=str(folder.path),
            allowed=f"they are ranked: --train {train}; they are not: --validation {validation}",
        )
    return {**({} if train is None else {"train": str(train)}), **given}


def _runs_of(file: str, found: Mapping[str, OutputFolder]) -> list[str]:
    folder = found.get(file)
    if folder is None:
        return [file]
    if not folder.runs:
        raise DataError(f"{folder.program} without runs", where=file, remedy="give judgements last: recsens evaluate RUN... QRELS")
    log.info("%s", folder.told(folder.runs, {}))
    return [str(run) for run in folder.runs]


def _files(folder: Path, endings: tuple[str, ...]) -> list[Path]:
    """Return a folder's files of some endings, gzipped or not, by name; none if there is no such folder."""
    within = sorted(folder.iterdir()) if folder.is_dir() else []
    return [file for file in within if file.is_file() and file.name.removesuffix(".gz").endswith(endings)]


def _split_in(folder: Path) -> dict[str, Path]:
    """Return a folder's files that are called as parts of a split: ``test.tsv``, or ``ml-100k.test.inter`` of RecBole.

    Raises DataError if two have the same part.
    """
    split: dict[str, Path] = {}
    for file in _files(folder, _TABLES):
        stem = file.name.removesuffix(".gz").rpartition(".")[0]
        role = _ROLES.get(stem.rpartition(".")[2])
        if role in split:
            raise DataError(
                f"two files may be the {role} set: {split[role].name} and {file.name}",
                where=str(folder),
                remedy="give the files, not the folder: recsens evaluate RUN... TEST --train TRAIN",
            )
        if role is not None:
            split[role] = file
    return split if "test" in split else {}


def _split_of_elliot(path: Path) -> dict[str, Path]:
    """Return a split that Elliot has saved: ``0/test.tsv`` with ``0/train.tsv``, or with train and validation in ``0/0``.

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
        f"holds {len(folds)} folds: {', '.join(each.name for each in folds)}; the runs may be of each of them",
        where=str(path),
        allowed=f"one of them, such as {folds[0]}, with its own runs",
    )


def _refuse_two_times(path: Path, lists: Sequence[Path]) -> None:
    """Refuse WarpRec's lists of several experiments: each of them overwrites the split, whether it is the same or not."""
    times = sorted({found[1] for file in lists if (found := _WRITTEN_AT.search(file.stem))})
    if len(times) > 1:
        raise DataError(
            f"the lists were written at {len(times)} times: {', '.join(times)}; the split is that of the last experiment",
            where=str(path / "recs"),
            allowed="the lists of the last experiment by this split, or all lists if the split was the same",
            remedy=f"give the files, not the folder: recsens evaluate {path}/recs/... {path}/split/test.tsv",
        )


def _refuse_iterations(path: Path, lists: Sequence[Path]) -> None:
    """Refuse lists of several iterations of one model: Elliot saves those of each iteration that is better than all before."""
    models = [_ITERATION.sub("", file.stem) for file in lists]
    again = next((model for model in models if models.count(model) > 1), None)
    if again is not None:
        raise DataError(
            f"holds lists of {models.count(again)} iterations of {again}",
            where=str(path / "recs"),
            allowed="the last iteration of each model, as Elliot reports it, or each iteration as a run of its own",
            remedy=f"give the files, not the folder: recsens evaluate {path}/recs/... TEST",
        )


def _unknown(path: Path) -> DataError:
    if any(path.glob("*.pth")):
        return DataError(
            "holds models (.pth), such as RecBole's, and no lists: RecBole keeps none",
            where=str(path),
            remedy="let the model write its scores: 'recsens exporter' and docs/trained-models.md",
        )
    inner = [each for each in sorted(path.iterdir()) if (each / "recs").is_dir()]
    if inner:
        return DataError(
            f"holds the output of experiments: {', '.join(each.name for each in inner)}",
            where=str(path),
            allowed=f"one of them, such as {inner[0]}",
        )
    return DataError(
        "a folder without recs/ (WarpRec, Elliot) and without a split (test.tsv, 0/test.tsv, NAME.test.inter)",
        where=str(path),
        allowed="files, or the output folder of such a program",
    )
