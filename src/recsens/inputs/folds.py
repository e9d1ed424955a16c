"""Divide runs, judgements and train sets into systems and folds, if a file or frame contains several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from recsens.errors import DataError, DesignError
from recsens.files import FileTable
from recsens.files.declared_columns import DeclaredColumns
from recsens.files.foreign_files import read_foreign
from recsens.files.kinds import QRELS, RUNS, Kind, RankBy
from recsens.inputs.forms import Source, rows_of, told_of
from recsens.inputs.labelled_rows import LabelledRows, is_divided
from recsens.score_files import format_by_content

EACH = "each"
"""The word that selects every fold instead of one."""


Measured: TypeAlias = tuple[Mapping[str, Source], Source, Mapping[str, Source]]
"""Runs by name, the judgements, and, by name, the sets with pairs that are not ranked: train and validation, or none."""


@dataclass(frozen=True)
class Divided:
    """Runs by name, the judgements, and the sets with pairs that are not ranked; files with a fold column are divided into folds.

    Attributes
    ----------
    runs
        The rows of each system.
    judgements
        The judgements.
    beside
        The sets with pairs that are not ranked, by name: train and validation, or none.
    """

    runs: Mapping[str, LabelledRows]
    judgements: LabelledRows
    beside: Mapping[str, LabelledRows]

    @classmethod
    def of(
        cls,
        runs: Mapping[str, Source],
        judgements: Source,
        beside: Mapping[str, Source],
        told: Mapping[str, DeclaredColumns],
        *,
        rank_by: RankBy,
    ) -> Divided:
        """Read rows and divide them; a run with several systems becomes one run for each system.

        Raises DataError if a file cannot be read, if it contains compact scores, which have no rows to divide, or if a name
        repeats.
        """
        qrels = _read(judgements, QRELS, told.get("rating"))
        divided: dict[str, LabelledRows] = {}
        for name, given in runs.items():
            parts = _read(given, RUNS[rank_by], told.get(rank_by))
            called = parts.by_system(name, several=len(runs) > 1)
            again = next((each for each in called if each in divided), None)
            if again is not None:
                problem = f"a system of this file and another run are both called '{again}'"
                raise DataError(problem, where=parts.table.source, remedy="rename the file or the system")
            divided |= called
        return cls(divided, qrels, {name: _read(each, QRELS, told.get("rating")) for name, each in beside.items()})

    @property
    def folds(self) -> list[str]:
        """The folds of all files, in order of appearance."""
        return list(dict.fromkeys(fold for parts in self._parts.values() for fold in parts.names("fold")))

    def fold(self, name: str) -> Measured:
        """Return the runs, judgements and other sets of a fold; a file without folds belongs to every fold.

        Raises DataError if a file has folds, but not this one.
        """
        runs, beside = ({each: _of(parts, name) for each, parts in files.items()} for files in (self.runs, self.beside))
        return runs, _of(self.judgements, name), beside

    def whole(self) -> Measured:
        """Return the runs, judgements and other sets if the files have no folds, or only one fold."""
        runs, beside = ({each: parts.table for each, parts in files.items()} for files in (self.runs, self.beside))
        return runs, self.judgements.table, beside

    def check(self, fold: str | None) -> None:
        """Refuse files with several folds if none is chosen, and folds that cannot be measured.

        Raises DataError if the divided files have no fold in common, if there are several folds and none is chosen, or if a fold is
        chosen although there are no folds. Raises DesignError if every fold is to be measured and some file is not divided into
        folds.
        """
        folds = self.folds
        self._refuse_strangers()
        if fold is None and len(folds) > 1:
            raise DataError(
                f"the files contain {len(folds)} folds: {', '.join(folds)}",
                allowed=f'one of them, such as --fold {folds[0]}, fold="{folds[0]}"; or --fold {EACH}, which measures every fold '
                "and averages the means",
            )
        if fold is not None and not folds:
            raise DataError(
                "no file has a fold column", allowed="a fold column, such as fold or i_split", remedy="leave out --fold"
            )
        if fold != EACH:
            return
        undivided = [name for name, parts in self._parts.items() if not parts.names("fold")]
        if undivided and undivided[0] not in self._sets:
            raise DesignError(
                f"no fold column in {undivided[0]}: each fold would be measured with the ratings of all folds, or with their lists",
                remedy=f"add the column, or measure one fold with its own files: --fold {folds[0]}",
            )
        if undivided:
            raise DesignError(
                f"no fold column in {undivided[0]}: each fold needs its own train set",
                remedy=f"add the column, or measure one fold at a time: --fold {folds[0]} --train ...",
            )

    @property
    def _parts(self) -> dict[str, LabelledRows]:
        return {**self.runs, "the judgements": self.judgements, **self._sets}

    @property
    def _sets(self) -> dict[str, LabelledRows]:
        return {f"the {name} set": parts for name, parts in self.beside.items()}

    def _refuse_strangers(self) -> None:
        """Refuse files of different folds, because a run would be measured with another fold's ratings."""
        divided = {name: parts.names("fold") for name, parts in self._parts.items() if parts.names("fold")}
        if divided and not set.intersection(*map(set, divided.values())):
            held = "; ".join(f"{', '.join(folds)} in {name}" for name, folds in divided.items())
            raise DataError(
                f"the files have no fold in common: {held}",
                remedy="give files of the same fold; if the column does not name folds, name the other columns: --columns",
            )


