"""Read files of other programs unchanged. Column names, the content or the user's declaration show how to read each file."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from recsens.files import FileTable, Form, columns_of, has_types, read_parquet, read_text
from recsens.files.declared_columns import DeclaredColumns
from recsens.files.kinds import Kind
from recsens.files.layout import detect_layout
from recsens.files.parquet import first_rows, lists_in, names_in
from recsens.files.recognised import RATED, recognised_names, recognised_text
from recsens.files.text_reader import valid_rows
from recsens.files.trec import refuse_what_may_be_otherwise

_log = logging.getLogger(__name__)


def read_foreign(path: Path, kind: Kind, form: Form | None = None, told: DeclaredColumns | None = None) -> FileTable:
    """Read a file of a given kind, in recsens's form (see `recsens.files.read`) or as another program wrote it.

    ``told`` says which columns the file has. Without it, the reader recognises four forms, and logs how it reads the file: a table
    without a header, one list per row, scores called ratings, and judgements without ratings.

    Raises
    ------
    DataError
        If the file has content that its kind does not allow, or if the file can be read in two ways.
    """
    if form == "parquet" or (form is None and has_types(path)):
        return _read_parquet(path, kind, told)
    layout = None
    if kind.fields and form != "trec":
        layout = recognised_text(path, kind) if told is None else told.layout(path, kind)
    layout = layout or detect_layout(path, kind, form)
    table = _with_ratings_of_one(read_text(path, _without_ratings(kind, layout.columns), layout), kind)
    if layout.trec is not None:
        refuse_what_may_be_otherwise(table, kind)
    return valid_rows(table, kind)


def foreign_columns(path: Path) -> list[str]:
    """Return a table's column names, including the fields inside its lists, or an empty list for an empty file."""
    return names_in(path) if has_types(path) else columns_of(path)


def _read_parquet(path: Path, kind: Kind, told: DeclaredColumns | None) -> FileTable:
    names: Mapping[str, str] = {role: role for role in kind.roles}
    found, lists = names_in(path), lists_in(path)
    if told is not None:
        names = told.names(kind, found, str(path))
    elif kind.fields:
        taken = recognised_names(str(path), kind, found, lambda at: first_rows(path, found[at]))
        names = names if taken is None else {role: str(name) for role, name in taken.items()}
    own = _without_ratings(kind, names)
    if lists is not None:
        _log.info("%s: column '%s' contains lists: every list entry is read as a row", path, lists)
    return _with_ratings_of_one(read_parquet(path, own, names), kind)


def _without_ratings(kind: Kind, columns: Mapping[str, int | str]) -> Kind:
    """Return the kind without the columns that the file lacks, such as the ratings of some judgements."""
    if set(kind.roles) <= set(columns):
        return kind
    return replace(kind, columns=tuple(column for column in kind.columns if column.role in columns))


def _with_ratings_of_one(table: FileTable, kind: Kind) -> FileTable:
    """Give every row a rating of 1 if the judgements have no ratings."""
    if "rating" not in kind.roles or "rating" in table.columns:
        return table
    return replace(table, columns={**table.columns, "rating": np.full(len(table), RATED)})
