"""The positions of judged items, user by user, in the form that metrics read."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np

from recsens.arrays import Bools, Floats, Ids, Ints
from recsens.compiled.machine_code import python_if_few_rows
from recsens.files.scale import Scale
from recsens.metrics._kernels import add_down, count_above, fill_first_reaching
from recsens.plugins.frozen import Frozen, frozen_property
from recsens.vocabulary import Reading


@dataclass(frozen=True)
class Near:
    """The judged items at or above the deepest of some cut-offs.

    Attributes
    ----------
    rows
        Row numbers of these items among all judged items, ascending, shape (n_near,).
    user
        User of each row, ascending, shape (n_near,).
    column
        Index, among the sorted cut-offs, of the first cut-off that reaches each row, shape (n_near,).
    order
        Index of each sorted cut-off among the unsorted cut-offs, shape (n_cutoffs,).
    """

    rows: Ints
    user: Ids
    column: Ids
    order: Ints

    @classmethod
    def of(cls, ranked: Ints, user: Ids, position: Ints, cutoffs: tuple[int, ...]) -> Near:
        """Select the ranked rows at or above the deepest cut-off.

        ``ranked`` has the numbers of the ranked rows, ascending; ``user`` and ``position`` have a value for each judged item.
        """
        bounds = np.asarray(cutoffs)
        order = np.argsort(bounds)
        rows = ranked[position[ranked] <= bounds[order[-1]]]
        column = np.empty(len(rows), dtype=np.int32)
        python_if_few_rows(fill_first_reaching, len(rows))(bounds[order], position[rows], column)
        return cls(rows, user[rows], column, order)

    def only(self, kept: Bools) -> Near:
        """Keep the rows that a mask over all judged items selects."""
        own = np.flatnonzero(kept[self.rows])
        return replace(self, rows=self.rows[own], user=self.user[own], column=self.column[own])

    def sum_down(self, values: Floats, n_users: int) -> Floats:
        """Sum values of the rows, shape (n_near,), down to each cut-off, shape (n_users, n_cutoffs)."""
        sums = np.empty((n_users, len(self.order)))
        python_if_few_rows(add_down, len(values) + n_users)(self.user, self.column, values, self.order, sums)
        return sums


T = TypeVar("T")


_POSITION_BITS = 32

_BY_ROW, _BY_USER = ("position", "rating", "score", "item", "unjudged_above", "is_target"), ("listed", "rater", "targets")
"""Fields of `Judged` with a value for each row, and fields with a value for each user."""


class Memo:
    """Results that are computed once for all who share them, such as users' ideal rankings for rankings of the same ratings."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Any] = {}

    def once(self, key: Hashable, work: Callable[[], T]) -> T:
        """Return the result stored under a key, or compute it."""
        if key not in self._known:
            self._known[key] = work()
        found: T = self._known[key]
        return found


