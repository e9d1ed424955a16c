"""Sets of files that belong together; steps pass each set on as one argument."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import NamedTuple

from recsens.vocabulary import LIST_DEPTH


class InteractionFiles(NamedTuple):
    """The files of a data set, filtered or not."""

    interactions: str
    """One row per interaction."""
    user_ids: str
    """One row per user."""
    item_ids: str
    """One row per item."""
    dataset: str
    """A record of the source of the data, the filters applied, and the rating scale."""

    @classmethod
    def within(cls, folder: str | PurePath) -> InteractionFiles:
        """Return the files in a folder."""
        names = ("interactions.parquet", "user_ids.parquet", "item_ids.parquet", "dataset.json")
        return cls(*(str(PurePath(folder, name)) for name in names))


class SideFiles(NamedTuple):
    """Side information about a filtered data set's users, items and interactions. Only steps that use it read these files."""

    user_columns: str
    """One row per user."""
    item_columns: str
    """One row per item."""
    contexts: str
    """One row per interaction."""

    @classmethod
    def within(cls, folder: str | PurePath) -> SideFiles:
        """Return the files in a folder."""
        return cls(*(str(PurePath(folder, name)) for name in ("user_columns.parquet", "item_columns.parquet", "contexts.parquet")))


class RankingFiles(NamedTuple):
    """The files of a ranking."""

    positions: str
    """The positions of the judged items."""
    users: str
    """Counts for each user."""
    lists: str
    """The top of each user's ranking."""

    @classmethod
    def within(cls, folder: str | PurePath) -> RankingFiles:
        """Return the files in a folder."""
        names = ("positions.parquet", "users.parquet", f"lists-{LIST_DEPTH}.parquet")
        return cls(*(str(PurePath(folder, name)) for name in names))


class TrialFiles(NamedTuple):
    """The files of the rankings of every candidate of a search, one candidate after the other.

    They are those of one ranking whose users are numbered on from candidate to candidate: user u of candidate c is c n + u among n
    users.
    """

    positions: str
    """The positions of the judged items."""
    users: str
    """Counts for each user."""

    @classmethod
    def within(cls, folder: str | PurePath) -> TrialFiles:
        """Return the files in a folder."""
        return cls(*(str(PurePath(folder, f"trials-{name}.parquet")) for name in ("positions", "users")))


class PositionFiles(NamedTuple):
    """The ranking files that position metrics read."""

    positions: str
    users: str
    dataset: str


class ListFiles(NamedTuple):
    """The additional ranking files that list metrics read."""

    lists: str
    interactions: str
    item_ids: str
    roles: str


def list_paths(files: Iterable[str | Iterable[str]]) -> list[str]:
    """List the paths of inputs or outputs; each entry is one path or several."""
    return [str(path) for paths in files for path in ([paths] if isinstance(paths, str) else paths)]
