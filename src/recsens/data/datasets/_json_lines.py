"""Files with one review per line: a JSON object or, in some releases, a Python dictionary."""

import ast
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from recsens.errors import DataError
from recsens.files.text import lines
from recsens.files.text_reader import Record

Review = Mapping[str, object]


def rows_of_reviews(path: Path, columns: Callable[[Review], list[str] | None]) -> Iterator[Record]:
    """Yield each review's columns as text; a review for which ``columns`` returns None is skipped.

    Raises DataError if a line is not a review; the message names the line.
    """
    for number, line in enumerate(lines(path, "utf-8"), start=1):
        if text := line.strip():
            found = columns(parse_review(text, f"{path}:{number}"))
            if found is not None:
                yield number, found, 1


def field(review: Review, key: str) -> str:
    """Return a key's value as text; the text is empty unless the value is text or a number."""
    value = review.get(key)
    return str(value) if isinstance(value, str | int | float) else ""


def parse_review(text: str, where: str) -> Review:
    """Parse a line as data; nothing in the line is executed.

    Raises DataError if the line is not a review; the message gives the line (``where``).
    """
    found = parse_or_none(text, json.loads) or parse_or_none(text, ast.literal_eval)
    if not isinstance(found, dict):
        raise DataError(
            "the line is not a review",
            where=where,
            allowed='{"key": "value", ...}, one object per line',
            remedy="download the file again",
        )
    return found


def parse_or_none(text: str, parse: Callable[[str], object]) -> object:
    """Parse a text; None if it cannot be parsed."""
    try:
        return parse(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