@dataclass(frozen=True)
class Judged(Frozen):
    """All users' judged items under one view and one relevance threshold.

    Attributes
    ----------
    user
        User of each row, shape (n,), ascending.
    position
        Position in the user's ranking, counted from 1, shape (n,), int64; 0 if the item is not ranked.
    rating
        Test rating, shape (n,), float64; NaN if the data set has none (then every judged item is relevant).
    listed
        Length of each user's ranking under the view, shape (n_users,), int64.
    scale
        The rating scale.
    relevance
        The lowest rating that is relevant.
    score
        The recommender's score of each item, shape (n,), float64, NaN for an item without a score; None if scores are unknown. Only
        metrics that treat equal scores as ties, or compare scores with ratings, read ``score``.
    item
        Item of each row, shape (n,); None if items are unknown. Only metrics that combine the rows of different users read it.
    unjudged_above
        For each judged item, the number of items above it that the judgements list without judging them, shape (n,); None if there
        are no such items. Only metrics that distinguish such items from other unjudged items read it.
    rater
        Under 1R, each rating has a ranking, which is treated like a user; ``rater`` is the user who gave the rating, shape
        (n_users,). None if each user has one ranking.
    targets, is_target
        Number of each user's targets under the view, ranked or not, shape (n_users,), and whether each row is a target, shape (n,).
        None if only the ranked items are known. Only metrics of sampled targets read these arrays.
    known
        Results that depend only on the ratings and the threshold, and not on the order of a user's ratings, which differs between
        rankings; rankings of the same ratings may share them.
    ordered
        Results that depend only on the order of the ranked rows; views of the same rankings may share them. A copy with other
        positions does not have them.
    """

    user: Ids
    position: Ints
    rating: Floats
    listed: Ints
    scale: Scale
    relevance: float
    score: Floats | None = None
    item: Ids | None = None
    unjudged_above: Ints | None = None
    rater: Ints | None = None
    targets: Ints | None = None
    is_target: Bools | None = None
    known: Memo = field(default_factory=Memo, repr=False, compare=False)
    ordered: Memo = field(default_factory=Memo, init=False, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        *,
        user: Ids,
        position: Ints,
        rating: Floats,
        targets_ranked: Ints,
        view: Reading,
        scale: Scale,
        relevance: float,
        score: Floats | None = None,
        item: Ids | None = None,
        unjudged_above: Ints | None = None,
        rater: Ints | None = None,
        targets: Ints | None = None,
        is_target: Bools | None = None,
        known: Memo | None = None,
        ordered: Memo | None = None,
    ) -> Judged:
        """Apply a view, which keeps all ranked items or only the judged items, to the positions of judged items in full rankings.

        Condensing removes unjudged items, so the new position of a judged item is its rank among the ranked judged items. Rows are
        sorted by user, ``position`` is 0 for an unranked item, and ``targets_ranked`` is the length of each full ranking.
        """
        full = cls(
            *(user, position, rating, targets_ranked, scale, relevance, score, item, unjudged_above, rater, targets, is_target),
            known or Memo(),
        )
        object.__setattr__(full, "ordered", ordered or Memo())
        if view != "condensed":
            return full
        condensed = np.zeros_like(position)
        condensed[full.order] = np.arange(len(full.order)) - full.order_starts[user[full.order]] + 1
        judged_targets = None if is_target is None else np.bincount(user[is_target], minlength=full.n_users)
        listed = np.diff(full.order_starts)
        own = replace(full, position=condensed, listed=listed, targets=judged_targets, unjudged_above=None)
        object.__setattr__(own, "ordered", full.ordered)
        return own

    @property
    def n_users(self) -> int:
        """Number of users, judged or not."""
        return len(self.listed)

    @frozen_property
    def starts(self) -> Ints:
        """Each user's first row, then the number of rows, shape (n_users + 1,)."""
        return self.known.once("starts", lambda: np.searchsorted(self.user, np.arange(self.n_users + 1)))

    @frozen_property
    def is_relevant(self) -> Bools:
        """Whether each judged item is relevant, shape (n,)."""
        return np.isnan(self.rating) | (self.rating >= self.relevance)

    @frozen_property
    def n_relevant(self) -> Ints:
        """Each user's number of relevant judged items, ranked or not, shape (n_users,)."""
        return self.known.once("relevant", lambda: np.diff(np.concatenate([[0], np.cumsum(self.is_relevant)])[self.starts]))

    @property
    def rivals(self) -> Ints:
        """Each user's number of targets that are not relevant (of ranked items, if targets are not known), shape (n_users,)."""
        is_target = self.position > 0 if self.is_target is None else self.is_target
        relevant = np.bincount(self.user[self.is_relevant & is_target], minlength=self.n_users)
        return np.asarray((self.listed if self.targets is None else self.targets) - relevant)

    @frozen_property
    def n_judged(self) -> Ints:
        """Each user's number of judged items, ranked or not, shape (n_users,)."""
        return np.diff(self.starts)

    @frozen_property
    def order(self) -> Ints:
        """Row numbers of ranked items, sorted by user, then by position, shape (n_ranked,)."""
        return self.ordered.once("order", self._sort_ranked_rows)

    def _sort_ranked_rows(self) -> Ints:
        rows = self._ranked_rows
        # One number combines user and position. Users are already in ascending order, and a stable sort is fast on partly sorted
        # numbers.
        return rows[np.argsort((self.user[rows].astype(np.int64) << _POSITION_BITS) + self.position[rows], kind="stable")]

    @frozen_property
    def order_starts(self) -> Ints:
        """Index of each user's first row in `order`, then the length of `order`, shape (n_users + 1,)."""
        return self.ordered.once("starts", lambda: np.searchsorted(self._ranked_rows, self.starts))

    @frozen_property
    def _ranked_rows(self) -> Ints:
        """Row numbers of the ranked items, ascending, shape (n_ranked,)."""
        return self.ordered.once("ranked", lambda: np.flatnonzero(self.position > 0))

    @property
    def relevant_above(self) -> Ints:
        """For each ranked item, the number of relevant items above it, shape (n,); 0 if the item is not ranked."""
        return self._count_above[0]

    @property
    def judged_above(self) -> Ints:
        """For each ranked item, the number of judged items above it, shape (n,); 0 if the item is not ranked."""
        return self._count_above[1]

    @property
    def others_above(self) -> Floats:
        """For each ranked item, the number of items above it that are not relevant, judged or not, shape (n,)."""
        return (self.position - 1 - self.relevant_above).astype(np.float64)

    @frozen_property
    def _count_above(self) -> tuple[Ints, Ints]:
        relevant, judged = np.zeros((2, len(self.user)), dtype=np.int64)
        count_above(self.order, self.order_starts, self.is_relevant, relevant, judged)
        return relevant, judged

    def of_users(self, kept: Bools) -> Judged:
        """Keep the users that a mask of shape (n_users,) selects, and renumber them as if the other users did not exist."""
        if kept.all():
            return self
        rows = kept[self.user]
        return replace(
            self,
            user=(np.cumsum(kept) - 1).astype(np.int32)[self.user[rows]],
            known=Memo(),
            **{name: values[rows] for name in _BY_ROW if (values := getattr(self, name)) is not None},
            **{name: values[kept] for name in _BY_USER if (values := getattr(self, name)) is not None},
        )

    def sums(self, values: Floats, cutoffs: tuple[int, ...], weight: Callable[[Ints], Floats] | None = None) -> Floats:
        """Sum values over each user's judged items at or above each cut-off, shape (n_users, n_cutoffs).

        ``values`` has shape (n,); ``weight`` maps positions to weights, 1 by default. Unranked rows never count.
        """
        near, _ = self._rows_near_top(cutoffs)
        own = values[near.rows]
        return near.sum_down(own if weight is None else own * weight(self.position[near.rows]), self.n_users)

    def sum_hits(self, worth: Callable[[Ints], Floats], cutoffs: tuple[int, ...]) -> Floats:
        """Sum the worth of the relevant items at or above each cut-off, shape (n_users, n_cutoffs).

        ``worth`` maps row numbers to values, and is called only for the few judged items near the top.
        """
        _, hits = self._rows_near_top(cutoffs)
        return hits.sum_down(worth(hits.rows), self.n_users)

    def hits(self, cutoffs: tuple[int, ...]) -> Floats:
        """Count each user's relevant items at or above each cut-off, shape (n_users, n_cutoffs)."""
        return self.sum_hits(lambda rows: np.ones(len(rows)), cutoffs)

    def sum_precision(self, cutoffs: tuple[int, ...]) -> Floats:
        """Sum the precision at the positions of the relevant items at or above each cut-off, shape (n_users, n_cutoffs)."""
        return self.sum_hits(lambda rows: (self.relevant_above[rows] + 1) / self.position[rows], cutoffs)

    def shown(self, cutoffs: tuple[int, ...]) -> Ints:
        """Count the items of each ranking down to each cut-off, shape (n_users, n_cutoffs)."""
        return np.asarray(np.minimum(self.listed[:, np.newaxis], np.asarray(cutoffs)))

    def _rows_near_top(self, cutoffs: tuple[int, ...]) -> tuple[Near, Near]:
        """Return the rows at or above the deepest cut-off, and the relevant rows among them; cached, as metrics share cut-offs."""
        if cutoffs not in self._near_by_cutoffs:
            near = Near.of(self._ranked_rows, self.user, self.position, cutoffs)
            self._near_by_cutoffs[cutoffs] = near, near.only(self.is_relevant)
        return self._near_by_cutoffs[cutoffs]

    @cached_property
    def _near_by_cutoffs(self) -> dict[tuple[int, ...], tuple[Near, Near]]:
        return {}


