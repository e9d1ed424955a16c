"""Customers' ratings of products on Amazon."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from recsens.data.datasets._assemble import Duplicates, assemble, kind_of_ratings
from recsens.data.datasets._base import DataSet, Loaded, RawFile
from recsens.data.datasets._json_lines import Review, field, rows_of_reviews
from recsens.errors import ConfigError
from recsens.files import FileTable, Invalid, Layout, read_rows, read_text
from recsens.files.scale import Scale
from recsens.files.text import lines
from recsens.seeds import Stream

_STARS = Scale(1.0, 5.0, 1.0)
_PAGES = {2014: "https://cseweb.ucsd.edu/~jmcauley/datasets/amazon/links.html", 2018: "https://nijianmo.github.io/amazon"}
_ORDER = {2014: ("user", "item", "rating", "timestamp"), 2018: ("item", "user", "rating", "timestamp")}


class Amazon(DataSet):
    """Customers' ratings of the products in an Amazon category, from 1 to 5 stars, in the releases of 2014 and 2018.

    The file has one of two forms, recognised by its first character; it may be gzipped. A file of ratings has comma-separated
    fields without a header. In the release of 2014, the fields are user, item, rating and time, as in ``ratings_Beauty.csv``; in
    that of 2018, they are item, user, rating and time, as in ``All_Beauty.csv``. Such a file does not show which column contains
    users, so state the ``release``. A file of reviews has one JSON object per line, as in ``reviews_Beauty_5.json.gz``. In both
    releases, ``reviewerID``, ``asin``, ``overall`` and ``unixReviewTime`` are read. Some older files contain Python dictionaries
    instead; they are parsed as data and never executed.

    Time stamps are seconds since 1970, to the day. A rating off the scale, a missing name, or a customer's second rating of the
    same product (which occurs in the release of 2018) is an error, unless ``invalid=skip`` and ``duplicates=last`` leave such rows
    out and count them.
    """

    source = "2014: McAuley, Targett, Shi & van den Hengel (2015), Image-Based Recommendations; 2018: Ni, Li & McAuley (2019)"
    site: ClassVar[str] = "Amazon"
    has_timestamps: ClassVar[bool] = True
    rating_scale: ClassVar[Scale] = _STARS

    path: str | None = Field(None, description="your copy of the category's file; required")
    release: Literal[2014, 2018] = Field(
        2018,
        description="release, which determines the order of fields in a file of ratings; reviews have named fields",
    )
    duplicates: Duplicates = "error"
    invalid: Invalid = Field("error", description="how to treat a row with missing or invalid fields: error, or skip and count")

    def raw_files(self) -> tuple[RawFile, ...]:
        """List the file.

        Raises
        ------
        ConfigError
            If no path is given, because each category is a separate data set.
        """
        if self.path is None:
            raise ConfigError(
                f"the data set '{self.spec}' does not say which category to read",
                remedy=f'get the file of a category as {_PAGES[self.release]} says, and give its path: amazon(path="...")',
            )
        return (RawFile(name=Path(self.path).name, path=self.path, terms=_PAGES[self.release]),)

    def load(self, files: Sequence[Path], stream: Stream) -> Loaded:
        """Read the ratings."""
        return assemble(self._read(files[0]), _STARS, self.duplicates)

    def _read(self, path: Path) -> FileTable:
        kind = kind_of_ratings(_STARS, with_times=True)
        first = next((line for line in lines(path, "utf-8") if line.strip()), "")
        if first.lstrip().startswith("{"):
            return read_rows(path, rows_of_reviews(path, _review_columns), kind, self.invalid)
        columns = {role: at for at, role in enumerate(_ORDER[self.release])}
        return read_text(path, kind, Layout(",", columns, header=False, quoted=False), self.invalid)


def _review_columns(review: Review) -> list[str]:
    return [field(review, key) for key in ("reviewerID", "asin", "overall", "unixReviewTime")]
