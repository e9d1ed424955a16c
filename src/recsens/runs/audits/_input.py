"""The input of an audit: the files that the user names, or those of a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recsens.errors import DataError
from recsens.runs.audits._material import Folds, Run, Source
from recsens.runs.evaluation import NAME_THEM, FoldFiles, recognised


@dataclass(frozen=True)
class AuditInput:
    """The files or rows to audit.

    Attributes
    ----------
    folds
        The sets and the runs of each fold, by the fold's name; a single fold is named ``""``.
    trainings
        Names of the trainings. On each fold, a run has one file for each training.
    name
        Name of the data.
    patterns
        The paths of each set and run in a folder, as `DataSetFiles.patterns` has them; empty if the user named the files.
    unread
        Lines that say which files of a folder were not read.
    """

    folds: Folds
    trainings: Sequence[str] = ("",)
    name: str = "these files"
    patterns: Mapping[str, str] = field(default_factory=dict)
    unread: Sequence[str] = ()

    @classmethod
    def of(
        cls, train: Source, test: Source, runs: Mapping[str, Run], validation: Source | None = None, name: str = "these files"
    ) -> AuditInput:
        """Return the input of one fold."""
        sets = {"train": train, "validation": validation, "test": test}
        present = {part: source for part, source in sets.items() if source is not None}
        return cls({"": FoldFiles(present, {run: [source] for run, source in runs.items()})}, name=name)

    @classmethod
    def of_folder(cls, folder: str | Path) -> dict[str, AuditInput]:
        """Recognise the files in a folder; return the input of each data set, by its name.

        Raises DataError if the folder can be read in two ways, or if a data set has no train set, no test set or no run.
        """
        found, name = recognised(folder), Path(folder).resolve().name or "these files"
        given = {}
        for each in found.datasets:
            patterns = {what: (Path(folder) / pattern).as_posix() for what, pattern in each.patterns.items()}
            given[each.name] = cls(each.folds, each.trainings, each.name or name, patterns, found.unread())
            _refuse_incomplete(given[each.name], Path(folder), str(Path(folder) / each.name))
        return given

    def sources(self) -> list[Any]:
        """List all sources that the folds read."""
        of_sets = [source for fold in self.folds.values() for source in fold.sets.values()]
        return [*of_sets, *(run for fold in self.folds.values() for runs in fold.runs.values() for run in runs)]


def _refuse_incomplete(given: AuditInput, folder: Path, where: str) -> None:
    """Refuse a data set of a folder that has no train set, no test set or no run.

    Raises DataError.
    """
    folds = list(given.folds.values())
    for part in ("train", "test"):
        if any(part not in fold.sets for fold in folds):
            there = ", ".join(path.relative_to(folder).as_posix() for path in given.sources()) or "no file with rows"
            allowed = f"a file whose name says so, such as {part}.csv; the folder has: {there}"
            raise DataError(f"no file is the {part} set", where=where, allowed=allowed, remedy=NAME_THEM)
    if not any(fold.runs for fold in folds):
        raise DataError("no file is a run", where=where, allowed="a file of lists or scores next to the sets", remedy=NAME_THEM)
