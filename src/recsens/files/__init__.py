"""A user's own files with one row per pair of a user and an item: ratings, folds, target items, scores, runs and judgements."""

from pathlib import Path

from recsens.files.kinds import PAIRS, Kind
from recsens.files.layout import Form, Layout, detect_layout
from recsens.files.parquet import column_names as names_in_parquet
from recsens.files.parquet import has_types, is_json_lines, read_first_rows, read_frame, read_parquet, read_table
from recsens.files.table import FileTable, Names, indices_in
from recsens.files.text_reader import Invalid, parse_regular, read_rows, read_tabbed, read_text, records, try_first_rows, valid_rows
from recsens.files.trec import refuse_what_may_be_otherwise


def read(path: Path, kind: Kind, form: Form | None = None) -> FileTable:
    """Read a file of a given kind: a table with the kind's column names, or a file in TREC's form.

    Without ``form``, the function detects which of the two the file is.
    """
    if form == "parquet" or (form is None and has_types(path)):
        return read_parquet(path, kind, {role: role for role in kind.roles})
    layout = detect_layout(path, kind, form)
    table = read_text(path, kind, layout)
    if layout.trec is not None:
        refuse_what_may_be_otherwise(table, kind)
    return valid_rows(table, kind)


def columns_of(path: Path) -> list[str]:
    """Return a table's column names, or an empty list for an empty file."""
    if has_types(path):
        return names_in_parquet(path)
    return next(records(path, detect_layout(path, PAIRS, "csv")), (0, [], 0))[1]
