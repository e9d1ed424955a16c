"""The contract of a data set."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from recsens.data.interactions import Interactions
from recsens.files.scale import Scale
from recsens.plugins import Plugin
from recsens.plugins.own import Call, returns
from recsens.seeds import Stream

RELEVANCE: Any = Field(
    None,
    allow_inf_nan=False,
    description="lowest relevant rating, where a design's ``relevance`` is null, and in tuning, filters and recommenders under any "
    "design; null: the upper quarter of the scale",
)
"""The parameter of data sets that have a threshold of their own."""


@dataclass(frozen=True, slots=True)
class RawFile:
    """A raw file of a data set.

    Attributes
    ----------
    name
        File name, as its publisher gives it.
    folder
        Folder below ``RECSENS_DATA`` that may contain a local copy.
    path
        The user's own copy, if the study names one: the file, or the folder that contains it.
    url, archive_member, sha256, terms
        The address of the download (for an archive, also the member to extract), its checksum, and where to find the terms of use;
        None if the file cannot be downloaded. If the checksum is unknown, the checksum of the first download is recorded, and later
        downloads are compared with it.
    optional
        Whether the file may be missing. An optional file is searched for in the folder of the other files.
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
    """The content of a data set's raw files.

    Codes number the names in canonical order: by value if all are integers without leading zeros, otherwise by code points.
    Interactions are sorted by user code, then item code, and each pair occurs once. The content is therefore the same for any order
    of rows in a file. Only time stamps define an order in time; interactions with equal time stamps are tied.

    Attributes
    ----------
    user_ids, item_ids
        Names as in the raw file, in the order of the codes.
    user, item
        Codes of each interaction, shape (n,).
    rating, timestamp
        Rating and time stamp of each interaction, shape (n,); None if the data set has none.
    scale
        The rating scale.
    notes
        Counts of rows skipped (``invalid_rows``) or merged (``duplicate_rows``), for the report; only counts above zero.
    """

    user_ids: Sequence[str]
    item_ids: Sequence[str]
    user: NDArray[np.int32]
    item: NDArray[np.int32]
    rating: NDArray[np.float64] | None
    timestamp: NDArray[np.int64] | None
    scale: Scale
    notes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Described:
    """Side information on users and items, as columns of text, numbers or lists of text (age, genres, ...).

    Attributes
    ----------
    users, items
        Columns by name; each has a value for every user or item, in the order requested; None means that nothing is known.
    """

    users: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    items: Mapping[str, Sequence[Any]] = field(default_factory=dict)


def to_interactions(loaded: Loaded) -> Interactions:
    """Return loaded data as interactions that use the codes as keys."""
    return Interactions(
        user=loaded.user,
        item=loaded.item,
        rating=loaded.rating,
        timestamp=loaded.timestamp,
        user_keys=np.arange(len(loaded.user_ids), dtype=np.int64),
        item_keys=np.arange(len(loaded.item_ids), dtype=np.int64),
        scale=loaded.scale,
    )


def names_of_codes(ids: Sequence[str], codes: NDArray[np.int32]) -> Sequence[str]:
    """Return the name of each code, in the form that `DataSet.describe_interactions` expects."""
    names: Sequence[str] = np.asarray(ids, dtype=np.object_)[codes].tolist()
    return names


def _check_loaded(call: Call, loaded: object) -> Loaded:
    """Check a data set's content: codes must be valid, and pairs sorted and distinct."""
    if not isinstance(loaded, Loaded):
        raise call.refused(f"returned {type(loaded).__name__}", "a Loaded")
    shape = np.shape(loaded.user)[:1]
    codes = []
    for what, names, code in (("users", loaded.user_ids, loaded.user), ("items", loaded.item_ids, loaded.item)):
        if len(set(names)) != len(names) or not all(isinstance(name, str) for name in names):
            raise call.refused(f"returned {what} with names that are not text or not distinct", "distinct texts")
        codes.append(call.codes(code, what, shape, len(names)).astype(np.int32, copy=False))
    pairs = codes[0].astype(np.int64) * len(loaded.item_ids) + codes[1]
    if (np.diff(pairs) <= 0).any():
        raise call.refused(
            "returned interactions that are not in order, or a pair twice", ("sorted by user, then by item, with each pair once")
        )
    rating = call.ratings(loaded.rating, shape, loaded.scale.lowest, loaded.scale.highest)
    return replace(loaded, user=codes[0], item=codes[1], rating=rating, timestamp=call.times(loaded.timestamp, shape))


def _check_described(call: Call, described: object) -> Described:
    """Check side information: each column must have a value for every user or item."""
    if not isinstance(described, Described):
        raise call.refused(f"returned {type(described).__name__}", "a Described")
    for what, columns in (("user_ids", described.users), ("item_ids", described.items)):
        _refuse_lengths(call, columns, len(call.arguments[what]), "a name")
    return described


