"""Given n: n ratings of every user, drawn or the first in time, go to train, the rest to test."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.interactions import Interactions
from recsens.seeds import Stream
from recsens.splitting._base import Splitter
from recsens.splitting._groups import Groups, drawn
from recsens.splitting._times import chronological
from recsens.vocabulary import Role


class Given(Splitter):
    """``n`` ratings of each user go to train, all others to test.

    Drawn, the train set at n = 10 contains that at n = 5; ``which=first`` takes the first in time (at the same second, the lower
    item key is the earlier). A user with n ratings or fewer stays in train alone.
    """

    source = "Breese, Heckerman & Kadie (1998), Empirical analysis of predictive algorithms, 'Given n'"

    n: int = Field(10, ge=1, description="ratings of each user that go to train")
    which: Literal["random", "first"] = Field("random", description="which of a user's ratings are given")

    @property
    def is_random(self) -> bool:
        """Only where ratings are drawn."""
        return self.which == "random"

    @property
    def needs_timestamps(self) -> bool:
        """Only for the first ones."""
        return self.which == "first"

    @property
    def indivisible(self) -> str | None:
        """It gives by user already."""
        return "it gives ratings of each user already"

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Give the first in random order, or in time."""
        users = Groups.users(interactions)
        order = chronological(interactions, self.spec) if self.which == "first" else (drawn(interactions, stream),)
        return np.where(users.ranks(*order) < self.n, Role.TRAIN, Role.TEST).astype(np.uint8)
