"""A fixed number of ratings of each user or item goes to train or to test.

given: Given n: n ratings of every user, either drawn or the earliest, go to train, and all others to test.
leave_out: Leave-l-out: l ratings of every user, either drawn or the latest, are held out.
per_item: Put the same number of ratings of each item into train or into test, to reduce the advantage of popular items.
"""

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from recsens.data.interactions import Interactions
from recsens.data.splitting._base import Splitter
from recsens.data.splitting._groups import Groups, Ties, chronological, n_tied_at_cut, random_keys
from recsens.errors import DesignError
from recsens.plugins.prose import number, several
from recsens.plugins.specs import Spec
from recsens.seeds import Stream
from recsens.vocabulary import Role


class CountPerUser(Splitter):
    """A split by a number of ratings of each user, which are drawn or selected by time."""

    n: int = Field(1, ge=1)
    which: str = "random"
    ties: Ties = "key"

    @model_validator(mode="after")
    def _check_ties(self) -> Self:
        if self.which == "random" and self.ties != "key":
            raise ValueError("'ties' orders simultaneous ratings, but which=random does not take ratings by time")
        return self

    @property
    def is_random(self) -> bool:
        """True if ratings are drawn, or if the order of simultaneous ratings is drawn."""
        return "random" in (self.which, self.ties)

    @property
    def needs_timestamps(self) -> bool:
        """True if ratings are selected by time."""
        return self.which != "random"

    def _spec_for_tuning(self) -> Spec:
        return Spec("per_user", (("of", Spec("temporal", (("ties", "key"),))),))


class Given(CountPerUser):
    """``n`` ratings of each user go to train, all others to test.

    The train set at n = 10 contains the train set at n = 5, whether ratings are drawn or taken by time. ``which=first`` takes the
    earliest ratings. If only some of a user's simultaneous ratings can go to train, ``ties=key`` takes those with the lower item
    keys, and ``ties=random`` draws. The fold's record gives the number of such users as ``users_tied_at_cut``. A user with n or
    fewer ratings is only in train.
    """

    label = "given"
    source = "Breese, Heckerman & Kadie (1998), Empirical analysis of predictive algorithms, 'Given n'"
    indivisible: ClassVar[str | None] = "it already selects ratings of each user"

    n: int = Field(10, ge=1, description="number of ratings of each user that go to train")
    which: Literal["random", "first"] = Field("random", description="which of a user's ratings are given")

    def prose(self, whose: str = "the ratings") -> str:
        """Name the number, and say which ratings are given."""
        which = "the first" if self.which == "first" else "a random"
        chosen = f"{self.n:,} ratings, {'the first in time' if self.which == 'first' else 'drawn at random'},"
        given = f"{which} rating" if self.n == 1 else chosen
        order = "the order of items in the data" if self.ties == "key" else "a random order"
        tied = f" Ratings that a user gave at the same time are in {order}." if self.which == "first" else ""
        return (
            f"Of each user, {given} went to training and all others to testing; users with no further ratings are only in "
            f"training.{tied}"
        )

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Put each user's first ratings, in random order or in order of time, into train."""
        users = Groups.users(interactions)
        if self.which == "first":
            rank = users.ranks(*chronological(interactions, self.spec, self.ties, stream))
        else:
            rank = users.ranks(random_keys(interactions, stream))
        return np.where(rank < self.n, Role.TRAIN, Role.TEST).astype(np.uint8)

    def facts(self, interactions: Interactions, roles: NDArray[np.uint8]) -> Mapping[str, float]:
        """Count the users whose given ratings depend on the order of simultaneous ratings."""
        return {} if self.which == "random" else {"users_tied_at_cut": n_tied_at_cut(interactions, roles)}


