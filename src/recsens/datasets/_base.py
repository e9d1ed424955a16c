"""The contract of a data set."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.interactions import Interactions, Scale
from recsens.plugins import Plugin
from recsens.seeds import Stream


@dataclass(frozen=True, slots=True)
class RawFile:
    """A file that a data set is read from.

    Attributes
    ----------
    name
        File name, as its publisher calls it.
    folder
        Folder below ``RECSENS_DATA`` in which a local copy is looked for.
    path
        The user's own copy, where the study names one: the file, or the folder that holds it.
    url, archive_member, sha256, terms
        Where to download it from (an archive, and the member to take out of it), the checksum of what is downloaded, and where
        its terms stand; None where it cannot be downloaded. A download without a known checksum is recorded, and held against
        that record the next time.
    optional
        Whether the data set can do without it (side tables); looked for beside the other files.
    """

    name: str
    folder: str = ""
    path: str | None = None
    url: str | None = None
    archive_member: str | None = None
    sha256: str | None = None
    terms: str | None = None
    optional: bool = False


@dataclass(frozen=True)
class Loaded:
    """What a data set reads from its raw files.

    Codes number the names that occur, in an order of their own: by value where all are integers without leading zeros, else by
    code points. Interactions are sorted by user code, then item code, each pair once. So what is loaded does not depend on the
    order of rows in a file; whoever needs an order in time has the time stamps, and nothing else breaks a tie between equal ones.

    Attributes
    ----------
    user_ids, item_ids
        Names as in the raw file, in the order of the codes.
    user, item
        Codes of each interaction, shape (n,).
    rating, timestamp
        Shape (n,), or None where the data set has none.
    scale
        The rating scale.
    notes
        Counts of what was skipped (``invalid_rows``) or merged (``duplicate_rows``) on the way, for the report; only what occurred.
    user_columns, item_columns
        Side tables, aligned with the ids (age, gender, genres, ...); None for an id that a table does not hold.
    """

    user_ids: Sequence[str]
    item_ids: Sequence[str]
    user: NDArray[np.int32]
    item: NDArray[np.int32]
    rating: NDArray[np.float64] | None
    timestamp: NDArray[np.int64] | None
    scale: Scale
    notes: Mapping[str, int] = field(default_factory=dict)
    user_columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    item_columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)


def to_interactions(loaded: Loaded) -> Interactions:
    """Return what was loaded as interactions whose keys are the codes."""
    return Interactions(
        user=loaded.user,
        item=loaded.item,
        rating=loaded.rating,
        timestamp=loaded.timestamp,
        user_keys=np.arange(len(loaded.user_ids), dtype=np.int64),
        item_keys=np.arange(len(loaded.item_ids), dtype=np.int64),
        scale=loaded.scale,
    )


class DataSet(Plugin):
    """Reads interactions from raw files, or simulates them."""

    kind: ClassVar[str] = "dataset"
    has_truth: ClassVar[bool] = False
    """Whether the complete relevance of every pair is known (simulated data)."""

    @property
    def identity(self) -> str:
        """Name of the data set in random streams; data sets of one name share all draws."""
        return str(self.spec.without(*self.identity_excludes))

    @property
    def has_timestamps(self) -> bool | None:
        """Whether the interactions have time stamps; None where only the data say."""
        return None

    @property
    def rating_scale(self) -> Scale | None:
        """The scale of the ratings; None where there are no ratings, or only the data say."""
        return None

    def raw_files(self) -> tuple[RawFile, ...]:
        """List the files to read, optional ones last; none where the data are simulated."""
        return ()

    @abstractmethod
    def load(self, files: Sequence[Path], stream: Stream) -> Loaded:
        """Read the raw files, in the order of `raw_files` (optional ones may be absent), or simulate from the stream.

        Raises
        ------
        DataError
            If a file does not hold what is declared; the message names file and line.
        """

    def truth(self, stream: Stream) -> Mapping[str, NDArray[Any]]:
        """Return the complete relevance as named arrays; only where ``has_truth``."""
        raise TypeError(f"{self.spec} has no known truth")
