"""Any split, without users who have too few train ratings (B1 applied before the fit)."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.data.splitting._wrapper import Around
from recsens.plugins.prose import several
from recsens.seeds import Stream
from recsens.vocabulary import Role


class MinTrain(Around):
    """Removes every rating of users with fewer than ``n`` train ratings from train, validation and test.

    This split removes such users before any fit, whereas ``users: with_ratings(train=n)`` only leaves them out of the averages.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.3"

    n: int = Field(1, ge=1, description="fewest train ratings of a user who is kept")

    def prose(self, whose: str = "the ratings") -> str:
        """Describe the inner split, and say which users were left out."""
        least = several(self.n, "training rating")
        return f"{self.inner.prose(whose)} Users with fewer than {least} were then removed."

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Split, then leave out users with too few train ratings."""
        roles = self.inner.roles(interactions, fold, stream).copy()
        n_train = np.bincount(interactions.user[roles == Role.TRAIN], minlength=interactions.n_users)
        roles[(n_train < self.n)[interactions.user]] = Role.UNUSED
        return roles

    def facts(self, interactions: Interactions, roles: NDArray[np.uint8]) -> Mapping[str, float]:
        """Return the inner split's facts, and the number of users who were left out."""
        has_role = np.zeros(interactions.n_users, dtype=np.bool_)
        has_role[interactions.user[roles != Role.UNUSED]] = True
        return {
            **super().facts(interactions, roles),
            "users_left_out": int(np.count_nonzero(~has_role & (interactions.user_counts > 0))),
        }
