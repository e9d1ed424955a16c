"""The results of another program: sets and runs of each fold, from files by name, from a folder, or from objects in memory."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Any

from recsens.errors import DataError, DesignError
from recsens.files import FileTable, Layout, Names, has_types, read_parquet, read_text
from recsens.files.column_names import LABELS, Label, label_columns
from recsens.files.declared_columns import DeclaredColumns
from recsens.files.foreign_files import foreign_columns
from recsens.files.kinds import QRELS, RUNS, Column, Kind, RankBy, role_of_order
from recsens.files.layout import first_record
from recsens.files.paths import are_paths, is_there
from recsens.inputs.folders import FoldFiles, recognised
from recsens.inputs.forms import Source, names_in, read_any_rows, source_of, told_of
from recsens.inputs.named_files import NAME_THEM
from recsens.inputs.times import with_times
from recsens.score_files import format_by_content, has_judged_ranks

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LabelledRows:
    """The rows of a file, with the system and the fold of each row if a column names them.

    Attributes
    ----------
    table
        All rows.
    labels
        Label -> the name of each row's system or fold.
    """

    table: FileTable
    labels: Mapping[str, Names]

    @classmethod
    def read(cls, source: Source, kind: Kind, told: DeclaredColumns | None, *, times: bool = False) -> LabelledRows:
        """Read a file, a frame or another form of rows; with ``times``, also the time stamps of a file that has them.

        Raises DataError if the rows cannot be read, or if they are compact scores or judged ranks, which a column cannot divide.
        """
        if are_paths(source):
            return cls._join_files(source_of(source), [cls.read(each, kind, told, times=times) for each in source])
        if not isinstance(source, str | Path):
            return cls.of_frame(source, read_any_rows(source, kind))
        path = Path(source)
        if format_by_content(path) is not None:
            raise DataError(
                "compact scores have no rows, and therefore no folds",
                where=str(path),
                remedy="measure them without --fold, with the judgements and the train set of their fold in files without a fold "
                "column",
            )
        if told is None and "rating" not in kind.roles and has_judged_ranks(path):
            raise DataError(
                "judged ranks cannot be divided by a column of folds",
                where=str(path),
                allowed="a file for each fold, of every set and run",
            )
        table = read_any_rows(path, kind, told)
        return LabelledRows.of(path, with_times(table, path, told) if times else table, kind, told)

    @classmethod
    def of(cls, path: Path, table: FileTable, holds: Kind, told: DeclaredColumns | None = None) -> LabelledRows:
        """Read the system and the fold of each row, and log the systems, or the folds, if there are several.

        ``holds`` says what kind of table ``table`` is.
        """
        at = _columns_of_labels(path, told)
        if not at:
            return cls(table, {})
        kind = Kind(tuple(Column(label) for label in at))
        if has_types(path):
            names = (
                {label: str(name) for label, name in at.items()}
                if told is None
                else told.names(kind, foreign_columns(path), str(path))
            )
            rows = read_parquet(path, kind, names)
        else:
            # If columns are declared by their order, only columns of numbers can show whether the file begins with a header.
            has_header = told is None or told.layout(path, holds).header
            layout = Layout(first_record(path)[0], at, has_header)
            rows = read_text(path, kind, layout)
        return cls._label_rows(table, {label: rows.names(label) for label in at}, at, str(path))

    @classmethod
    def of_frame(cls, frame: Any, table: FileTable) -> LabelledRows:
        """Read the system and fold of each row of a data frame, as `of` does; other sources have no such columns.

        Raises
        ------
        DataError
            If such a column contains neither text nor whole numbers.
        """
        at = _columns_of_frame(frame)
        labels = {label: names_in(frame[name], table.source, name) for label, name in at.items()}
        return cls._label_rows(table, labels, at, table.source)

    @classmethod
    def _join_files(cls, source: str, parts: Sequence[LabelledRows]) -> LabelledRows:
        """Join the rows of several files, with the labels that all have."""
        whole = FileTable.joined(source, [replace(part.table, columns={**part.table.columns, **part.labels}) for part in parts])
        labels = {label: whole.names(label) for label in parts[0].labels if label in whole.columns}
        columns = {role: column for role, column in whole.columns.items() if role not in labels}
        return cls(replace(whole, columns=columns), labels)

    @classmethod
    def _label_rows(cls, table: FileTable, labels: Mapping[str, Names], at: Mapping[str, int | str], where: str) -> LabelledRows:
        several = {label: own for label, own in labels.items() if len(own.names) > 1}
        for label, own in several.items():
            log.info("%s: column '%s' read as %ss: %s", where, at[label], label, ", ".join(own.names))
        # The name of a single system adds no information, but the name of a single fold shows which judgements belong to it.
        return cls(table, several | {label: own for label, own in labels.items() if label == "fold"})

    def names(self, label: Label) -> list[str]:
        """Return a file's systems, if it has several, or its folds; an empty list if no column names them."""
        return self.labels[label].names if label in self.labels else []

    def by_system(self, name: str, *, several: bool) -> dict[str, LabelledRows]:
        """Return the rows of each system, by its name (after the file's name if ``several``), or all rows under the file's name."""
        systems = {each: self.only("model", each) for each in self.names("model")}
        return {f"{name}/{each}" if several else each: own for each, own in systems.items()} or {name: self}

    def only(self, label: Label, name: str) -> LabelledRows:
        """Return the rows of one system or fold.

        Raises
        ------
        DataError
            If no system or fold has this name.
        """
        names = self.labels[label]
        if name not in names.names:
            raise DataError(f"has no {label} '{name}'", where=self.table.source, allowed=", ".join(names.names))
        keep = names.code == names.names.index(name)
        others = {each: own.kept(keep) for each, own in self.labels.items() if each != label}
        return LabelledRows(self.table.kept(keep), others)


