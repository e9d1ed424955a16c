"""Tables shortened to the rows that the page shows."""

from collections.abc import Iterable

from recsens.tables.table import Table

MAX_ROWS = 400
"""Largest number of rows of a table on the page; the CSV files are complete."""


def abridged(tables: Iterable[Table]) -> list[Table]:
    """Leave out empty tables, and shorten the others to the rows that the page shows."""
    note = f"Only the first {MAX_ROWS} rows are shown; the CSV file is complete."
    return [table.first(MAX_ROWS, note) for table in tables if not table.is_empty]
