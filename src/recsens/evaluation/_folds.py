"""Runs for several systems and folds: each fold is measured against its own judgements, and the means are averaged."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from recsens.errors import DataError, DesignError
from recsens.evaluation._evaluate import mean_of
from recsens.evaluation._input_forms import Source
from recsens.evaluation._output import Format, Outcome, aligned, decimals, delimited, digits, head, tabular, write
from recsens.evaluation._several_runs import LabelledRows
from recsens.files import FileTable
from recsens.files.as_it_is import read_as_it_is
from recsens.files.kinds import QRELS, RUNS, Kind, RankBy
from recsens.files.told_columns import ToldColumns
from recsens.score_files import format_by_content

EACH = "each"
"""The word given instead of a fold to measure all folds."""

MEAN = "mean"
"""The word in the fold column of rows that average over folds."""


Measured: TypeAlias = tuple[Mapping[str, Source], Source, Mapping[str, Source]]
"""Runs by name, the judgements, and the sets that are not ranked, by name: train and validation, or none."""


@dataclass(frozen=True)
class Divided:
    """Runs by name, judgements, and the sets that are not ranked, divided into folds if their files are.

    Attributes
    ----------
    runs
        The rows of each system.
    judgements
        The judgements.
    beside
        The sets whose pairs are not ranked, by their names: train and validation, or none.
    """

    runs: Mapping[str, LabelledRows]
    judgements: LabelledRows
    beside: Mapping[str, LabelledRows]

    @classmethod
    def of(
        cls,
        runs: Mapping[str, str],
        judgements: str,
        beside: Mapping[str, str],
        told: Mapping[str, ToldColumns],
        *,
        rank_by: RankBy,
    ) -> Divided:
        """Read files of rows and divide them; a file with several systems becomes one run per system.

        Raises DataError if a file cannot be read, or contains compact scores, which have no rows to divide; or if a name repeats.
        """
        qrels = _read(Path(judgements), QRELS, told.get("rating"))
        divided: dict[str, LabelledRows] = {}
        for name, path in runs.items():
            parts = _read(Path(path), RUNS[rank_by], told.get(rank_by))
            systems = parts.names("model")
            within = {system: parts.only("model", system) for system in systems} if systems else {name: parts}
            called = {f"{name}/{system}" if systems and len(runs) > 1 else system: own for system, own in within.items()}
            again = next((each for each in called if each in divided), None)
            if again is not None:
                problem = f"a system of this file and another run are both called '{again}'"
                raise DataError(problem, where=path, remedy="rename a file, or the system")
            divided |= called
        return cls(divided, qrels, {name: _read(Path(path), QRELS, told.get("rating")) for name, path in beside.items()})

    @property
    def folds(self) -> list[str]:
        """The folds of all files, in order of appearance."""
        return list(dict.fromkeys(fold for parts in self._parts.values() for fold in parts.names("fold")))

    def fold(self, name: str) -> Measured:
        """Return the runs, judgements and other sets of a fold; a file without folds counts as that fold's.

        Raises DataError if a file has other folds.
        """
        runs, beside = ({each: _of(parts, name) for each, parts in files.items()} for files in (self.runs, self.beside))
        return runs, _of(self.judgements, name), beside

    def whole(self) -> Measured:
        """Return the runs, judgements and other sets of files without folds, or with one."""
        runs, beside = ({each: parts.table for each, parts in files.items()} for files in (self.runs, self.beside))
        return runs, self.judgements.table, beside

    def check(self, fold: str | None) -> None:
        """Refuse several folds without a choice among them, and folds that cannot be measured.

        Raises DataError if no fold is in all divided files, if there are several folds and none is chosen, or if there are none and
        one is chosen. Raises DesignError if every fold is to be measured and some file is not divided.
        """
        folds = self.folds
        self._refuse_strangers()
        if fold is None and len(folds) > 1:
            raise DataError(
                f"the files contain {len(folds)} folds: {', '.join(folds)}",
                allowed=f"one of them, such as --fold {folds[0]}, or --fold {EACH}: each is measured on its own, and then averaged",
            )
        if fold is not None and not folds:
            raise DataError("no file has a column of folds", allowed="a column such as fold or i_split", remedy="leave out --fold")
        if fold != EACH:
            return
        undivided = [name for name, parts in self._parts.items() if not parts.names("fold")]
        if undivided and undivided[0] not in self._sets:
            raise DesignError(
                f"no column of folds in {undivided[0]}: each fold would be measured by the ratings of all, or with their lists",
                remedy=f"add the column, or measure one fold with its own files: --fold {folds[0]}",
            )
        if undivided:
            raise DesignError(
                f"no column of folds in {undivided[0]}: each fold has a train set of its own",
                remedy=f"add the column, or measure one fold at a time: --fold {folds[0]} --train ...",
            )

    @property
    def _parts(self) -> dict[str, LabelledRows]:
        return {**self.runs, "the judgements": self.judgements, **self._sets}

    @property
    def _sets(self) -> dict[str, LabelledRows]:
        return {f"the {name} set": parts for name, parts in self.beside.items()}

    def _refuse_strangers(self) -> None:
        """Refuse files of different folds, since a run would be measured by the ratings of another fold."""
        divided = {name: parts.names("fold") for name, parts in self._parts.items() if parts.names("fold")}
        if divided and not set.intersection(*map(set, divided.values())):
            held = "; ".join(f"{', '.join(folds)} in {name}" for name, folds in divided.items())
            raise DataError(
                f"no fold is in all files: {held}",
                remedy="give files of the same fold; if the column does not name folds, say what the others are: --columns",
            )


def _read(path: Path, kind: Kind, told: ToldColumns | None) -> LabelledRows:
    if format_by_content(path) is not None:
        problem = "compact scores have no rows, and so no folds"
        remedy = "measure them without --fold, by the judgements and train set of their fold in files without a column of folds"
        raise DataError(problem, where=str(path), remedy=remedy)
    return LabelledRows.of(path, read_as_it_is(path, kind, told=told), kind, told)


def _of(parts: LabelledRows, fold: str) -> FileTable:
    return parts.only("fold", fold).table if parts.names("fold") else parts.table


def write_folds(outcomes: Mapping[str, Outcome], form: Format, *, per_user: bool) -> str:
    """Write the outcome of each fold, and each run's means over the folds."""
    if form == "json":
        written = {fold: json.loads(write(outcome, form, per_user=per_user)) for fold, outcome in outcomes.items()}
        return json.dumps({"folds": written, MEAN: _means(outcomes)}, indent=2, ensure_ascii=False)
    if form == "csv":
        tables = {fold: list(csv.reader(io.StringIO(write(one, form, per_user=per_user)))) for fold, one in outcomes.items()}
        header = ["fold", *next(iter(tables.values()))[0]]
        rows = [[fold, *row] for fold, table in tables.items() for row in table[1:]]
        return delimited([header, *rows, *([] if per_user else _mean_rows(outcomes, header))])
    tables_of: Callable[[Sequence[Sequence[str]]], str] = tabular if form == "latex" else aligned
    mark = "% " if form == "latex" else ""
    parts = [f"{mark}fold {fold}:\n{write(outcome, form, per_user=per_user)}" for fold, outcome in outcomes.items()]
    return "\n\n".join([*parts, f"{mark}means over {len(outcomes)} folds:\n{tables_of(_table(outcomes))}"])


def _means(outcomes: Mapping[str, Outcome]) -> dict[str, dict[str, float]]:
    """Average each run's means over folds, by run and metric."""
    first = next(iter(outcomes.values()))
    return {
        run: {
            label: mean_of(np.array([outcome.evaluations[run].means[label] for outcome in outcomes.values()]))
            for label in first.first.labels
        }
        for run in first.evaluations
    }


def _table(outcomes: Mapping[str, Outcome]) -> list[list[str]]:
    first, means = next(iter(outcomes.values())), _means(outcomes)
    return [[head(first), *means], *([label, *(decimals(of[label]) for of in means.values())] for label in first.first.labels)]


def _mean_rows(outcomes: Mapping[str, Outcome], header: Sequence[str]) -> list[list[str]]:
    first = next(iter(outcomes.values())).first
    known = dict(zip(first.labels, first.definitions, strict=True))
    rows = []
    for run, means in _means(outcomes).items():
        for label, mean in means.items():
            cells = {"fold": MEAN, "run": run, "metric": label, "definition": known[label], MEAN: digits(mean)}
            rows.append([({"convention": first.settings.convention} | cells).get(name, "") for name in header])
    return rows
