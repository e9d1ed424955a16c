"""Reviews of beers by users of BeerAdvocate."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from recsens.data.datasets._assemble import Duplicates, assemble, kind_of_ratings
from recsens.data.datasets._base import DataSet, Loaded, RawFile
from recsens.data.datasets._json_lines import field, parse_review
from recsens.files import Invalid, read_rows
from recsens.files.scale import Scale
from recsens.files.text import lines
from recsens.files.text_reader import Record
from recsens.seeds import Stream

Aspect = Literal["overall", "appearance", "aroma", "palate", "taste"]
"""The aspect of a beer that is rated."""

_HALF_POINTS = Scale(1.0, 5.0, 0.5)


class BeerAdvocate(DataSet):
    """Ratings of beers on BeerAdvocate, from 1 to 5 in halves: 33,388 users wrote 1,586,614 reviews of 66,055 beers.

    In the file ``beeradvocate.txt``, a review is a block of lines such as ``beer/beerId: 47986``, and ends with an empty line. In
    ``beeradvocate.json``, each line is one review: a JSON object, or a Python dictionary with the same keys, which is parsed as
    data and never executed. Users are identified by ``review/profileName``, beers by ``beer/beerId``; time stamps are seconds since
    1970. A review without a name, a rating off the scale, or a user's second review of the same beer is an error, unless
    ``invalid=skip`` and ``duplicates=last`` leave such reviews out and count them.
    """

    source = "McAuley, Leskovec & Jurafsky (2012), Learning Attitudes and Attributes from Multi-Aspect Reviews"
    has_timestamps: ClassVar[bool] = True
    rating_scale: ClassVar[Scale] = _HALF_POINTS

    path: str | None = Field(
        None, description="your copy: the file, or the folder of beeradvocate.txt; null: search RECSENS_DATA and data"
    )
    aspect: Aspect = Field("overall", description="which of a review's ratings to use")
    encoding: Literal["utf-8", "latin-1"] = Field("utf-8", description="text encoding of the file")
    duplicates: Duplicates = "error"
    invalid: Invalid = Field("error", description="how to treat a review with missing or invalid fields: error, or skip and count")

    def raw_files(self) -> tuple[RawFile, ...]:
        """List the file."""
        page = "https://snap.stanford.edu/data/web-BeerAdvocate.html"
        return (RawFile(name="beeradvocate.txt", folder="beeradvocate", path=self.path, terms=page),)

    def load(self, files: Sequence[Path], stream: Stream) -> Loaded:
        """Read the reviews."""
        keys = ("review/profileName", "beer/beerId", f"review/{self.aspect}", "review/time")
        kind = kind_of_ratings(_HALF_POINTS, with_times=True)
        rows = read_rows(files[0], _reviews(files[0], self.encoding, keys), kind, self.invalid)
        return assemble(rows, _HALF_POINTS, self.duplicates)


def _reviews(path: Path, encoding: str, keys: tuple[str, ...]) -> Iterator[Record]:
    """Yield the values of some keys for each review; the value is empty if the review lacks the key."""
    start, found = 0, dict[str, str]()
    for number, line in enumerate(lines(path, encoding), start=1):
        text = line.rstrip("\r\n")
        if text.startswith("{"):
            review = parse_review(text, f"{path}:{number}")
            yield number, [field(review, key) for key in keys], 1
        elif text.strip():
            # If a review's text has several lines, the lines after the first have no key. They are not read.
            key, _, value = text.partition(":")
            if key in keys:
                start, found[key] = start or number, value.strip()
            start = start or number
        elif start:
            yield start, [found.get(key, "") for key in keys], 1
            start, found = 0, {}
    if start:
        yield start, [found.get(key, "") for key in keys], 1
