"""Files with several systems or folds: a column names the system or the fold of each row."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recsens.errors import DataError
from recsens.files import FileTable, Layout, Names, has_types, read_parquet, read_text
from recsens.files.column_names import LABELS, Label, label_columns
from recsens.files.declared_columns import DeclaredColumns
from recsens.files.foreign_files import foreign_columns
from recsens.files.kinds import Column, Kind
from recsens.files.layout import first_record
from recsens.files.paths import are_paths, is_there
from recsens.inputs.forms import Source, names_in, rows_of, source_of
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
            return cls._joined(source_of(source), [cls.read(each, kind, told, times=times) for each in source])
        if not isinstance(source, str | Path):
            return cls.of_frame(source, rows_of(source, kind))
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
        table = rows_of(path, kind, told)
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
        return cls._of_columns(table, {label: rows.names(label) for label in at}, at, str(path))

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
        return cls._of_columns(table, labels, at, table.source)

    @classmethod
    def _joined(cls, source: str, parts: Sequence[LabelledRows]) -> LabelledRows:
        """Join the rows of several files, with the labels that all have."""
        whole = FileTable.joined(source, [replace(part.table, columns={**part.table.columns, **part.labels}) for part in parts])
        labels = {label: whole.names(label) for label in parts[0].labels if label in whole.columns}
        columns = {role: column for role, column in whole.columns.items() if role not in labels}
        return cls(replace(whole, columns=columns), labels)

    @classmethod
    def _of_columns(cls, table: FileTable, labels: Mapping[str, Names], at: Mapping[str, int | str], where: str) -> LabelledRows:
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
    return dict(label_columns(_header(path)))


def _columns_of_frame(frame: Any) -> dict[str, str]:
    is_frame = hasattr(frame, "columns") and not isinstance(frame, FileTable)
    return label_columns([str(name) for name in frame.columns]) if is_frame else {}


def _header(path: Path) -> Sequence[str]:
    if has_types(path):
        return foreign_columns(path)
    separator, fields = first_record(path)
    return fields if separator in {"\t", ","} else []