def _check_contexts(call: Call, columns: object) -> Mapping[str, Sequence[Any]]:
    """Check contexts: each column must have a value for every interaction."""
    if not isinstance(columns, Mapping):
        raise call.refused(f"returned {type(columns).__name__}", "columns by name")
    _refuse_lengths(call, columns, len(call.arguments["users"]), "an interaction")
    return columns


def _refuse_lengths(call: Call, columns: Mapping[str, Sequence[Any]], n: int, each: str) -> None:
    for name, column in columns.items():
        if len(column) != n:
            raise call.refused(f"returned {len(column)} values in the column '{name}'", f"{n} values, one per {each}")


class DataSet(Plugin):
    """A data set: interactions that are read from raw files or simulated."""

    kind: ClassVar[str] = "dataset"
    has_truth: ClassVar[bool] = False
    """Whether the complete relevance of every pair is known, as in simulated data."""
    is_simulated: ClassVar[bool] = False
    """Whether the data are drawn from a model; such data sets say nothing about other real ones."""
    site: ClassVar[str] = ""
    """The site that all data sets of this class come from, so that they are no independent sample of sites; empty for any file."""
    reads_any_file: ClassVar[bool] = False
    """Whether the plug-in reads any file that a user names; the folder of the data is then named after that file."""
    describing: ClassVar[tuple[str, ...]] = ()
    """Parameters that only `side_files` and the ``describe`` methods read; ``identity_excludes`` must include them."""

    @property
    def identity(self) -> str:
        """The data set's name in random streams. Data sets with the same identity share all draws, also with other thresholds."""
        return str(self.spec.without(*self.identity_excludes, "relevance"))

    @model_validator(mode="after")
    def _check_relevance(self) -> Self:
        own, scale = getattr(self, "relevance", None), self.rating_scale
        if own is not None and scale is not None and not scale.lowest <= own <= scale.highest:
            raise ValueError(f"relevance = {own:g} must be on the scale from {scale.lowest:g} to {scale.highest:g}")
        return self

    @property
    def has_timestamps(self) -> bool | None:
        """Whether the interactions have time stamps; None if only the data show it."""
        return None

    @property
    def rating_scale(self) -> Scale | None:
        """The rating scale; None if there are no ratings, or if only the data show the scale."""
        return None

    @property
    def declared_ratings(self) -> tuple[bool, Scale] | None:
        """Whether there are ratings, and their scale; None if only the data show it."""
        return None if self.rating_scale is None else (True, self.rating_scale)

    @property
    def side_columns(self) -> Mapping[str, Sequence[str]] | None:
        """Columns of side information for ``user``, ``item`` and ``context``; None if only the data show them."""
        return None

    @property
    def expected_users(self) -> int | None:
        """Approximate number of users, if known before the data are read.

        The number only affects how work is divided among jobs.
        """
        return None

    def raw_files(self) -> tuple[RawFile, ...]:
        """List the files to read, optional files last; empty if the data are simulated."""
        return ()

    def side_files(self) -> tuple[RawFile, ...]:
        """List the files that describe users, items and interactions; a file without a path is next to the first raw file."""
        return ()

    @returns(_check_described)
    def describe(self, files: Sequence[Path], user_ids: Sequence[str], item_ids: Sequence[str]) -> Described:
        """Read side information about some users and items, identified by the names that `load` returned.

        The files are in the order of `side_files`; optional ones may be missing. Only results that use side information depend on
        these files.

        Raises DataError if a file does not match the declaration; the message names the file and line.
        """
        return Described()

    @returns(_check_contexts)
    def describe_interactions(
        self, files: Sequence[Path], users: Sequence[str], items: Sequence[str]
    ) -> Mapping[str, Sequence[Any]]:
        """Read the contexts of some interactions from the side files; ``users`` and ``items`` are the names of each interaction.

        Each column has a value for every interaction, in the order requested; None means that nothing is known. Raises the same
        errors as `describe`.
        """
        return {}

    @abstractmethod
    @returns(_check_loaded)
    def load(self, files: Sequence[Path], stream: Stream) -> Loaded:
        """Read the raw files, in the order of `raw_files` (optional ones may be missing), or simulate the data from the stream.

        Raises DataError if a file does not match the declaration; the message names the file and line.
        """

    def try_first_rows(self, files: Sequence[Path]) -> None:
        """Read the beginning of the raw files to see whether they match their declaration; by default, read nothing.

        Raises DataError if a file does not match; the message names the file and line.
        """

    def truth(self, stream: Stream) -> Mapping[str, NDArray[Any]]:
        """Return the complete relevance as named arrays; only for data sets with ``has_truth``."""
        raise TypeError(f"the data set {self.spec} does not provide the true relevance of every user-item pair")
