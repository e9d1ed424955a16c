"""What separates the fields of a text file, by its first lines."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from recsens.files.text import lines

_TRIED = ("\t", ",", ";", " ")


def first_record(path: Path) -> tuple[str, list[str]]:
    """Return what separates the fields of the first line that is no comment, and these fields; one field if nothing does."""
    text = next(_told(path), "")
    separator = max(_TRIED, key=text.count)
    return separator, [field.strip('"') for field in text.split(separator)]


def first_records(path: Path, separator: str, n: int) -> list[list[str]]:
    """Return the fields of the first ``n`` lines that are no comments."""
    return [[field.strip('"') for field in text.split(separator)] for text in islice(_told(path), n)]


def _told(path: Path) -> Iterator[str]:
    for line in lines(path, "utf-8"):
        text = line.rstrip("\r\n")
        if text and not text.startswith("#"):
            yield text
