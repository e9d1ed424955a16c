"""Tables of pages of the documentation."""

import re
from collections.abc import Iterator

from workspaces import REPOSITORY


def tables_of(page: str) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield the section, the head and the rows of each table of a page."""
    text = (REPOSITORY / "docs" / page).read_text(encoding="utf-8")
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        for table in re.findall(r"(?:^\|.*\|\n)+", section, re.MULTILINE):
            head, _, *rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()]
            yield section.split("\n", 1)[0], head, rows
