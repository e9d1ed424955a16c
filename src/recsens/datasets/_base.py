"""The contract of a data set."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from recsens.interactions import Scale
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
        The user's own copy, where the study names one.
    url, archive_member, sha256, terms
        Where to download it from (an archive, and the member to take out of it), the checksum of what is downloaded, and where
        its terms stand; None where it cannot be downloaded.
    """

    name: str
    folder: str = ""
    path: str | None = None
    url: str | None = None
    archive_member: str | None = None
    sha256: str | None = None
    terms: str | None = None


@dataclass(frozen=True)
class Loaded:
    """What a data set reads from its raw files.

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
        Counts of what was skipped or merged on the way, for the report.
    user_columns, item_columns
        Side tables, aligned with the ids (age, gender, genres, ...).
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


class DataSet(Plugin):
    """Reads interactions from raw files, or simulates them."""

    kind: ClassVar[str] = "dataset"
    has_truth: ClassVar[bool] = False
    """Whether the complete relevance of every pair is known (simulated data)."""
    identity_excludes: ClassVar[tuple[str, ...]] = ("path",)
    """Parameters that say where the data lie, not which they are: they do not reach an address or a random stream."""

    def raw_files(self) -> tuple[RawFile, ...]:
        """List the files to read; none where the data are simulated."""
        return ()

    @abstractmethod
    def load(self, files: Sequence[Path], stream: Stream) -> Loaded:
        """Read the raw files, in the order of `raw_files`, or simulate from the stream.

        Raises
        ------
        DataError
            If a file does not hold what is declared; the message names file and line.
        """

    def truth(self, stream: Stream) -> Mapping[str, NDArray[Any]]:
        """Return the complete relevance as named arrays; only where ``has_truth``."""
        raise TypeError(f"{self.spec} has no known truth")
