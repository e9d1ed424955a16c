"""Customers' ratings of rented clothes on RentTheRunway."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from recsens.data.datasets._assemble import Duplicates, assemble, kind_of_ratings
from recsens.data.datasets._base import DataSet, Loaded, RawFile
from recsens.data.datasets._json_lines import Review, field, parse_review, rows_of_reviews
from recsens.files import Invalid, read_rows
from recsens.files.kinds import is_number
from recsens.files.scale import Scale
from recsens.files.text import lines
from recsens.seeds import Stream

_EVEN = Scale(2.0, 10.0, 2.0)
_DATE = re.compile(r"([A-Z][a-z]+) ([0-9]{1,2}), ([0-9]{4})")
_FEET = re.compile(r"([0-9])' ?([0-9]{1,2})\"")
# The names in Python's calendar module depend on the machine's language.
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


_CONTEXT = {
    "rented_for": ("rented for", False),
    "body_type": ("body type", False),
    "age": ("age", True),
    "height": ("height", True),
    "size": ("size", True),
    "fit": ("fit", False),
}
"""Context column -> the key in a review, and whether its value is a number."""


class RentTheRunway(DataSet):
    """Ratings of rented clothes (2, 4, 6, 8 or 10): 105,508 customers of RentTheRunway wrote 192,544 reviews of 5,850 items.

    The file is ``renttherunway_final_data.json``, plain or gzipped, with one JSON object per line. The keys ``user_id``,
    ``item_id``, ``rating`` and ``review_date`` (such as ``April 20, 2016``) are read from each object. A time stamp is the first
    second of the date (UTC), in seconds since 1970, so all reviews of a day are tied. Reviews whose rating is ``null`` are left
    out; the report prints their number. A rating off the scale, a missing name, or a customer's second review of the same item is
    an error, unless ``invalid=skip`` and ``duplicates=last`` leave such reviews out and count them.

    The other fields of a review are the context of an interaction: ``rented_for``, ``body_type``, ``age``, ``height`` in inches
    (``5' 8"`` is 68), ``size`` and ``fit``. The fit becomes known only together with the rating, so recommenders see the fit of
    train ratings only. If a pair has several reviews with a rating, a value is used only if all of these reviews agree on it.
    """

    source = "Misra, Wan & McAuley (2018), Decomposing Fit Semantics for Product Size Recommendation in Metric Spaces"
    has_timestamps: ClassVar[bool] = True
    side_columns: ClassVar[Mapping[str, Sequence[str]]] = {"context": tuple(_CONTEXT)}
    rating_scale: ClassVar[Scale] = _EVEN

    path: str | None = Field(
        None,
        description="your copy: the file, or the folder of renttherunway_final_data.json; null: search RECSENS_DATA and data",
    )
    duplicates: Duplicates = "error"
    invalid: Invalid = Field("error", description="how to treat a review with missing or invalid fields: error, or skip and count")

    def raw_files(self) -> tuple[RawFile, ...]:
        """List the file."""
        page = "https://cseweb.ucsd.edu/~jmcauley/datasets.html#clothing_fit"
        return (RawFile(name="renttherunway_final_data.json", folder="renttherunway", path=self.path, terms=page),)

    def side_files(self) -> tuple[RawFile, ...]:
        """List the same file again, because it also contains the contexts."""
        return self.raw_files()

    def describe_interactions(self, files: Sequence[Path], users: Sequence[str], items: Sequence[str]) -> dict[str, list[Any]]:
        """Read the review fields for some interactions."""
        said: dict[tuple[str, str], list[Any]] = {}
        for number, line in enumerate(lines(files[0], "utf-8"), start=1):
            if text := line.strip():
                review = parse_review(text, f"{files[0]}:{number}")
                if review.get("rating") is not None:
                    pair, values = (field(review, "user_id"), field(review, "item_id")), _review_fields(review)
                    agreed = zip(values, said.get(pair, values), strict=True)
                    said[pair] = [value if value == other else None for value, other in agreed]
        nothing = [None] * len(_CONTEXT)
        rows = [said.get(pair, nothing) for pair in zip(users, items, strict=True)]
        return {name: [row[at] for row in rows] for at, name in enumerate(_CONTEXT)}

    def load(self, files: Sequence[Path], stream: Stream) -> Loaded:
        """Read the reviews with a rating."""
        n_unrated = 0

        def columns(review: Review) -> list[str] | None:
            nonlocal n_unrated
            if "rating" in review and review["rating"] is None:
                n_unrated += 1
                return None
            return [*(field(review, key) for key in ("user_id", "item_id", "rating")), _seconds(field(review, "review_date"))]

        rows = read_rows(files[0], rows_of_reviews(files[0], columns), kind_of_ratings(_EVEN, with_times=True), self.invalid)
        loaded = assemble(rows, _EVEN, self.duplicates)
        return replace(loaded, notes={**loaded.notes, **({"unrated_reviews": n_unrated} if n_unrated else {})})


def _review_fields(review: Review) -> list[Any]:
    values: list[Any] = []
    for key, is_numeric in _CONTEXT.values():
        text = field(review, key)
        if is_numeric and (feet := _FEET.fullmatch(text)):
            text = str(12 * int(feet[1]) + int(feet[2]))
        known = is_number(text) if is_numeric else text
        values.append((float(text) if is_numeric else text) if known else None)
    return values


def _seconds(written: str) -> str:
    """Convert a date to seconds since 1970, as text. Other text stays unchanged, and is later refused as a time stamp."""
    found = _DATE.fullmatch(written)
    if found is None or found[1] not in _MONTHS:
        return written
    try:
        return str(int(datetime(int(found[3]), _MONTHS.index(found[1]) + 1, int(found[2]), tzinfo=UTC).timestamp()))
    except ValueError:
        return written