def is_divided(source: Source, told: Mapping[str, DeclaredColumns], by: Sequence[Label] = LABELS) -> bool:
    """Whether a column of a file or frame names systems or folds; False for compact scores, or if a file cannot be opened."""
    if are_paths(source):
        return any(is_divided(each, told, by) for each in source)
    if not isinstance(source, str | Path):
        return not _columns_of_frame(source).keys().isdisjoint(by)
    path = Path(source)
    if not is_there(path) or format_by_content(path) is not None:
        return False
    found = (_columns_of_labels(path, one) for one in {id(one): one for one in told.values()}.values() or [None])
    return any(not columns.keys().isdisjoint(by) for columns in found)


def _columns_of_labels(path: Path, told: DeclaredColumns | None) -> dict[str, int | str]:
    """Return the columns that name systems and folds, by name or number."""
    if told is not None:
        return {label: told.at[label] for label in LABELS if label in told.at}
    return dict(label_columns(_read_header(path)))


def _columns_of_frame(frame: Any) -> dict[str, str]:
    is_frame = hasattr(frame, "columns") and not isinstance(frame, FileTable)
    return label_columns([str(name) for name in frame.columns]) if is_frame else {}


def _read_header(path: Path) -> Sequence[str]:
    if has_types(path):
        return foreign_columns(path)
    separator, fields = first_record(path)
    return fields if separator in {"\t", ","} else []


EACH = "each"
"""The word that selects every fold instead of one."""


