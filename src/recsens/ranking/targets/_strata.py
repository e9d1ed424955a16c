"""Strata: groups of items among which non-relevant targets are drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Strata:
    """The items that may be drawn, arranged in groups.

    Attributes
    ----------
    of
        Group of each item, shape (n_items,).
    members
        The items that may be drawn, sorted by group and key, shape (n_members,).
    starts
        Index of each group's first item in ``members``, shape (n_groups + 1,).
    weights
        Weight of each item in a draw, shape (n_items,); 0 if it must not be drawn.
    """

    of: NDArray[np.int64]
    members: NDArray[np.int64]
    starts: NDArray[np.int64]
    weights: NDArray[np.int64]

    @classmethod
    def cut(cls, of: NDArray[np.int64], weights: NDArray[np.int64], item_keys: NDArray[np.int64]) -> Strata:
        """Arrange the items with positive weight by group.

        Within a group, items are sorted by key; a draw then does not depend on the numbers that a filter gives to items.
        """
        order = np.lexsort((item_keys, of))
        members = order[weights[order] > 0].astype(np.int64)
        starts = np.searchsorted(of[members], np.arange(of.max(initial=0) + 2)).astype(np.int64)
        return cls(of, members, starts, weights)

    @property
    def n_groups(self) -> int:
        """Number of groups, including empty ones."""
        return len(self.starts) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of items that may be drawn in each group, shape (n_groups,)."""
        return np.diff(self.starts)
