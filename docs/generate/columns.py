"""The dictionary of columns: what each column in a study's tables contains."""

from docs.generate.markdown import NOTICE, code, table
from recsens.study.columns import TABLES, StudyColumn, StudyTable

_INTRO = f"""\
{NOTICE}

# Tables of a study

Every CSV file that a study writes below `results/studies/<study>`, with its columns in order. Numbers have as many digits as they
need to be read back unchanged; a field without a value is empty.

A metric, or an option of a decision, is written in its column as in the study, and a default that the study does not write in
its short form. The column behind it, whose name ends in `_full`, has every parameter written out: tables are joined by it, since
two spellings of one metric or option are the same there. Options that are words or numbers, such as those of `view`, have no
parameters and no such column.

The files below `tables` are those of the report, with its headings."""


def columns_page() -> str:
    """Write the page: a section for each table."""
    return "\n\n".join([_INTRO, *map(_section, TABLES.values())]) + "\n"


def _section(described: StudyTable) -> str:
    head = ["column", "type", "unit or range", "meaning", "empty where"]
    return f"## {code(described.file)}\n\nA row: {described.rows}\n\n{table(head, map(_line, described.columns))}"


def _line(column: StudyColumn) -> list[str]:
    return [code(column.name), column.holds, column.range, column.meaning, column.empty]
