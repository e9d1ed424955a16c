"""The contract of a target selection."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from recsens.data.interactions import Interactions
from recsens.plugins import Plugin
from recsens.plugins.own import Call, returns
from recsens.ranking.targets._by_rating import ByRating
from recsens.ranking.targets._rows import UserRatings
from recsens.ranking.targets._sample_sizes import Samples
from recsens.seeds import Stream


def _mask(call: Call, mask: object) -> NDArray[np.bool_]:
    train, users = call.arguments["train"], call.arguments["users"]
    checked = call.array(mask, "targets", "b", (len(users), train.n_items))
    rated = UserRatings.of(train, users)
    if checked[rated.row, rated.item].any():
        raise call.refused("chose users' train items as their targets", "items that the user has not rated in train")
    return checked


def _by_rating(call: Call, chosen: object) -> ByRating:
    """Check the target sets of ratings: each array separately, and the division of ratings among users."""
    n_users, n_items = len(call.arguments["users"]), call.arguments["train"].n_items
    if not isinstance(chosen, ByRating):
        raise call.refused(f"returned {type(chosen).__name__}", "a ByRating")
    n = len(chosen.items)
    call.array(chosen.pool, "pool", "b", (n_users, n_items))
    indptr = call.array(chosen.indptr, "indptr", "iu", (n_users + 1,))
    if indptr[0] != 0 or indptr[-1] != n or (np.diff(indptr) < 0).any():
        raise call.refused("returned an indptr that does not divide the ratings among users", f"numbers that rise from 0 to {n}")
    _refuse_items(call, call.array(chosen.items, "items", "iu", (n,)), 0, n_items)
    call.array(chosen.rating, "ratings", "f", (n,), gaps=True)
    call.array(chosen.is_candidate, "is_candidate", "b", (n,))
    call.array(chosen.strata.of, "strata", "iu", (n_items,))
    if (draw := chosen.draw) is None:
        return chosen

    def drawn() -> NDArray[np.int32]:
        items = draw()
        _refuse_items(call, call.array(items, "draw", "iu", (n, *np.shape(items)[1:2])), -1, n_items)
        return items

    return replace(chosen, draw=drawn)


def _refuse_items(call: Call, items: NDArray[np.integer[Any]], lowest: int, n_items: int) -> None:
    if items.size and not lowest <= int(items.min()) <= int(items.max()) < n_items:
        raise call.refused(f"returned items with codes from {items.min()} to {items.max()}", f"{lowest} to {n_items - 1}")


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
    @returns(_mask)
    def mask(
        self, train: Interactions, test: Interactions, users: NDArray[np.int64], relevance: float, stream: Stream
    ) -> NDArray[np.bool_]:
        """Return which items are ranked for these users, shape (len(users), n_items).

        Samples are drawn from ``stream`` by the keys of user and item, so they do not depend on the block of users. Under 1R, the
        mask selects the items from which a user's non-relevant targets are drawn.
        """

    @returns(_by_rating)
    def by_rating(
        self, train: Interactions, test: Interactions, users: NDArray[np.int64], relevance: float, stream: Stream
    ) -> ByRating:
        """Under 1R, return the target set of each relevant test rating of these users; ``users`` and ``stream`` as for `mask`."""
        raise TypeError(f"'{self.spec}' has one ranking per user")
