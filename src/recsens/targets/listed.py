"""Target items that stand in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr

from recsens.errors import ConfigError, DesignError
from recsens.files import is_file
from recsens.interactions import Interactions
from recsens.seeds import Stream
from recsens.targets._base import Targets
from recsens.targets._pairs import read_pairs
from recsens.targets._rows import Rows, places


class Listed(Targets):
    """T_u = the items that a file names for the user, without those of the user's train set.

    The file is CSV with the header ``user,item``, one pair a line, by the names of the raw data. A user whom it does not name has
    no targets. Refused where a line names a user or an item that the (filtered) data set does not have, or no pair.
    """

    _known: tuple[Interactions, NDArray[np.int64], NDArray[np.int64]] | None = PrivateAttr(default=None)

    path: str | None = Field(None, description="the file; relative paths start at the working directory")

    def own_files(self) -> Sequence[Path]:
        """Name the file; none where no path is given."""
        return () if self.path is None else [self._file]

    @property
    def _file(self) -> Path:
        if self.path is None:
            raise ConfigError("targets 'listed' does not say which file to read", remedy='give its place: path="targets.csv"')
        if not is_file(self.path):
            raise ConfigError(
                f"path: there is no file '{self.path}'",
                where="targets 'listed'",
                remedy="relative paths start at the working directory",
            )
        return Path(self.path)

    def check(self, train: Interactions, test: Interactions, relevance: float) -> None:
        """Read the file, and refuse one that leaves nothing to rank."""
        indptr, items = self._pairs(train)
        user = np.repeat(np.arange(train.n_users), np.diff(indptr))
        if np.isin(user * train.n_items + items, train.user.astype(np.int64) * train.n_items + train.item).all():
            raise DesignError(
                f"path: '{self.path}' leaves nothing to rank: {len(items):,} target items, all of them train items of their users",
                remedy="write one 'user,item' a line below the header, of items that the user has not rated",
            )

    def mask(
        self, train: Interactions, test: Interactions, users: NDArray[np.int64], relevance: float, stream: Stream
    ) -> NDArray[np.bool_]:
        """Take the pairs of the file, but those of train."""
        indptr, items = self._pairs(train)
        row, place = places(indptr, users)
        found = np.zeros((len(users), train.n_items), dtype=np.bool_)
        found[row, items[place]] = True
        rated = Rows.of(train, users)
        found[rated.row, rated.item] = False
        return found

    def _pairs(self, data: Interactions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the items named, by user, and where each user's begin; the file is read once."""
        if self._known is None or self._known[0] is not data:
            user, item = read_pairs(self._file, data)
            order = np.argsort(user, kind="stable")
            indptr = np.concatenate([[0], np.cumsum(np.bincount(user, minlength=data.n_users))])
            self._known = data, indptr, item[order]
        return self._known[1:]
