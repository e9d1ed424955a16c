"""Interactions in memory: user, item, rating and time of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from recsens.frozen import Frozen, frozen, frozen_property
from recsens.interactions._side_information import SideTable

Code = TypeVar("Code", bound=np.generic)
Derived = TypeVar("Derived")

_TOLERANCE = 1e-3
"""How far from a value of the scale a rating may lie, in steps: 32-bit and decimal fractions are not exact."""

_FINER = (0.5, 0.25, 0.2, 0.1, 0.05, 0.01)
"""Usual distances between neighbouring ratings."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The rating scale of a data set: lowest and highest value and the distance between neighbouring values (0: any value)."""

    lowest: float = 1.0
    highest: float = 5.0
    step: float = 1.0

    @property
    def relevance(self) -> float:
        """Default relevance threshold: the upper quarter of the scale, rounded up to a value of it (4 on 1-5)."""
        cut = self.lowest + 0.75 * (self.highest - self.lowest)
        if self.step == 0:
            return cut
        steps = math.ceil(round((cut - self.lowest) / self.step, 9))
        # On a scale in tenths 3.8, not 3.8000000000000003, which a rating of 3.8 would not reach.
        return round(self.lowest + steps * self.step, 9)

    def describe(self) -> str:
        """Say in words which ratings the scale holds."""
        return f"a number from {self.lowest:g} to {self.highest:g}{f' in steps of {self.step:g}' if self.step else ''}"

    def holds(self, ratings: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Say of each rating whether it is a value of the scale; NaN and infinities never are."""
        with np.errstate(invalid="ignore"):
            inside = (ratings >= self.lowest) & (ratings <= self.highest)
            return np.asarray(inside & _is_whole((ratings - self.lowest) / self.step) if self.step else inside)

    def snapped(self, ratings: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ratings of the scale as its exact values, to nine decimals: what single precision makes of 3.8 is 3.8 again.

        Else such a rating would fall short of a threshold of relevance that it reaches. Without steps, ratings are what they are.
        """
        if not self.step:
            return ratings
        steps = np.rint((ratings - self.lowest) / self.step)
        return np.asarray(np.round(self.lowest + steps * self.step, 9))

    def miss(self, rating: float) -> tuple[str, str | None]:
        """Say how a finite rating misses the scale, and how one of finer steps would be declared that holds it.

        None would hold a rating a step or more outside this scale: it may as well say that there is none.
        """
        is_between, offset = self.lowest <= rating <= self.highest, rating - self.lowest
        where = "lies between two values of the declared scale" if is_between else "is outside the declared scale"
        problem = f"the rating {rating:g} {where}"
        is_near = self.lowest - self.step < rating < self.highest + self.step
        if not self.step or not is_near or _is_whole(offset / self.step):
            return problem, None
        step = next((step for step in _FINER if step < self.step and _is_whole(offset / step)), 0)
        end = f"lowest={rating:g}," if rating < self.lowest else f"highest={rating:g}," if rating > self.highest else ""
        return problem, f"{end}step={step:g}"


def _is_whole(steps: Any) -> Any:
    return np.abs(steps - np.rint(steps)) <= _TOLERANCE


@dataclass(frozen=True)
class Interactions(Frozen):
    """Interactions of ``n_users`` users with ``n_items`` items; every (user, item) pair occurs at most once. All is read-only.

    Attributes
    ----------
    user, item
        Codes in ``0..n_users-1`` and ``0..n_items-1``, shape (n,), int32.
    rating
        Ratings on ``scale``, shape (n,), float64; None if the data set has none (then every interaction counts as positive).
    timestamp
        Seconds since 1970, or the raw file's own unit, shape (n,), int64; None if the data set has none.
    user_keys, item_keys
        Identities fixed at ingest, shapes (n_users,) and (n_items,), int64. Random streams hash these, so a filter that renumbers
        users does not redraw anything.
    scale
        The rating scale.
    user_ids, item_ids
        Names as in the raw file, shapes (n_users,) and (n_items,); None where the data never had any. Only what reads files of
        the user's own (predefined folds, target items, scores) looks at them.
    user_table, item_table
        What is known of each user and item beside the interactions; None unless the recommender that is fitted declares a use.
    context_table
        What is known of the circumstances of each interaction, one row for each; None as above.
    """

    user: NDArray[np.int32]
    item: NDArray[np.int32]
    rating: NDArray[np.float64] | None
    timestamp: NDArray[np.int64] | None
    user_keys: NDArray[np.int64]
    item_keys: NDArray[np.int64]
    scale: Scale
    user_ids: NDArray[np.object_] | None = None
    item_ids: NDArray[np.object_] | None = None
    user_table: SideTable | None = None
    item_table: SideTable | None = None
    context_table: SideTable | None = None

    def __len__(self) -> int:
        return len(self.user)

    @property
    def n_users(self) -> int:
        """Number of users, with or without interactions here."""
        return len(self.user_keys)

    @property
    def n_items(self) -> int:
        """Number of items, with or without interactions here."""
        return len(self.item_keys)

    @frozen_property
    def values(self) -> NDArray[np.float64]:
        """Ratings, or ones if the data set has none."""
        return np.ones(len(self)) if self.rating is None else self.rating

    @property
    def matrix(self) -> csr_array:
        """Ratings as a sparse matrix with sorted indices, shape (n_users, n_items), float64; read-only.

        A rating of zero is a stored entry; a pair without a stored entry was not rated.
        """
        return frozen(self._matrix)

    @cached_property
    def _matrix(self) -> csr_array:
        order = np.lexsort((self.item, self.user))
        indptr = np.concatenate([[0], np.cumsum(self.user_counts)])
        matrix = csr_array((self.values[order], self.item[order], indptr), shape=(self.n_users, self.n_items))
        # Known once for all, and not found out again for every view.
        matrix.has_canonical_format = True
        return matrix

    @frozen_property
    def user_counts(self) -> NDArray[np.int64]:
        """Interactions of each user, shape (n_users,)."""
        return np.bincount(self.user, minlength=self.n_users).astype(np.int64)

    @frozen_property
    def item_counts(self) -> NDArray[np.int64]:
        """Interactions of each item, shape (n_items,)."""
        return np.bincount(self.item, minlength=self.n_items).astype(np.int64)

    def once(self, key: Hashable, work: Callable[[], Derived]) -> Derived:
        """Return what follows from these interactions alone: worked out at the first call with a key, and read-only."""
        if key not in self._known:
            self._known[key] = frozen(work())
        derived: Derived = self._known[key]
        return derived

    @cached_property
    def _known(self) -> dict[Hashable, Any]:
        return {}

    def take(self, chosen: NDArray[np.bool_]) -> Interactions:
        """Return the chosen interactions of the same users and items."""
        return Interactions(
            user=self.user[chosen],
            item=self.item[chosen],
            rating=None if self.rating is None else self.rating[chosen],
            timestamp=None if self.timestamp is None else self.timestamp[chosen],
            user_keys=self.user_keys,
            item_keys=self.item_keys,
            scale=self.scale,
            user_ids=self.user_ids,
            item_ids=self.item_ids,
            user_table=self.user_table,
            item_table=self.item_table,
            context_table=None if self.context_table is None else self.context_table.take(np.flatnonzero(chosen)),
        )


def read_only(codes: NDArray[Code]) -> NDArray[Code]:
    """Return codes or keys for a compiled function: contiguous and read-only, like those read from a file.

    To the compiler, a writable array is another type.
    """
    frozen = np.ascontiguousarray(codes).view()
    frozen.setflags(write=False)
    return frozen
