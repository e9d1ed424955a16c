"""The files of tables for papers: one table a file, and one file with all."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from recsens.artefacts.storage import write_text
from recsens.tables.csv_text import to_csv
from recsens.tables.latex import to_latex
from recsens.tables.markdown import table_as_markdown, to_markdown
from recsens.tables.table import Table

_WRITERS: Mapping[str, Callable[[Table], str]] = {
    "csv": to_csv,
    "md": table_as_markdown,
    "tex": lambda table: to_latex([table]),
}
"""By the form (`recsens.conclusions.verdicts.forms.TABLE_FORMS`)."""


def write_tables(tables: Sequence[Table], files: Sequence[str | Path]) -> None:
    """Write tables into the files that have their names; the end of a name says in which form."""
    by_name = {table.key: table for table in tables}
    for file in map(Path, files):
        write_text(file, _WRITERS[file.suffix[1:]](by_name[file.stem]))


def write_all(title: str, tables: Sequence[Table], *, tex: str | Path, md: str | Path) -> None:
    """Write all tables that have rows into one file, as LaTeX and as Markdown."""
    shown = [table for table in tables if not table.is_empty]
    write_text(tex, to_latex(shown))
    write_text(md, to_markdown(title, shown))