class LeaveOut(CountPerUser):
    """``n`` ratings of each user go to test, all others to train.

    The ratings held out at n = 2 include the rating held out at n = 1, whether ratings are drawn or taken by time. ``which=last``
    holds out the latest ratings. If only some of a user's simultaneous ratings can be held out, ``ties=key`` takes those with the
    higher item keys (an order that may be related to properties of items), and ``ties=random`` draws. The fold's record gives the
    number of such users as ``users_tied_at_cut``. With ``min_rating``, only ratings of at least that value are held out, so the
    test set has only high ratings. A user is only in train if the user has n or fewer ratings, or if fewer than n of them may be
    held out. With ``up_to``, the number differs by user: it is drawn uniformly from n to ``up_to`` for each user, in each repeat.
    """

    label = "leave_out"
    source = (
        "Cañamares, Castells & Moffat (2020), section 3.2, 'leave-l-out'; Cremonesi, Koren & Turrin (2010) for min_rating; "
        "Bellogín (2012), section 3.3, 'a fixed number (different) for each user', for up_to"
    )
    also_called = ("leave_one_out", "loo")
    indivisible: ClassVar[str | None] = "it already holds out ratings of each user"

    n: int = Field(1, ge=1, description="number of ratings of each user that go to test")
    which: Literal["random", "last"] = Field("random", description="which of a user's ratings are held out")
    min_rating: float | None = Field(None, allow_inf_nan=False, description="lowest rating that may be held out; null allows any")
    up_to: int | None = Field(None, ge=1, description="most ratings of a user that go to test, if the number is drawn from n on")

    @model_validator(mode="after")
    def _check_range(self) -> Self:
        if self.up_to is not None and self.up_to <= self.n:
            raise ValueError(f"'up_to' must be above n, which is {self.n}")
        return self

    @property
    def is_random(self) -> bool:
        """True if ratings are drawn, or their number, or the order of simultaneous ratings."""
        return super().is_random or self.up_to is not None

    def prose_title(self) -> str:
        """Name the split in a few words."""
        if self.min_rating is not None or self.up_to is not None:
            return ""
        which = "last" if self.which == "last" else "random"
        ties = " (equal times by a draw)" if self.ties == "random" else ""
        return f"{which} {'rating' if self.n == 1 else f'{self.n} ratings'} of each user in test{ties}"

    def prose(self, whose: str = "the ratings") -> str:
        """Name the number, and say which ratings are held out."""
        last = self.which == "last"
        chosen = (
            f"{self.n:,} ratings" if self.up_to is None else f"{self.n:,} to {self.up_to:,} ratings (a number drawn for each user)"
        )
        if chosen == "1 ratings":
            chosen, fewer = "the last rating in time" if last else "a random rating", "no such rating"
        else:
            chosen, fewer = f"{chosen}, {'the last in time' if last else 'drawn at random'},", "fewer such ratings"
        among = f" among those of {number(self.min_rating)} and above" if self.min_rating is not None else ""
        order = "the order of items in the data" if self.ties == "key" else "a random order"
        tied = f" Ratings that a user gave at the same time are in {order}." if last else ""
        return (
            f"Of each user, we held out {chosen}{among} for testing; users with {fewer}, or with no further ratings, are only in "
            f"training.{tied}"
        )

    def _spec_for_tuning(self) -> Spec:
        return self.spec

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Hold out each user's first ratings in random order, or the user's latest ratings."""
        candidate = self._candidates(interactions)
        among = interactions if candidate is None else interactions.take(candidate)
        users = Groups.users(among)
        if self.which == "last":
            rank = users.sizes[users.code] - 1 - users.ranks(*chronological(among, self.spec, self.ties, stream))
        else:
            rank = users.ranks(random_keys(among, stream))
        n = self._n_held_out(interactions, stream)
        enough = (interactions.user_counts > n) & (users.sizes >= n)
        held = np.where((rank < n[users.code]) & enough[users.code], Role.TEST, Role.TRAIN).astype(np.uint8)
        if candidate is None:
            return held
        roles = np.full(len(interactions), Role.TRAIN, dtype=np.uint8)
        roles[candidate] = held
        return roles

    def _n_held_out(self, interactions: Interactions, stream: Stream) -> NDArray[np.int64]:
        """Return how many ratings of each user to hold out, shape (n_users,)."""
        if self.up_to is None:
            return np.full(interactions.n_users, self.n)
        drawn = stream.child("numbers").uniform(interactions.user_keys)
        return self.n + np.floor(drawn * (self.up_to - self.n + 1)).astype(np.int64)

    def facts(self, interactions: Interactions, roles: NDArray[np.uint8]) -> Mapping[str, float]:
        """Count the users whose held-out ratings depend on the order of simultaneous ratings."""
        if self.which == "random":
            return {}
        return {"users_tied_at_cut": n_tied_at_cut(interactions, roles, self._candidates(interactions))}

    def _candidates(self, interactions: Interactions) -> NDArray[np.bool_] | None:
        if self.min_rating is None:
            return None
        if interactions.rating is None:
            raise DesignError(
                f"split '{self.spec}' holds out ratings of at least {self.min_rating:g}, but these data have no ratings",
                remedy="leave min_rating out; every interaction counts as positive",
            )
        candidate = interactions.rating >= self.min_rating
        if not candidate.any():
            scale = interactions.scale
            raise DesignError(
                f"no rating is at least min_rating = {self.min_rating:g}", allowed=f"{scale.lowest:g} to {scale.highest:g}"
            )
        return np.asarray(candidate)


class PerItem(Splitter):
    """``n`` randomly drawn ratings of each item go to ``side``, all others to the other side.

    With ``side=train`` every item has ``n`` train ratings; with ``side=test`` every item has ``n`` test ratings. The ratings drawn
    at n = 2 include the rating drawn at n = 1. An item with n or fewer ratings is only in train. By contrast, the split ``uniform``
    itself chooses the items and their number of test ratings.
    """

    label = "per_item"
    source = (
        "Cañamares, Castells & Moffat (2020), section 3.2, for train (it cites a paper that fixes the number in test: Bellogín "
        "(2012), section 4.6.2)"
    )
    indivisible: ClassVar[str | None] = "it counts an item's ratings over all users"

    n: int = Field(10, ge=1, description="number of ratings of each item on that side")
    side: Literal["train", "test"] = Field("train", description="the set that gets n ratings of each item")

    def prose(self, whose: str = "the ratings") -> str:
        """Name the number of ratings and the side."""
        side, other = ("training", "testing") if self.side == "train" else ("testing", "training")
        n = several(self.n, "random rating")
        return f"Of each item, {n} went to {side} and all others to {other}; items with no further ratings are only in training."

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Put each item's first ``n`` ratings in random order into ``side``."""
        items = Groups.items(interactions)
        first = items.ranks(random_keys(interactions, stream)) < self.n
        enough = (items.sizes > self.n)[items.code]
        is_test = enough & (first if self.side == "test" else ~first)
        return np.where(is_test, Role.TEST, Role.TRAIN).astype(np.uint8)
