"""The contract of a target selection."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.plugins import Plugin
from recsens.plugins.own import Call, returns
from recsens.ranking.targets._rows import UserRatings
from recsens.seeds import Origin, Stream


@dataclass(frozen=True)
class ByRating:
    """Some users' target sets under 1R: T_u^r = {i_r} + N_u^r for each relevant test rating r.

    i_r is the item of r, and N_u^r are the non-relevant items with which it is ranked.

    Attributes
    ----------
    pool
        Items from which each user's non-relevant targets are taken, shape (n_users, n_items).
    indptr, items, rating
        The items and values of relevant test ratings, by user and then by item; user b has the ratings ``indptr[b]:indptr[b + 1]``.
        Values are NaN if the data set has no ratings.
    is_candidate
        Whether a rated item may be a target at all, shape (n_ratings,).
    strata
        Groups of items; N_u^r is taken from the items in the pool that are in the same group as r's item.
    n
        Size of N_u^r, or None for all items of the pool in the group.
    draw
        Function that draws N_u^r for every rating; the result has shape (n_ratings, at most n), with -1 where no item is left. None
        if nothing is drawn.
    """

    pool: NDArray[np.bool_]
    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    rating: NDArray[np.float64]
    is_candidate: NDArray[np.bool_]
    strata: Strata
    n: int | None
    draw: Callable[[], NDArray[np.int32]] | None

    @property
    def groups(self) -> NDArray[np.int64]:
        """Group of each rating's item, shape (n_ratings,)."""
        return self.strata.of[self.items]

    @property
    def row(self) -> NDArray[np.int64]:
        """User of each rating, as an index into the block, shape (n_ratings,)."""
        return np.repeat(np.arange(len(self.pool)), np.diff(self.indptr))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Size of each target set, including the rated item, shape (n_ratings,)."""
        n_groups = self.strata.n_groups
        row, item = np.nonzero(self.pool)
        counts = np.bincount(row * n_groups + self.strata.of[item], minlength=len(self.pool) * n_groups)
        others = counts.reshape(-1, n_groups)[self.row, self.groups]
        return np.asarray((others if self.n is None else np.minimum(others, self.n)) + self.is_candidate, dtype=np.int64)


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


@dataclass(frozen=True)
class Samples:
    """The samples that a target-item selection draws, one per ranking.

    Attributes
    ----------
    wanted
        Number of items that each ranking should get, n.
    user
        User of each ranking, shape (n_rankings,).
    left
        Number of items from which each ranking's sample is drawn, shape (n_rankings,).
    """

    wanted: int
    user: NDArray[np.int64]
    left: NDArray[np.int64]

    @property
    def drawn(self) -> NDArray[np.int64]:
        """Number of items that each ranking gets, shape (n_rankings,): ``wanted``, or all that are left if there are fewer."""
        return np.minimum(self.left, self.wanted)

    @property
    def is_short(self) -> NDArray[np.bool_]:
        """Which rankings get fewer items than wanted, shape (n_rankings,)."""
        return self.left < self.wanted


def target_stream(origin: Origin) -> Stream:
    """Return the stream from which target items are sampled.

    Its name does not include the choice of targets. AR and 1R therefore sample the same items for a user, which is necessary for
    the bounds on 1R by AR (Bellogín 2012, lemma of section 4.3.4).
    """
    return origin.stream("targets", origin.fold)


def _check_mask(call: Call, mask: object) -> NDArray[np.bool_]:
    train, users = call.arguments["train"], call.arguments["users"]
    checked = call.array(mask, "targets", "b", (len(users), train.n_items))
    rated = UserRatings.of(train, users)
    if checked[rated.row, rated.item].any():
        raise call.refused("chose users' train items as their targets", "items that the user has not rated in train")
    return checked


def _check_by_rating(call: Call, chosen: object) -> ByRating:
    """Check the target sets of ratings: each array separately, and the division of ratings among users."""
    n_users, n_items = len(call.arguments["users"]), call.arguments["train"].n_items
    if not isinstance(chosen, ByRating):
        raise call.refused(f"returned {type(chosen).__name__}", "a ByRating")
    n = len(chosen.items)
    call.array(chosen.pool, "pool", "b", (n_users, n_items))
    indptr = call.array(chosen.indptr, "indptr", "iu", (n_users + 1,))
    if indptr[0] != 0 or indptr[-1] != n or (np.diff(indptr) < 0).any():
        raise call.refused("returned an indptr that does not divide the ratings among users", f"numbers that rise from 0 to {n}")
    call.codes(chosen.items, "items", (n,), n_items)
    call.array(chosen.rating, "ratings", "f", (n,), gaps=True)
    call.array(chosen.is_candidate, "is_candidate", "b", (n,))
    call.array(chosen.strata.of, "strata", "iu", (n_items,))
    if (draw := chosen.draw) is None:
        return chosen

    def drawn() -> NDArray[np.int32]:
        items = draw()
        return call.codes(items, "drawn items", (n, *np.shape(items)[1:2]), n_items, lowest=-1)

    return replace(chosen, draw=drawn)


class Targets(Plugin):
    """A choice of the items to rank for each user; the user's train items are never among them.

    Under AR, a user has one ranking: `mask` returns the target set T_u. Under 1R, each relevant test rating r has one ranking. Its
    target set, described by `by_rating`, consists of the item of r and the non-relevant items N_u^r.
    """

    kind: ClassVar[str] = "targets"
    synonyms: ClassVar[Mapping[str, str]] = dict.fromkeys(("n_negatives", "num_negatives", "negative_samples", "samples"), "n")
    prose_lead: ClassVar[str] = "The ranked items are those of"
    unit: ClassVar[Literal["user", "rating"]] = "user"
    """Whether each user has a ranking (AR), or each relevant test rating has one (1R)."""

    made_for: ClassVar[str] = ""
    """The split for which the selection is defined; empty for any split."""

    @property
    def shares_others(self) -> bool:
        """Whether a user's rankings in the same percentile have the same non-relevant items; true if a user has one ranking."""
        return True

    @property
    def uses_test(self) -> bool:
        """Whether the choice depends on the test set; a thinned test set then needs new rankings."""
        return False

    @property
    def uses_relevance(self) -> bool:
        """Whether the choice depends on which test ratings are relevant; the threshold is then part of the result's path."""
        return False

    @property
    def n_groups(self) -> int:
        """Number of groups of rankings with equal weight: the popularity percentiles of P1R, otherwise 1."""
        return 1

    @property
    def mean_difference(self) -> str:
        """The statistic of a significance test, in words, if each rating has its own ranking: a mean over ratings."""
        return "the mean difference per rating"

    def check(self, train: Interactions, test: Interactions, relevance: float) -> None:
        """Refuse data for which these targets cannot be chosen, before anything is fitted.

        Raises DesignError, for example if too few items can be chosen; the message says what would work.
        """
        return

    def samples(self, train: Interactions, test: Interactions, relevance: float) -> Samples | None:
        """Return how many sampled items each ranking should get and can get, for all users; None if nothing is sampled."""
        return None

    @abstractmethod
    @returns(_check_mask)
    def mask(
        self, train: Interactions, test: Interactions, users: NDArray[np.int64], relevance: float, stream: Stream
    ) -> NDArray[np.bool_]:
        """Return which items are ranked for these users, shape (len(users), n_items).

        Samples are drawn from ``stream`` by the keys of user and item, so they do not depend on the block of users. Under 1R, the
        mask selects the items from which a user's non-relevant targets are drawn.
        """

    @returns(_check_by_rating)
    def by_rating(
        self, train: Interactions, test: Interactions, users: NDArray[np.int64], relevance: float, stream: Stream
    ) -> ByRating:
        """Under 1R, return the target set of each relevant test rating of these users; ``users`` and ``stream`` as for `mask`."""
        raise TypeError(f"'{self.spec}' has one ranking per user")
