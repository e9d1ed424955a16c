"""The output of ``recsens audit --printed``."""

from collections.abc import Mapping, Sequence

from recsens.errors import DataError
from recsens.files.scale import Scale
from recsens.runs.evaluation import FoldFiles, runs_by_name
from recsens.runs.printed_values._look_up import look_up

_SETS = ("train", "validation", "test")


def found_of(
    folder: str | None = None,
    *,
    printed: Sequence[str],
    train: str | None,
    validation: str | None,
    test: str | None,
    runs: Sequence[str],
    scale: tuple[float, float] | None,
    columns: Sequence[str],
    departures: int,
    as_json: bool,
) -> str:
    """Look up printed numbers for runs given as ``FILE`` or ``NAME=FILE``, or for a folder; return at most twenty lines, or JSON.

    Raises
    ------
    RecsensError
        If a name is used twice, or for the reasons of `look_up`.
    """
    folds = None if folder is None else _folds_of(folder)
    named: Mapping[str, str] = runs_by_name(runs)
    if folds is not None:
        first = next(iter(folds.values()))
        train, validation, test = (None if name not in first.sets else str(first.sets[name]) for name in _SETS)
        named = {run: str(paths[0]) for run, paths in first.runs.items()}
    assert test is not None, "a test set is required without a folder"
    found = look_up(
        printed,
        named,
        test,
        train=train,
        validation=validation,
        folds=folds,
        scale=Scale(*scale, step=0) if scale else None,
        columns=columns,
        departures=departures,
    )
    return found.to_json() if as_json else "\n".join(found.lines)


def _folds_of(folder: str) -> Mapping[str, FoldFiles]:
    """Return the files of each fold of a folder.

    Raises DataError if the folder has several data sets or trainings, because a printed number belongs to one.
    """
    from recsens.runs.audits import AuditInput  # noqa: PLC0415 - files by name need less

    found = AuditInput.of_folder(folder)
    if len(found) > 1:
        raise DataError(f"has {len(found)} data sets: {', '.join(found)}", where=folder, allowed="the folder of one of them")
    [only] = found.values()
    if len(only.trainings) > 1:
        raise DataError(f"has {len(only.trainings)} trainings of each run", where=folder, allowed="the files of one: --run A=...")
    return only.folds
