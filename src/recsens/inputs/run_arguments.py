"""Runs and then judgements, as arguments: each a file, an object in memory, or a folder of results.

The log says how a folder is read. If a folder can be read in two ways, it is refused, and the message names both ways.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from recsens.errors import DataError
from recsens.files.paths import is_one_data_set
from recsens.inputs.folders import DataSetFiles, FoldFiles, RecognisedFolder, recognised
from recsens.inputs.foreign_results import ForeignResults
from recsens.inputs.forms import Source, names_of_runs

log = logging.getLogger(__name__)


def results_of_files(files: Sequence[str], beside: Mapping[str, Source]) -> ForeignResults:
    """Call `results_of` with files (the last one contains the judgements), or with a single folder.

    Raises DataError if only one file is given, or for the reasons of `results_of`.
    """
    *before, last = files
    if before:
        return results_of(before, last, beside)
    if not _is_folder(last):
        raise DataError(
            "only one file is given", allowed="one or more runs, then the judgements", remedy="recsens evaluate RUN... QRELS"
        )
    return results_of(files, None, beside)


def results_of(runs: Sequence[Source], judgements: Source, given: Mapping[str, Source]) -> ForeignResults:
    """Return the runs and sets of each fold.

    A folder means its runs or, as ``judgements``, its test set. If a single folder contains both, ``judgements`` is None. Lists in
    a folder ``recs`` are measured unchanged. For other runs, the pairs of the folder's train set are not ranked. ``given`` are the
    train and validation sets that the user named.

    Raises DataError if there are no judgements, if a folder lacks the runs or the test set that it should contain, or if it can be
    read in two ways.
    """
    found = {str(each): recognised(each) for each in (*runs, judgements) if _is_folder(each)}
    if judgements is None and not (len(runs) == 1 and _is_folder(runs[0])):
        raise DataError(
            "no test set is given", allowed="the ratings of the test set, last; or a single folder that has runs and a test set"
        )
    is_alone = judgements is None
    before = [] if is_alone else [own for run in runs for own in _runs_of(run, found)]
    last = runs[0] if is_alone else judgements
    folder = found[str(last)] if _is_folder(last) else None
    if folder is None:
        return ForeignResults.of({"test": judgements, **given}, _runs_by_name(before))
    data = _only_data_set(folder)
    _refuse_place(folder, data, is_alone=is_alone)
    are_lists = all(Path(own) in folder.lists for own in _paths(data)) if is_alone else all(_is_list(run, found) for run in before)
    folds: dict[str, FoldFiles] = {}
    for name, fold in data.folds.items():
        own = {run: str(paths[0]) for run, paths in fold.runs.items()} or _runs_by_name(before)
        beside = dict(given) if are_lists else _sets_beside(folder, fold, given)
        folds[name] = FoldFiles({"test": str(fold.sets["test"]), **beside}, {run: [source] for run, source in own.items()})
        taken = {what: fold.sets[what] for what in beside if what not in given}
        _tell(folder, [path for paths in fold.runs.values() for path in paths], {"judgements": fold.sets["test"], **taken})
    return ForeignResults(folds)


def _only_data_set(folder: RecognisedFolder) -> DataSetFiles:
    """Return the only data set of a folder.

    Raises DataError if the folder has no runs or sets, several data sets, or several trainings of its runs.
    """
    first, *others = folder.datasets
    if others:
        names = [each.name for each in folder.datasets]
        raise DataError(
            f"has {len(names)} data sets: {', '.join(names)}",
            where=str(folder.path),
            allowed=f"one of them, such as {folder.path / names[0]}; 'recsens audit' reads all of them",
        )
    if not any(fold.sets or fold.runs for fold in first.folds.values()):
        raise _unknown_folder_error(folder.path)
    if len(first.trainings) > 1:
        raise DataError(
            f"has {len(first.trainings)} trainings of each run: {', '.join(first.trainings)}",
            where=str(folder.path),
            allowed="the files of one training, or 'recsens audit', which averages all of them",
        )
    return first


def _paths(data: DataSetFiles) -> list[str]:
    return [str(path) for fold in data.folds.values() for paths in fold.runs.values() for path in paths]


def _is_folder(given: Source) -> bool:
    return isinstance(given, str | Path) and Path(given).is_dir() and not is_one_data_set(Path(given))


def _is_list(run: Source, found: Mapping[str, RecognisedFolder]) -> bool:
    return isinstance(run, str | Path) and any(Path(run) in folder.lists for folder in found.values())


def _runs_by_name(runs: Sequence[Source]) -> dict[str, Source]:
    """Name runs after their files; a run that is not a file must be the only one."""
    if not all(isinstance(run, str | Path) for run in runs):
        return dict.fromkeys(("the run",), runs[0])
    return dict(zip(names_of_runs(runs), runs, strict=True))


def _refuse_place(folder: RecognisedFolder, data: DataSetFiles, *, is_alone: bool) -> None:
    """Refuse a folder as judgements if it contains no judgements, or if its runs could be meant too."""
    last, fold = str(folder.path), next(iter(data.folds.values()))
    if not is_alone and fold.runs:
        tested = (
            f"its test set judges only the runs before it ({fold.sets['test']})" if "test" in fold.sets else "it has no test set"
        )
        raise DataError(
            "the last argument, which gives the judgements, is a folder that also has runs, so it could mean two things",
            where=last,
            allowed=f"{tested}, or it also adds its own runs to those before it ({', '.join(_paths(data)[:3])})",
            remedy="give the files, not the folder",
        )
    if "test" not in fold.sets:
        remedy = f"add the test set, as a file or as the folder of the split: recsens evaluate {last} TEST"
        raise DataError("a folder of runs without a test set", where=last, remedy=remedy)
    if is_alone and not fold.runs:
        raise DataError("a split without runs", where=last, remedy=f"give the runs first: recsens evaluate RUN... {last}")
    if not is_alone and len(data.folds) > 1:
        raise DataError(
            f"has {len(data.folds)} folds: {', '.join(data.folds)}; the runs could belong to any fold",
            where=last,
            allowed="one folder with the sets and the runs of each fold, or the sets of one fold",
        )


def _sets_beside(folder: RecognisedFolder, fold: FoldFiles, given: Mapping[str, Source]) -> dict[str, Source]:
    """Return the folder's train set, and the sets that the user named.

    Raises DataError if the folder has a validation set too and the user named no set, because some programs rank validation pairs,
    and others do not.
    """
    train, validation = (fold.sets.get(what) for what in ("train", "validation"))
    if train is not None and validation is not None and not given:
        raise DataError(
            "scores with a validation set: some programs rank its pairs, others do not",
            where=str(folder.path),
            allowed=f"its pairs are ranked: --train {train}; they are not: --validation {validation}",
        )
    return {**({} if train is None else {"train": str(train)}), **given}


def _runs_of(run: Source, found: Mapping[str, RecognisedFolder]) -> list[Source]:
    folder = found.get(str(run)) if _is_folder(run) else None
    if folder is None:
        return [run]
    data = _only_data_set(folder)
    fold, *others = data.folds.values()
    if others or not fold.runs:
        problem = f"has {len(data.folds)} folds: {', '.join(data.folds)}" if others else "a split without runs"
        raise DataError(problem, where=str(run), remedy="give judgements last: recsens evaluate RUN... QRELS")
    _tell(folder, list(map(Path, _paths(data))), {})
    return list(_paths(data))


def _tell(folder: RecognisedFolder, runs: Sequence[Path], sets: Mapping[str, Path]) -> None:
    """Log which files of a folder are used."""
    taken = {"runs": runs, **{what: [path] for what, path in sets.items()}}
    parts = [
        f"{what} {', '.join(path.relative_to(folder.path).as_posix() for path in paths)}" for what, paths in taken.items() if paths
    ]
    log.info("%s: taken as %s", folder.path, "; ".join(parts))


def _unknown_folder_error(path: Path) -> DataError:
    if any(path.glob("*.pth")):
        return DataError(
            "contains models (.pth), such as RecBole's, but no lists: RecBole saves none",
            where=str(path),
            remedy="write the model's scores to a file: 'recsens exporter' and docs/your-model.md",
        )
    return DataError(
        "a folder without runs and without a split (test.tsv, 0/test.tsv, NAME.test.inter)",
        where=str(path),
        allowed="files, or a folder of sets and runs whose names say which is which",
    )
