"""Target items listed in a file."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr

from recsens.data.interactions import Interactions
from recsens.errors import ConfigError, DesignError
from recsens.files import read
from recsens.files.kinds import PAIRS
from recsens.files.paths import located
from recsens.ranking.targets._base import Targets
from recsens.ranking.targets._rows import UserRatings, entries_of
from recsens.seeds import Stream

_REMEDY = "use the names of the raw data; delete the line if a filter dropped it"


class Listed(Targets):
    """T_u are the items that a file lists for the user, without the user's train items.

    The file is CSV or TSV with a header that names the columns user and item, or parquet with these columns. Each row is a pair of
    names from the raw data; other columns are ignored, and text may be gzipped. A user who is not in the file has no targets. A row
    is refused if it is not a pair, or if its user or item is not in the (filtered) data set.
    """

    _known: tuple[Interactions, NDArray[np.int64], NDArray[np.int64]] | None = PrivateAttr(default=None)

    path: str | None = Field(None, description="the file; relative paths start at the study, the working directory or RECSENS_DATA")

    def prose(self) -> str:
        """Name the file."""
        name = Path(self.path or "").name
        return f"For every user, we ranked the items in a file ({name}), except those that the user had rated in the training set."

    def own_files(self) -> Sequence[Path]:
        """List the file; nothing if no path is given."""
        return () if self.path is None else [self._file_path]

    @property
    def _file_path(self) -> Path:
        if self.path is None:
            raise ConfigError("targets 'listed' does not say which file to read", remedy='give its path: path="targets.csv"')
        return located(self.path, "targets 'listed': path")

    def check(self, train: Interactions, test: Interactions, relevance: float) -> None:
        """Read the file; refuse it if it leaves nothing to rank."""
        indptr, items = self._listed_items(train)
        user = np.repeat(np.arange(train.n_users), np.diff(indptr))
        if np.isin(user * train.n_items + items, train.user.astype(np.int64) * train.n_items + train.item).all():
            raise DesignError(
                f"path: '{self.path}' leaves nothing to rank: all {len(items):,} target items are train items of their users",
                remedy="write one 'user,item' per line below the header, with items that the user has not rated",
            )

    def mask(
        self, train: Interactions, test: Interactions, users: NDArray[np.int64], relevance: float, stream: Stream
    ) -> NDArray[np.bool_]:
        """Take the file's pairs, except those in train."""
        indptr, items = self._listed_items(train)
        row, entry = entries_of(indptr, users)
        mask = np.zeros((len(users), train.n_items), dtype=np.bool_)
        mask[row, items[entry]] = True
        rated = UserRatings.of(train, users)
        mask[rated.row, rated.item] = False
        return mask

    def _listed_items(self, data: Interactions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the listed items by user, and where each user's items begin; the file is read only once."""
        if self._known is None or self._known[0] is not data:
            if data.user_ids is None or data.item_ids is None:
                raise DesignError("a file of target items names users and items by their raw names, but the data set has none")
            table = read(self._file_path, PAIRS)
            user, item = table.codes_among("user", data.user_ids, _REMEDY), table.codes_among("item", data.item_ids, _REMEDY)
            order = np.argsort(user, kind="stable")
            indptr = np.concatenate([[0], np.cumsum(np.bincount(user, minlength=data.n_users))])
            self._known = data, indptr, item[order]
        return self._known[1:]
