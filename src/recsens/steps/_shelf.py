"""Where metrics of lists find what they read, a ranking at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from recsens import tables
from recsens.errors import DesignError
from recsens.metrics import Catalogue, Judged, Lists
from recsens.vocabulary import Role, View


@dataclass
class Shelf:
    """The lists of every ranking of a study, and the catalogue of its fold; only what was read last is held.

    Attributes
    ----------
    lists_of, interactions, item_tables, roles
        Files of each ranking, in the same order.
    item_columns
        Columns of the tables of items that catalogues must hold.
    """

    lists_of: Sequence[str]
    interactions: Sequence[str]
    item_tables: Sequence[str]
    roles: Sequence[str]
    item_columns: tuple[str, ...]
    _catalogue: tuple[str, Catalogue] | None = field(default=None, init=False)
    _heads: tuple[str, NDArray[np.int32], NDArray[np.int64]] | None = field(default=None, init=False)

    def lists(self, ranking: int, judged: Judged, view: View) -> Lists:
        """Return the lists of a ranking: its top, or, condensed, the judged items in its order."""
        catalogue, users = self._catalogue_of(ranking, judged.n_users), np.arange(judged.n_users)
        if view == "condensed":
            assert judged.item is not None
            return Lists(judged.item[judged.order], judged.order_starts, catalogue, users)
        item, starts = self._heads_of(ranking, judged.n_users)
        return Lists(item, starts, catalogue, users)

    def _heads_of(self, ranking: int, n_users: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        path = self.lists_of[ranking]
        if self._heads is None or self._heads[0] != path:
            self._heads = None
            table = tables.read_table(path, tables.LISTS, ["user", "item"])
            lengths = np.bincount(tables.column(table, "user"), minlength=n_users)
            starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
            self._heads = path, tables.column(table, "item"), starts
        return self._heads[1:]

    def _catalogue_of(self, ranking: int, n_users: int) -> Catalogue:
        roles = self.roles[ranking]
        if self._catalogue is None or self._catalogue[0] != roles:
            self._catalogue = None
            table = tables.read_table(self.interactions[ranking], tables.INTERACTIONS, ["user", "item"])
            is_train = tables.column(tables.read_table(roles, tables.ROLES), "role") == Role.TRAIN
            user, item = (tables.column(table, name)[is_train] for name in ("user", "item"))
            items = tables.read_table(self.item_tables[ranking], tables.IDS)
            self._catalogue = roles, Catalogue(user, item, n_users, len(items), self._columns_of(items, self.item_tables[ranking]))
        return self._catalogue[1]

    def _columns_of(self, items: pa.Table, path: str) -> dict[str, list[Any]]:
        found = {}
        for name in self.item_columns:
            if name not in items.column_names:
                others = [column for column in items.column_names if column not in tables.IDS.names]
                raise DesignError(
                    f"the data set's table of items has no column '{name}'",
                    where=path,
                    allowed=", ".join(others) or "no column: this data set says nothing of its items",
                )
            found[name] = items.column(name).to_pylist()
        return found
