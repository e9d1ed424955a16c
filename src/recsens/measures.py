"""Measures: one metric's values for each user of each ranking, and what is known of the users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from recsens import tables
from recsens.artefacts import read_scale
from recsens.errors import DesignError
from recsens.interactions import Scale
from recsens.metrics import Judged
from recsens.vocabulary import View

CELL = pa.schema(
    [
        pa.field("ranking", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("view", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("relevance", pa.float64()),
        pa.field("user", pa.int32(), nullable=False),
    ]
)
"""Which user of which ranking, seen how; ``relevance`` is null for the default of the data set's scale."""

POPULATION = pa.schema([*CELL, *(pa.field(name, pa.int32(), nullable=False) for name in ("train", "test", "relevant", "listed"))])
"""Counts of a user under a view and threshold: `recsens.users.Population`."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One ranking under one view and one threshold of relevance."""

    ranking: str
    view: View
    relevance: float | None


@dataclass(frozen=True)
class RankedUsers:
    """A ranking's judged positions as arrays, read once for all views and thresholds."""

    user: NDArray[np.int32]
    position: NDArray[np.int64]
    rating: NDArray[np.float64]
    counts: dict[str, NDArray[np.int64]]
    scale: Scale

    @classmethod
    def read(cls, positions: str, users: str, dataset: str) -> RankedUsers:
        """Read the positions, the users and the scale of a ranking."""
        table = tables.read_table(positions, tables.POSITIONS, ["user", "rating", "position"])
        counts = tables.read_table(users, tables.RANKED_USERS)
        position = table.column("position").fill_null(0).to_numpy()
        return cls(
            user=tables.column(table, "user"),
            position=position.astype(np.int64),
            rating=tables.column(table, "rating", "float64"),
            counts={name: tables.column(counts, name, "int64") for name in tables.RANKED_USERS.names},
            scale=read_scale(dataset),
        )

    def judged(self, view: View, relevance: float | None) -> Judged:
        """See the ranking under a view and a threshold.

        Raises
        ------
        DesignError
            If no rating of the scale could reach the threshold.
        """
        if relevance is not None and relevance > self.scale.highest and not np.isnan(self.rating).all():
            raise DesignError(
                f"relevance: {relevance:g} is above the highest rating, so that nothing would be relevant",
                allowed=f"up to {self.scale.highest:g} on this data set's scale, which starts at {self.scale.lowest:g}",
            )
        return Judged.of(
            user=self.user,
            position=self.position,
            rating=self.rating,
            targets_ranked=self.counts["scored"],
            view=view,
            scale=self.scale,
            relevance=self.scale.relevance if relevance is None else relevance,
        )


def walk(
    positions: Sequence[str],
    users: Sequence[str],
    datasets: Sequence[str],
    views: Sequence[View],
    relevances: Sequence[float | None],
) -> Iterator[tuple[Cell, RankedUsers, Judged]]:
    """Visit every ranking under every view and threshold; each ranking is read once.

    The first three arguments name the files of each ranking, in the same order; a ranking is known by the folder of its positions.
    """
    for files in zip(positions, users, datasets, strict=True):
        ranked = RankedUsers.read(*files)
        for view, relevance in product(views, relevances):
            yield Cell(str(Path(files[0]).parent), view, relevance), ranked, ranked.judged(view, relevance)


def cell_columns(cells: Sequence[Cell], n_users: Sequence[int]) -> dict[str, Any]:
    """Repeat each cell for its users: the columns of `CELL`."""
    rows = pa.array(np.repeat(np.arange(len(cells)), n_users))
    # Encoded before they are repeated: a ranking's name is long, and its users are many.
    return {
        "ranking": pa.array([cell.ranking for cell in cells]).dictionary_encode().take(rows),
        "view": pa.array([cell.view for cell in cells]).dictionary_encode().take(rows),
        "relevance": pa.array([cell.relevance for cell in cells], type=pa.float64()).take(rows),
        "user": np.concatenate([np.arange(n, dtype=np.int32) for n in n_users]),
    }
