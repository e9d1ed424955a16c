"""CM100K: ratings of music, gathered without selection bias. Some of the ratings are marked as observed."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from recsens.data.datasets._assemble import assemble, kind_of_ratings
from recsens.data.datasets._base import RELEVANCE, DataSet, Loaded, RawFile
from recsens.files import Layout, read_text
from recsens.files.scale import Scale
from recsens.seeds import Stream

_SCALE = Scale(0, 2, 1)
_LAYOUT = Layout("\t", {"user": "user", "item": "item", "rating": "rating"}, header=True, quoted=False)


class CM100K(DataSet):
    """Ratings by 1,054 users of tracks drawn uniformly at random from 1,084: an unbiased sample of relevance.

    ``ratings.tsv`` is a table with a header: user, item, rating (0, 1 or 2; relevant: above 0), fold (1 to 5) and observed. All
    103,584 rows are read. The 11,594 ratings with observed = 1 are for tracks that users would have met on their own, as in an
    ordinary offline data set. The split ``revealed(path=...)`` reads the last two columns of the same file. It puts only observed
    ratings into train, and either the observed ratings or all ratings into test. There are no time stamps. Set ``relevance: 1``, or
    write ``cm100k(relevance=1)`` beside other data sets.
    """

    source = "Cañamares & Castells (2018), Should I follow the crowd?; as released with Mena-Maldonado et al. (2020)"
    has_timestamps: ClassVar[bool] = False

    path: str | None = Field(None, description="your copy: the file or its folder; null: search RECSENS_DATA and data")
    relevance: float | None = RELEVANCE

    @property
    def rating_scale(self) -> Scale:
        """0 to 2."""
        return replace(_SCALE, relevant=self.relevance)

    def raw_files(self) -> tuple[RawFile, ...]:
        """List the file."""
        page = "https://doi.org/10.1145/3397271.3401096"
        return (RawFile(name="ratings.tsv", folder="cm100k", path=self.path, terms=page),)

    def load(self, files: Sequence[Path], stream: Stream) -> Loaded:
        """Read all ratings, observed or not; a pair that occurs twice is an error."""
        return assemble(read_text(files[0], kind_of_ratings(_SCALE, with_times=False), _LAYOUT), self.rating_scale, "error")
