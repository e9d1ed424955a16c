"""Detect a text file's field separator from its first lines."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from recsens.files.text import MOST_EMPTY, lines, too_empty

_TRIED = ("\t", ",", ";", " ")


def first_record(path: Path) -> tuple[str, list[str]]:
    """Return the separator and the fields of the first line that is not a comment: one field if there is no separator."""
    text = next(_told(path), "")
    separator = max(_TRIED, key=text.count)
    return separator, [field.strip('"') for field in text.split(separator)]


def first_records(path: Path, separator: str, n: int) -> list[list[str]]:
    """Return the fields of the first ``n`` lines that are not comments."""
    return [[field.strip('"') for field in text.split(separator)] for text in islice(_told(path), n)]


def _told(path: Path) -> Iterator[str]:
    last = 0
    for number, line in enumerate(lines(path, "utf-8"), start=1):
        text = line.rstrip("\r\n")
        if text.strip() and not text.startswith("#"):
            last = number
            yield text
        elif number - last > MOST_EMPTY:
            raise too_empty(str(path), number)
