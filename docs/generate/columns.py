"""The dictionary of columns: what each column in a study's tables contains."""

from docs.generate.markdown import NOTICE, code, table
from recsens.study.columns import TABLES, StudyColumn, StudyTable

_INTRO = f"""\
{NOTICE}

# Tables of a study

This page describes every CSV file that a study writes below `results/studies/<study>`, with its columns in order. Numbers have as
many digits as they need to be read back unchanged; a field without a value is empty.

A column of metrics, or of options of a decision, has them as the study writes them. If the study does not mention a default, the
column has its short form. The next column, whose name ends in `_full`, has every parameter written out. Join tables by this column,
because two spellings of the same metric or option are equal there. Options that are words or numbers, such as those of `view`, have
no parameters, and therefore no such column.

The CSV files in the folder `tables` are the report's tables, with the report's headings."""


def columns_page() -> str:
    """Write the page: a section for each table."""
    return "\n\n".join([_INTRO, *map(_section, TABLES.values())]) + "\n"


def _section(described: StudyTable) -> str:
    head = ["column", "type", "unit or range", "meaning", "empty where"]
    return f"## {code(described.file)}\n\nA row: {described.rows}\n\n{table(head, map(_line, described.columns))}"


def _line(column: StudyColumn) -> list[str]:
    return [code(column.name), column.holds, column.range, column.meaning, column.empty]