@dataclass(frozen=True)
class ForeignResults:
    """Sets and runs, by fold.

    Attributes
    ----------
    folds
        The sets and the runs of each fold, by the fold's name; a single fold without a name is named ``""``.
    trainings
        Names of the trainings. On each fold, a run has one source for each training.
    name
        Name of the data.
    patterns
        The paths of each set and run in a folder, as `DataSetFiles.patterns` has them; empty if the user named the files.
    unread
        Lines that say which files of a folder were not read.
    undivided
        Names of the sets and runs that no column divides, if a column divides others into several folds.
    """

    folds: Mapping[str, FoldFiles]
    trainings: Sequence[str] = ("",)
    name: str = "these files"
    patterns: Mapping[str, str] = field(default_factory=dict)
    unread: Sequence[str] = ()
    undivided: Sequence[str] = ()

    @classmethod
    def of(cls, sets: Mapping[str, Source | None], runs: Mapping[str, Source], name: str = "these files") -> ForeignResults:
        """Collect sets by name (``train``, ``validation``, ``test``; those that are None are left out) and runs by name."""
        present = {part: source for part, source in sets.items() if source is not None}
        return cls({"": FoldFiles(present, {run: [source] for run, source in runs.items()})}, name=name)

    @classmethod
    def of_folder(cls, folder: str | Path) -> dict[str, ForeignResults]:
        """Recognise the files in a folder; return each data set, by its name.

        Raises DataError if the folder can be read in two ways, or if a data set has no train set, no test set or no run.
        """
        found, name = recognised(folder), Path(folder).resolve().name or "these files"
        given = {}
        for each in found.datasets:
            patterns = {what: (Path(folder) / pattern).as_posix() for what, pattern in each.patterns.items()}
            of_data = cls(each.folds, each.trainings, each.name or name, patterns, found.unread())
            _refuse_incomplete(of_data, Path(folder), str(Path(folder) / each.name))
            given[each.name] = of_data
        return given

    def sources(self) -> list[Any]:
        """List all sources that the folds read."""
        return list(chain.from_iterable(fold.sources() for fold in self.folds.values()))

    def divided(self, told: Mapping[str, DeclaredColumns], *, rank_by: RankBy, times: bool = False) -> ForeignResults:
        """Divide files and frames by the columns that name systems and folds; a run with several systems becomes several runs.

        If no column names folds, sets, and runs of one system, are not read here. With ``times``, sets that are read here keep
        their time stamps.

        Raises
        ------
        DataError
            If a file cannot be read, if two runs or systems have the same name, if a system is missing from a fold or training, if
            the files have no fold in common, or if a column names folds although there are several folds already.
        """
        if not any(is_divided(source, told) for source in self.sources()):
            return self
        parts = {name: _Divided.of(fold, told, rank_by, times=times) for name, fold in self.folds.items()}
        if len(parts) == 1:
            [only] = parts.values()
            if only.folds:
                return replace(self, folds=only, undivided=only.undivided if len(only.folds) > 1 else ())
        again = next((name for name, own in parts.items() if len(own.folds) > 1), None)
        if again is not None:
            raise DataError(f"the files of {again} have a column of {len(parts[again].folds)} folds", allowed="one fold in a file")
        (first, of_first), *others = parts.items()
        for name, own in others:
            lacking = sorted(own.runs.keys() ^ of_first.runs.keys())
            if lacking:
                raise DataError(
                    f"{name} and {first} have different systems: only one of them has {', '.join(lacking)}",
                    allowed="the same systems on every fold",
                )
        return replace(self, folds={name: own.fold(None) for name, own in parts.items()})

    def measured(self, decisions: Mapping[str, Any], fold: str | None) -> dict[str, FoldFiles]:
        """Return the folds that an evaluation with these settings measures; raises the same errors as `divided` and `chosen`."""
        return self.divided(told_of(decisions.get("columns", ())), rank_by=role_of_order(decisions.get("rank_by"))).chosen(fold)

    def chosen(self, fold: str | None = None) -> dict[str, FoldFiles]:
        """Return the only fold, under ``""``; or the chosen fold, by its name or number; or, for ``each``, every fold by its name.

        Raises
        ------
        DataError
            If one of several folds must be chosen and is not, if there is no such fold, or if no fold has a name.
        DesignError
            If every fold is chosen, but some file is not divided into folds.
        """
        names = list(self.folds)
        numbers = [name.removeprefix("fold ") for name in names]
        if fold is not None and names == [""]:
            raise DataError(
                "no file has a fold column", allowed="a fold column, such as fold or i_split", remedy="leave out --fold"
            )
        if fold == EACH:
            self.refuse_undivided()
            return dict(zip(numbers if all(map(str.isdecimal, numbers)) else names, self.folds.values(), strict=True))
        if fold is None and len(names) == 1:
            return {"": self.folds[names[0]]}
        by_word = {**dict(zip(numbers, names, strict=True)), **{name: name for name in names}}
        if fold is None or fold not in by_word:
            problem = f"there are {len(names)} folds: {', '.join(names)}"
            raise DataError(
                problem if fold is None else f"there is no fold '{fold}'; {problem}",
                allowed=f'one of them, such as --fold {quote(names[0])}, fold="{names[0]}"; or --fold {EACH}, which measures every '
                "fold and averages the means",
            )
        return {"": self.folds[by_word[fold]]}

    def refuse_undivided(self) -> None:
        """Refuse several folds if a file has rows for all of them.

        Raises DesignError.
        """
        if not self.undivided:
            return
        own = next((name for name in self.undivided if name not in _BESIDE), None)
        first = next(iter(self.folds))
        if own is not None:
            raise DesignError(
                f"no fold column in {own}: each fold would be measured with the ratings of all folds, or with their lists",
                remedy=f"add the column, or measure one fold with its own files: --fold {first}",
            )
        raise DesignError(
            f"no fold column in {self.undivided[0]}: each fold needs its own train set",
            remedy=f"add the column, or measure one fold at a time: --fold {first} --train ...",
        )


