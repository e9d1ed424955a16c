"""Plays of artists by users of Last.fm."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from recsens.data.datasets._assemble import Repeats, assemble, kind_of_ratings
from recsens.data.datasets._base import DataSet, Loaded, RawFile
from recsens.files import FileTable, Invalid, Layout, read_tabbed, read_text
from recsens.files.scale import MAX_RATING, Scale
from recsens.seeds import Stream

Release = Literal["2k", "1k", "360k"]
"""2k is HetRec 2011, 1k is Celma's listening histories, and 360k is Celma's top artists."""

_PLAYS = Scale(1.0, 5.0, 1.0)
"""The scale of plays; if the largest sum is higher, the scale is extended to it."""

_ROWS = Scale(1.0, MAX_RATING, 1.0)


@dataclass(frozen=True, slots=True)
class _Published:
    """A release: its file's folder and name, and the page that describes it."""

    folder: str
    file: str
    page: str


_FILES: dict[Release, _Published] = {
    "2k": _Published("hetrec2011-lastfm-2k", "user_artists.dat", "https://grouplens.org/datasets/hetrec-2011"),
    "1k": _Published(
        "lastfm-dataset-1K",
        "userid-timestamp-artid-artname-traid-traname.tsv",
        "http://ocelma.net/MusicRecommendationDataset/lastfm-1K.html",
    ),
    "360k": _Published(
        "lastfm-dataset-360K",
        "usersha1-artmbid-artname-plays.tsv",
        "http://ocelma.net/MusicRecommendationDataset/lastfm-360K.html",
    ),
}


class LastFM(DataSet):
    r"""How often users of Last.fm played artists; the rating is the number of plays.

    =======  ==========  =======  =======  ==================================================  ===========
    release  rows        users    artists  file, fields between tabs                           time stamps
    =======  ==========  =======  =======  ==================================================  ===========
    2k           92,834    1,892   17,632  user_artists.dat: user, artist, plays; a header     none
    1k       19,150,868      992  176,948  userid-timestamp-artid-artname-traid-traname.tsv    of each play
    360k     17,559,530  359,347  294,015  usersha1-artmbid-artname-plays.tsv                  none
    =======  ==========  =======  =======  ==================================================  ===========

    In 1k a row is one play; the plays of each pair are counted, and the pair gets the time of its last play, in seconds since 1970.
    In 1k and 360k an artist is identified by MusicBrainz id, or by name if there is no id; plays of the same artist are added up.
    The scale ends at the largest number of plays, so the default threshold of relevance makes little sense: set ``relevance``, for
    example to 3 plays.
    """

    source = "2k: Cantador, Brusilovsky & Kuflik (2011), HetRec; 1k and 360k: Celma (2010), Music Recommendation and Discovery"

    site: ClassVar[str] = "Last.fm"

    release: Release = Field("2k", description="which release")
    path: str | None = Field(None, description="your copy: the file or its folder; null: search RECSENS_DATA and data")
    invalid: Invalid = Field(
        "error", description="how to treat a row that is malformed or lacks user, artist or plays: error, or skip and count"
    )

    @property
    def has_timestamps(self) -> bool:
        """Whether plays have time stamps."""
        return self.release == "1k"

    def raw_files(self) -> tuple[RawFile, ...]:
        """List the file of plays."""
        release = _FILES[self.release]
        return (RawFile(name=release.file, folder=release.folder, path=self.path, terms=release.page),)

    def load(self, files: Sequence[Path], stream: Stream) -> Loaded:
        """Read the plays, and add them up per user and artist."""
        repeats: Repeats = "count" if self.release == "1k" else "sum"
        return assemble(self._read(files[0]), _PLAYS, repeats)

    def _read(self, path: Path) -> FileTable:
        kind = kind_of_ratings(None if self.release == "1k" else _ROWS, with_times=self.has_timestamps)
        if self.release == "2k":
            columns = {"user": "userID", "item": "artistID", "rating": "weight"}
            return read_text(path, kind, Layout("\t", columns, header=True, quoted=False), self.invalid)
        if self.release == "1k":
            return read_tabbed(path, 6, kind, self.invalid, _event_columns)
        return read_tabbed(path, 4, kind, self.invalid, _total_columns)


def _event_columns(fields: list[pa.Array]) -> list[pa.Array]:
    """Select user, artist and time from the fields of a file of plays."""
    user, moment, artist, name, *_ = fields
    return [user, _artist_or_name(artist, name), moment.cast(pa.timestamp("s", tz="UTC")).cast(pa.int64())]


def _total_columns(fields: list[pa.Array]) -> list[pa.Array]:
    """Select user, artist and number of plays from the fields of a file of totals."""
    user, artist, name, plays = fields
    return [user, _artist_or_name(artist, name), pc.utf8_trim_whitespace(plays)]


def _artist_or_name(identifier: pa.Array, name: pa.Array) -> pa.Array:
    return pc.if_else(pc.equal(identifier, ""), name, identifier)