def divided(
    runs: Mapping[str, Source],
    judgements: Source,
    beside: Mapping[str, Source],
    told: Mapping[str, DeclaredColumns],
    *,
    fold: str | None,
    rank_by: RankBy,
) -> Divided | None:
    """Divide runs and sets into systems and folds; None if no fold is chosen and no column names systems or folds.

    Raises
    ------
    DataError, DesignError
        In the same cases as `Divided.of` and `Divided.check`.
    """
    of_folds = (is_divided(each, told, by=["fold"]) for each in beside.values())
    if fold is None and not any(is_divided(each, told) for each in (*runs.values(), judgements)) and not any(of_folds):
        return None
    found = Divided.of(runs, judgements, beside, told, rank_by=rank_by)
    found.check(fold)
    return found


OneFold: TypeAlias = tuple[Source, Source, dict[str, Any]]
"""A run, its judgements, and the other arguments of `evaluate` with the train and validation sets of the fold."""


def of_one_fold(run: Source, judgements: Source, decisions: Mapping[str, Any], fold: str | int | None) -> OneFold:
    """Return a run, its judgements, and the other arguments of `evaluate`, including the train and validation sets, for one fold.

    Raises
    ------
    DataError
        If a fold must be chosen but is not, if the chosen fold does not exist, or if the run contains several systems.
    DesignError
        If every fold is chosen.
    """
    fold = None if fold is None else str(fold)
    found = _divided(run, judgements, decisions, fold)
    if found is None:
        return run, judgements, dict(decisions)
    if fold == EACH:
        folds = ", ".join(f'"{each}"' for each in found.folds)
        raise DesignError(
            'fold="each": a call measures only one fold',
            allowed=f"one of {folds}",
            remedy="call it once for each fold and average the means, or call recsens.evaluate(...), which can measure each",
        )
    return _only_run(found.whole() if fold is None else found.fold(fold), decisions)


def of_each_fold(run: Source, judgements: Source, decisions: Mapping[str, Any]) -> dict[str, OneFold]:
    """Return, by fold, the result of `of_one_fold` for that fold.

    Raises
    ------
    DataError
        If there is no fold column, or the run contains several systems.
    DesignError
        If only some of the files have a fold column.
    """
    found = _divided(run, judgements, decisions, EACH)
    assert found is not None, "a fold is chosen"
    return {fold: _only_run(found.fold(fold), decisions) for fold in found.folds}


def _divided(run: Source, judgements: Source, decisions: Mapping[str, Any], fold: str | None) -> Divided | None:
    columns = decisions.get("columns", ())
    told = told_of([columns] if isinstance(columns, str) else columns)
    beside = {name: decisions[name] for name in ("train", "validation") if decisions.get(name) is not None}
    rank_by: RankBy = "rank" if decisions.get("rank_by") == "rank" else "score"
    return divided({"the run": run}, judgements, beside, told, fold=fold, rank_by=rank_by)


def _only_run(measured: Measured, decisions: Mapping[str, Any]) -> OneFold:
    runs, judged, others = measured
    if len(runs) > 1:
        raise DataError(
            f"the run contains {len(runs)} systems: {', '.join(runs)}",
            allowed="one system per call",
            remedy="keep the rows of one system (if the column does not name systems, leave it out), or measure each with the "
            "command 'recsens evaluate'",
        )
    return next(iter(runs.values())), judged, {**decisions, **others}


def _read(source: Source, kind: Kind, told: DeclaredColumns | None) -> LabelledRows:
    if not isinstance(source, str | Path):
        return LabelledRows.of_frame(source, rows_of(source, kind))
    path = Path(source)
    if format_by_content(path) is not None:
        problem = "compact scores have no rows, and therefore no folds"
        remedy = "measure them without --fold, with the judgements and the train set of their fold in files without a fold column"
        raise DataError(problem, where=str(path), remedy=remedy)
    return LabelledRows.of(path, read_foreign(path, kind, told=told), kind, told)


def _of(parts: LabelledRows, fold: str) -> FileTable:
    return parts.only("fold", fold).table if parts.names("fold") else parts.table
