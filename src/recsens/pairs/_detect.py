"""Which form a file has, by what stands in it."""

from __future__ import annotations

from pathlib import Path

from recsens.errors import DataError
from recsens.files import is_file, is_folder
from recsens.pairs._parquet import read_parquet
from recsens.pairs._rows import Form, Layout, Rows
from recsens.pairs._text import first_below_comments, read_csv, read_trec, read_tsv

_PARQUET = b"PAR1"


def read(path: Path, layout: Layout) -> Rows:
    """Read a file of any form: parquet by its mark, CSV or TSV by the names in its first line, else TREC's form.

    Raises
    ------
    DataError
        If there is no such file, or it is not written so, with the line.
    """
    if not is_file(path):
        found = "a folder, not a file" if is_folder(path) else "no such file"
        raise DataError(found, where=str(path), remedy="mend the path, which starts at the working directory")
    readers = {"csv": read_csv, "tsv": read_tsv, "trec": read_trec, "parquet": read_parquet}
    return readers[_form(path)](path, layout)


def _form(path: Path) -> Form:
    with path.open("rb") as file:
        if file.read(len(_PARQUET)) == _PARQUET:
            return "parquet"
    line = first_below_comments(path)
    # A run in TREC's form may have commas or tabs too, but not a column that is called as ours are.
    for mark, form in ((",", "csv"), ("\t", "tsv")):
        if mark in line and {"user", "item"} & {name.strip('" \r\n') for name in line.split(mark)}:
            return form  # type: ignore[return-value]
    return "csv" if line.count(",") >= len(("user", "item")) and " " not in line.strip() else "trec"
