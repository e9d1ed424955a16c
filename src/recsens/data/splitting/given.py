"""Given n: n ratings of every user, either drawn or the earliest, go to train, and all others to test."""

from collections.abc import Mapping
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from recsens.data.interactions import Interactions
from recsens.data.splitting._base import Splitter
from recsens.data.splitting._groups import Groups, drawn
from recsens.data.splitting._times import Ties, check_ties, chronological, n_tied_at_cut
from recsens.seeds import Stream
from recsens.vocabulary import Role


class Given(Splitter):
    """``n`` ratings of each user go to train, all others to test.

    The train set at n = 10 contains the train set at n = 5, whether ratings are drawn or taken by time. ``which=first`` takes the
    earliest ratings. If only some of a user's simultaneous ratings can go to train, ``ties=key`` takes those with the lower item
    keys, and ``ties=random`` draws. The fold's record gives the number of such users as ``users_tied_at_cut``. A user with n or
    fewer ratings is only in train.
    """

    source = "Breese, Heckerman & Kadie (1998), Empirical analysis of predictive algorithms, 'Given n'"

    n: int = Field(10, ge=1, description="number of ratings of each user that go to train")
    which: Literal["random", "first"] = Field("random", description="which of a user's ratings are given")
    ties: Ties = "key"

    @model_validator(mode="after")
    def _check_ties(self) -> Self:
        check_ties(self.which, self.ties)
        return self

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

    @property
    def is_random(self) -> bool:
        """True if ratings are drawn, or if the order of simultaneous ratings is drawn."""
        return "random" in (self.which, self.ties)

    @property
    def needs_timestamps(self) -> bool:
        """True if the earliest ratings are taken."""
        return self.which == "first"

    @property
    def indivisible(self) -> str | None:
        """Why `per_user` cannot wrap this split: it already selects ratings user by user."""
        return "it already selects ratings of each user"

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Put each user's first ratings, in random order or in order of time, into train."""
        users = Groups.users(interactions)
        if self.which == "first":
            rank = users.ranks(*chronological(interactions, self.spec, self.ties, stream))
        else:
            rank = users.ranks(drawn(interactions, stream))
        return np.where(rank < self.n, Role.TRAIN, Role.TEST).astype(np.uint8)

    def facts(self, interactions: Interactions, roles: NDArray[np.uint8]) -> Mapping[str, float]:
        """Count the users whose given ratings depend on the order of simultaneous ratings."""
        return {} if self.which == "random" else {"users_tied_at_cut": n_tied_at_cut(interactions, roles)}