_BESIDE = ("the train set", "the validation set")
"""Sets whose pairs are not ranked."""


def _refuse_incomplete(given: ForeignResults, folder: Path, where: str) -> None:
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


@dataclass(frozen=True)
class _Divided(Mapping[str, FoldFiles]):
    """Sets and runs with the system and the fold of each row, or unread if no column divides them: a mapping of their folds."""

    sets: Mapping[str, LabelledRows | Source]
    runs: Mapping[str, Sequence[LabelledRows | Source]]

    @classmethod
    def of(cls, fold: FoldFiles, told: Mapping[str, DeclaredColumns], rank_by: RankBy, *, times: bool) -> _Divided:
        has_folds = any(is_divided(source, told, by=["fold"]) for source in fold.sources())

        def rated(source: Source) -> LabelledRows | Source:
            return LabelledRows.read(source, QRELS, told.get("rating"), times=times) if has_folds else source

        runs: dict[str, list[LabelledRows | Source]] = {}
        for name, sources in fold.runs.items():
            given: dict[str, list[LabelledRows | Source]] = {}
            for source in sources:
                called: Mapping[str, LabelledRows | Source] = {name: source}
                if has_folds or is_divided(source, told):
                    rows = LabelledRows.read(source, RUNS[rank_by], told.get(rank_by))
                    called = rows.by_system(name, several=len(fold.runs) > 1)
                for system, own in called.items():
                    given.setdefault(system, []).append(own)
            again = next((system for system in given if system in runs), None)
            if again is not None:
                raise DataError(
                    f"a system of this file and another run are both called '{again}'",
                    where=source_of(sources[0]),
                    remedy="rename the file or the system",
                )
            lacking = next((system for system, own in given.items() if len(own) < len(sources)), None)
            if lacking is not None:
                problem = f"only some of the {len(sources)} files of run {name} have the system '{lacking}'"
                raise DataError(problem, where=source_of(sources[0]), allowed="the same systems in every file")
            runs |= given
        return cls({name: rated(source) for name, source in fold.sets.items()}, runs)

    @property
    def _sources_by_name(self) -> dict[str, LabelledRows | Source]:
        of_runs = {name: part for name, parts in self.runs.items() for part in parts}
        test = {"the judgements": self.sets["test"]} if "test" in self.sets else {}
        return {**of_runs, **test, **{f"the {name} set": part for name, part in self.sets.items() if name != "test"}}

    @property
    def undivided(self) -> list[str]:
        """Names of the sets and runs without a column of folds."""
        return [name for name, part in self._sources_by_name.items() if not _folds_of(part)]

    @cached_property
    def folds(self) -> list[str]:
        """The folds of all files, in order of appearance.

        Raises DataError if the divided files have no fold in common, because a run would be measured with another fold's ratings.
        """
        divided = {name: folds for name, part in self._sources_by_name.items() if (folds := _folds_of(part))}
        if divided and not set.intersection(*map(set, divided.values())):
            held = "; ".join(f"{', '.join(folds)} in {name}" for name, folds in divided.items())
            raise DataError(
                f"the files have no fold in common: {held}",
                remedy="give files of the same fold; if the column does not name folds, name the other columns: --columns",
            )
        return list(dict.fromkeys(chain.from_iterable(divided.values())))

    def __getitem__(self, name: str) -> FoldFiles:
        return self.fold(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.folds)

    def __len__(self) -> int:
        return len(self.folds)

    def fold(self, name: str | None) -> FoldFiles:
        """Return the sets and runs of a fold; a file without folds belongs to every fold. None stands for all rows.

        Raises DataError if a file has folds, but not this one.
        """

        def rows(part: LabelledRows | Source) -> Source:
            if not isinstance(part, LabelledRows):
                return part
            return (part.only("fold", name) if name is not None and part.names("fold") else part).table

        sets = {each: rows(part) for each, part in self.sets.items()}
        return FoldFiles(sets, {each: list(map(rows, parts)) for each, parts in self.runs.items()})


def _folds_of(part: LabelledRows | Source) -> list[str]:
    return part.names("fold") if isinstance(part, LabelledRows) else []