Rule = Literal["sum", "stop", "precision"]
"""How gains g(k) at places k make a value, with weights w(k):

=========  ===============================
sum        Σ w(k) g(k)
stop       Σ w(k) g(k) Π_{i<k} (1 - g(i))
precision  Σ w(k) g(k) (1 + Σ_{i<k} g(i))
=========  ===============================
"""


@dataclass(frozen=True)
class ByPlace:
    """A metric as a function of gains by place; the value is ``scale`` times the rule's sum.

    Attributes
    ----------
    rule
        The rule.
    weight
        The weight of each place down to the cut-off, never rising, shape (n,).
    gain
        The gain of each judged item, shape (n_judged,).
    highest
        The gain of the best rating: what an unrated item gains if it is relevant.
    scale
        One over the divisor of each user, as measured, shape (n_users,); 0 if the value is 0 whatever the list.
    """

    rule: Rule
    weight: Floats
    gain: Floats
    highest: float
    scale: Floats

    @classmethod
    def of_hits(cls, rule: Rule, weight: Floats, judged: Judged, divisor: Floats | Ints | None = None) -> ByPlace:
        """Describe a metric that counts relevant items, divided by each user's ``divisor``, shape (n_users,), if there is one."""
        return cls(rule, weight, judged.is_relevant.astype(np.float64), 1.0, scale_of(judged, divisor))


def scale_of(judged: Judged, divisor: Floats | Ints | None) -> Floats:
    """Return one over the divisor of each user, 0 where it is 0; without a divisor, 1 for every user."""
    if divisor is None:
        return np.ones(judged.n_users)
    return np.divide(1.0, divisor, out=np.zeros(judged.n_users), where=divisor > 0)
