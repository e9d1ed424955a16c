"""Stored lists, and catalogues of items: what list metrics read, one ranking at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from recsens.arrays import Bools, Ids, Ints
from recsens.artefacts import schemas, storage
from recsens.artefacts.addresses import Address
from recsens.artefacts.filesets import ListFiles
from recsens.errors import DesignError
from recsens.metrics import Catalogue, Judged, ListMetric, Lists, Moments
from recsens.vocabulary import Reading, Role


@dataclass
class StoredLists:
    """The lists of a study's rankings, and the catalogue of items on each ranking's fold; only the latest of each is in memory.

    Attributes
    ----------
    files
        Files of each ranking.
    metrics
        The metrics that read them; the catalogue holds what these ask for.
    item_tables
        Side tables of items, by the folder of a filtered data set; read only for metrics of item columns.
    """

    files: Sequence[ListFiles]
    metrics: Sequence[ListMetric]
    item_tables: Mapping[str, str] = field(default_factory=dict)
    _catalogue: tuple[str, Catalogue] | None = field(default=None, init=False)
    _heads: tuple[str, Ids, Ints] | None = field(default=None, init=False)

    def lists(self, ranking: int, judged: Judged, view: Reading) -> Lists:
        """Return the lists of a ranking: its top items or, in the condensed view, its judged items in order."""
        catalogue, users = self._catalogue_of(ranking, judged.n_users), np.arange(judged.n_users)
        if view == "condensed":
            assert judged.item is not None
            return Lists(judged.item[judged.order], judged.order_starts, catalogue, users)
        path = self.files[ranking].lists
        if self._heads is None or self._heads[0] != path:
            self._heads = None
            self._heads = path, *_read_heads(path, judged.n_users)
        lists = Lists(*self._heads[1:], catalogue, users)
        if not any(metric.reads_earlier for metric in self.metrics):
            return lists
        earlier = [
            Lists(*_read_heads(each.ranking.lists, judged.n_users), catalogue, users).of_users(_had_ratings(each.ranking.users))
            for each in Address.parse(path).on_earlier_folds
        ]
        return replace(lists, earlier=tuple(earlier))

    def _catalogue_of(self, ranking: int, n_users: int) -> Catalogue:
        _, interactions, item_ids, roles = self.files[ranking]
        if self._catalogue is None or self._catalogue[0] != roles:
            self._catalogue = None
            timed = any(metric.needs_timestamps for metric in self.metrics)
            table = storage.read_table(interactions, schemas.INTERACTIONS, ["user", "item", *(["timestamp"] * timed)])
            role = storage.column(storage.read_table(roles, schemas.ROLES), "role")
            user, item = (storage.column(table, name) for name in ("user", "item"))
            n_items = len(storage.read_table(item_ids, schemas.IDS, ["key"]))
            moments = None
            if timed and table.column("timestamp").null_count == 0:
                moments = Moments.of(user, item, storage.column(table, "timestamp"), role == Role.TEST, (n_users, n_items))
            columns, is_train = self._columns_of(str(Path(item_ids).parent)), role == Role.TRAIN
            self._catalogue = roles, Catalogue(user[is_train], item[is_train], n_users, n_items, columns, moments)
        return self._catalogue[1]

    def _columns_of(self, folder: str) -> dict[str, list[Any]]:
        wanted = dict.fromkeys(name for metric in self.metrics for name in metric.item_columns)
        if not wanted:
            return {}
        path = self.item_tables[folder]
        items, columns = storage.read_table(path, schemas.SIDE_COLUMNS), {}
        for name in wanted:
            if name not in items.column_names:
                others = [column for column in items.column_names if column not in schemas.SIDE_COLUMNS.names]
                raise DesignError(
                    f"the data set's table of items has no column '{name}'",
                    where=path,
                    allowed=", ".join(others) or "no column: this data set has no data on its items",
                )
            columns[name] = items.column(name).to_pylist()
        return columns


def _had_ratings(path: str) -> Bools:
    """Return whether each user had train ratings; nobody else was there to be shown a list, although some systems make one."""
    return np.asarray(storage.column(storage.read_table(path, schemas.RANKED_USERS, ["train"]), "train") > 0)


def _read_heads(path: str, n_users: int) -> tuple[Ids, Ints]:
    """Return the items of stored lists, user by user, and the index of each user's first."""
    table = storage.read_table(path, schemas.LISTS, ["user", "item"])
    lengths = np.bincount(storage.column(table, "user"), minlength=n_users)
    return storage.column(table, "item"), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
