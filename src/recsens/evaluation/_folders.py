"""Folders of results in place of files: which runs, judgements and train sets they stand for in an evaluation.

The log says how a folder is read; a folder that can be read in two ways is refused, and the message names both.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote

from recsens.errors import DataError
from recsens.evaluation._divided import EACH, Measured
from recsens.evaluation._input_forms import names_of_runs
from recsens.evaluation._recognised import DataSetFiles, FoldFiles, RecognisedFolder, recognised

log = logging.getLogger(__name__)


def folds_of_files(files: Sequence[str], given: Mapping[str, str]) -> dict[str, Measured]:
    """Return what is measured in each fold, by its name; files, and folders of one fold, have one that is called by no text.

    A folder stands for its runs, and as the last argument for its test set. A single folder may be both. Lists in a folder ``recs``
    are measured as the program wrote them; the train set of a folder is for other runs. ``given`` are the train and validation sets
    that the user names.

    Raises DataError if only one file is given, if a folder does not hold what its place asks for, or if it may be read in two ways.
    """
    found = {file: recognised(file) for file in files if Path(file).is_dir()}
    *before, last = files
    runs = [own for file in before for own in _runs_of(file, found)]
    folder = found.get(last)
    if folder is None:
        if not before:
            raise DataError(
                "only one file is given", allowed="one or more runs, then the judgements", remedy="recsens evaluate RUN... QRELS"
            )
        return {"": (dict(zip(names_of_runs(runs), runs, strict=True)), last, dict(given))}
    data = _only_data_set(folder)
    _refuse_place(folder, data, is_alone=not before)
    are_lists = all(Path(own) in folder.lists for own in _paths(data)) if not before else all(_is_list(run, found) for run in runs)
    measured: dict[str, Measured] = {}
    for name, fold in data.folds.items():
        own = {run: str(paths[0]) for run, paths in fold.runs.items()} or dict(zip(names_of_runs(runs), runs, strict=True))
        beside = dict(given) if are_lists else _sets_beside(folder, fold, given)
        measured[name] = own, str(fold.sets["test"]), beside
        taken = {what: fold.sets[what] for what in beside if what not in given}
        _tell(folder, [path for paths in fold.runs.values() for path in paths], {"judgements": fold.sets["test"], **taken})
    return measured


def chosen_fold(folds: Mapping[str, Measured], fold: str | None) -> Measured:
    """Return one of several folds, by its name or number.

    Raises DataError if none is chosen, or there is no such fold.
    """
    chosen = next((own for name, own in folds.items() if fold in {name, name.removeprefix("fold ")}), None)
    if chosen is None:
        raise DataError(
            f"the folder holds {len(folds)} folds: {', '.join(folds)}" if fold is None else f"the folder has no fold '{fold}'",
            allowed=f"one of them, such as --fold {quote(next(iter(folds)))}; or --fold {EACH}: each is measured on its own, and "
            "then averaged",
        )
    return chosen


def _only_data_set(folder: RecognisedFolder) -> DataSetFiles:
    """Return what a folder holds.

    Raises DataError if it holds nothing known, several data sets, or several trainings of its runs.
    """
    first, *others = folder.datasets
    if others:
        names = [each.name for each in folder.datasets]
        raise DataError(
            f"holds {len(names)} data sets: {', '.join(names)}",
            where=str(folder.path),
            allowed=f"one of them, such as {folder.path / names[0]}; 'recsens audit' takes them together",
        )
    if not any(fold.sets or fold.runs for fold in first.folds.values()):
        raise _unknown(folder.path)
    if len(first.trainings) > 1:
        raise DataError(
            f"holds {len(first.trainings)} trainings of each run: {', '.join(first.trainings)}",
            where=str(folder.path),
            allowed="the files of one, or 'recsens audit', which takes them together",
        )
    return first


def _paths(data: DataSetFiles) -> list[str]:
    return [str(path) for fold in data.folds.values() for paths in fold.runs.values() for path in paths]


def _is_list(run: str, found: Mapping[str, RecognisedFolder]) -> bool:
    return any(Path(run) in folder.lists for folder in found.values())


def _refuse_place(folder: RecognisedFolder, data: DataSetFiles, *, is_alone: bool) -> None:
    """Refuse a folder as judgements that has none, or that has runs which may be meant too."""
    last, fold = str(folder.path), next(iter(data.folds.values()))
    if not is_alone and fold.runs:
        tested = f"its test set measures the runs named before it ({fold.sets['test']})" if "test" in fold.sets else "no test set"
        raise DataError(
            "a folder with runs of its own at the last place, where judgements are",
            where=last,
            allowed=f"{tested}; or its runs are measured too, with those before it ({', '.join(_paths(data)[:3])})",
            remedy="give the files, not the folder",
        )
    if "test" not in fold.sets:
        remedy = f"add the test set, as a file or as the folder of the split: recsens evaluate {last} TEST"
        raise DataError("a folder of runs without a test set", where=last, remedy=remedy)
    if is_alone and not fold.runs:
        raise DataError("a split without runs", where=last, remedy=f"give the runs first: recsens evaluate RUN... {last}")
    if not is_alone and len(data.folds) > 1:
        raise DataError(
            f"holds {len(data.folds)} folds: {', '.join(data.folds)}; the runs may be of each of them",
            where=last,
            allowed="one folder with the sets and the runs of each fold, or the sets of one fold",
        )


def _sets_beside(folder: RecognisedFolder, fold: FoldFiles, given: Mapping[str, str]) -> dict[str, str]:
    """Return the train set, and the validation set if the user names it: some programs rank its pairs, and others do not.

    Raises DataError if the user names neither.
    """
    train, validation = (fold.sets.get(what) for what in ("train", "validation"))
    if train is not None and validation is not None and not given:
        raise DataError(
            "scores with a validation set: some programs rank its pairs, others do not",
            where=str(folder.path),
            allowed=f"its pairs are ranked: --train {train}; they are not: --validation {validation}",
        )
    return {**({} if train is None else {"train": str(train)}), **given}


def _runs_of(file: str, found: Mapping[str, RecognisedFolder]) -> list[str]:
    folder = found.get(file)
    if folder is None:
        return [file]
    data = _only_data_set(folder)
    fold, *others = data.folds.values()
    if others or not fold.runs:
        problem = f"holds {len(data.folds)} folds: {', '.join(data.folds)}" if others else "a split without runs"
        raise DataError(problem, where=file, remedy="give judgements last: recsens evaluate RUN... QRELS")
    _tell(folder, list(map(Path, _paths(data))), {})
    return _paths(data)


def _tell(folder: RecognisedFolder, runs: Sequence[Path], sets: Mapping[str, Path]) -> None:
    """Say what is taken from a folder."""
    taken = {"runs": runs, **{what: [path] for what, path in sets.items()}}
    parts = [
        f"{what} {', '.join(path.relative_to(folder.path).as_posix() for path in paths)}" for what, paths in taken.items() if paths
    ]
    log.info("%s: taken as %s", folder.path, "; ".join(parts))


def _unknown(path: Path) -> DataError:
    if any(path.glob("*.pth")):
        return DataError(
            "contains models (.pth), such as RecBole's, but no lists: RecBole saves none",
            where=str(path),
            remedy="write the model's scores to a file: 'recsens exporter' and docs/trained-models.md",
        )
    return DataError(
        "a folder without runs and without a split (test.tsv, 0/test.tsv, NAME.test.inter)",
        where=str(path),
        allowed="files, or a folder of sets and runs whose names say which is which",
    )
