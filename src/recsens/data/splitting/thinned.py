"""Any split with a smaller test set: with fewer ratings, fewer users, or without the most popular items."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.data.popularity import by_popularity
from recsens.data.splitting._wrapper import Around
from recsens.plugins.prose import percent
from recsens.plugins.specs import Spec
from recsens.seeds import Stream
from recsens.vocabulary import Role


class Thinned(Around):
    """Keeps a ``share`` of the test set of the split ``of``. All other test ratings become unused; train stays unchanged.

    ``by=ratings`` keeps each test rating with the probability ``share``. ``by=users`` keeps all test ratings of a user with this
    probability. ``by=popularity`` keeps the test ratings of a share of the items, those with the fewest train ratings. For example,
    share=.9 leaves out the head, which is the most popular tenth of the items (rounded down; ties are ordered by key). Each pair or
    user has one draw, so the test set at share .5 contains the test set at .4. With ``by=users``, averages that include users
    without test ratings are refused, because users left out would count as zero.
    """

    source = "Valcarce et al. (2018), section 4, for ratings and popularity; Cremonesi, Koren & Turrin (2010) for the head"

    share: float = Field(1.0, gt=0, le=1, description="share of the test ratings, users or items to keep")
    by: Literal["ratings", "users", "popularity"] = Field("ratings", description="what is left out")

    def prose(self, whose: str = "the ratings") -> str:
        """Describe the inner split, and say which test ratings were kept."""
        kept = percent(self.share)
        said = {
            "ratings": f"Each test rating was kept with a probability of {kept}",
            "users": f"For each user, with a probability of {kept}, all test ratings were kept",
            "popularity": f"Test ratings were kept for the {kept} of the items with the fewest training ratings",
        }[self.by]
        return f"{self.inner.prose(whose)} {said}; all other test ratings were not used."

    @property
    def trains_as(self) -> Spec:
        """The inner split's `trains_as`, because the train set is the same."""
        return self.inner.trains_as

    @property
    def is_random(self) -> bool:
        """Whether the inner split or the thinning is random; thinning by popularity is not."""
        return self.inner.is_random or self.by != "popularity"

    @property
    def _depth(self) -> int:
        """Number of thinned splits nested directly in one another."""
        depth, inner = 0, self.inner
        while isinstance(inner, Thinned):
            depth, inner = depth + 1, inner.inner
        return depth

    @property
    def tests_everybody(self) -> bool:
        """False if the test set leaves out whole users."""
        return self.inner.tests_everybody and (self.by != "users" or self.share == 1)

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Split, then thin the test set."""
        roles = self.inner.roles(interactions, fold, stream).copy()
        is_test = roles == Role.TEST
        user, item = interactions.user[is_test], interactions.item[is_test]
        # A second thinning needs new draws: with the same draws, it would keep everything that the first thinning kept.
        draws = stream.child("thinned", self.by, self._depth)
        if self.by == "ratings":
            kept = draws.uniform(interactions.user_keys[user], interactions.item_keys[item]) < self.share
        elif self.by == "users":
            kept = (draws.uniform(interactions.user_keys) < self.share)[user]
        else:
            n_train = np.bincount(interactions.item[roles == Role.TRAIN], minlength=interactions.n_items)
            n_head = int(np.floor(round((1 - self.share) * interactions.n_items, 6)))
            is_kept = np.ones(interactions.n_items, dtype=np.bool_)
            is_kept[by_popularity(n_train, interactions.item_keys)[:n_head]] = False
            kept = is_kept[item]
        roles[is_test] = np.where(kept, Role.TEST, Role.UNUSED)
        return roles
