"""Stored lists, and catalogues of items: what list metrics read, one ranking at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from recsens.arrays import Ids, Ints
from recsens.artefacts import schemas, storage
from recsens.artefacts.filesets import ListFiles
from recsens.errors import DesignError
from recsens.metrics import Catalogue, Judged, Lists, Moments
from recsens.vocabulary import Reading, Role


@dataclass
class StoredLists:
    """The lists of a study's rankings, and the catalogue of items on each ranking's fold; only the latest of each is in memory.

    Attributes
    ----------
    files
        Files of each ranking.
    item_columns
        Columns of the side table of items that the catalogue must hold.
    timed
        Whether the catalogue must hold the times of ratings.
    item_tables
        Side tables of items, by the folder of a filtered data set; read only for ``item_columns``.
    """

    files: Sequence[ListFiles]
    item_columns: tuple[str, ...]
    timed: bool = False
    item_tables: Mapping[str, str] = field(default_factory=dict)
    _catalogue: tuple[str, Catalogue] | None = field(default=None, init=False)
    _heads: tuple[str, Ids, Ints] | None = field(default=None, init=False)

    def lists(self, ranking: int, judged: Judged, view: Reading) -> Lists:
        """Return the lists of a ranking: its top items or, in the condensed view, its judged items in order."""
        catalogue, users = self._catalogue_of(ranking, judged.n_users), np.arange(judged.n_users)
        if view == "condensed":
            assert judged.item is not None
            return Lists(judged.item[judged.order], judged.order_starts, catalogue, users)
        item, starts = self._heads_of(ranking, judged.n_users)
        return Lists(item, starts, catalogue, users)

    def _heads_of(self, ranking: int, n_users: int) -> tuple[Ids, Ints]:
        path = self.files[ranking].lists
        if self._heads is None or self._heads[0] != path:
            self._heads = None
            table = storage.read_table(path, schemas.LISTS, ["user", "item"])
            lengths = np.bincount(storage.column(table, "user"), minlength=n_users)
            starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
            self._heads = path, storage.column(table, "item"), starts
        return self._heads[1:]

    def _catalogue_of(self, ranking: int, n_users: int) -> Catalogue:
        _, interactions, item_ids, roles = self.files[ranking]
        if self._catalogue is None or self._catalogue[0] != roles:
            self._catalogue = None
            table = storage.read_table(interactions, schemas.INTERACTIONS, ["user", "item", *(["timestamp"] * self.timed)])
            role = storage.column(storage.read_table(roles, schemas.ROLES), "role")
            user, item = (storage.column(table, name) for name in ("user", "item"))
            n_items = len(storage.read_table(item_ids, schemas.IDS, ["key"]))
            moments = None
            if self.timed and table.column("timestamp").null_count == 0:
                moments = Moments.of(user, item, storage.column(table, "timestamp"), role == Role.TEST, (n_users, n_items))
            columns, is_train = self._columns_of(str(Path(item_ids).parent)), role == Role.TRAIN
            self._catalogue = roles, Catalogue(user[is_train], item[is_train], n_users, n_items, columns, moments)
        return self._catalogue[1]

    def _columns_of(self, folder: str) -> dict[str, list[Any]]:
        if not self.item_columns:
            return {}
        path = self.item_tables[folder]
        items, columns = storage.read_table(path, schemas.SIDE_COLUMNS), {}
        for name in self.item_columns:
            if name not in items.column_names:
                others = [column for column in items.column_names if column not in schemas.SIDE_COLUMNS.names]
                raise DesignError(
                    f"the data set's table of items has no column '{name}'",
                    where=path,
                    allowed=", ".join(others) or "no column: this data set has no data on its items",
                )
            columns[name] = items.column(name).to_pylist()
        return columns
