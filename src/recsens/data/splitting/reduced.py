"""Any split with fewer ratings in train or in test.

min_train: Any split, without users who have too few train ratings (B1 applied before the fit).
pruned: Any split with a filtered train set: rare users and items are dropped before the fit, but stay in the test set.
thinned: Any split with a smaller test set: with fewer ratings, fewer users, or without the most popular items.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.data.popularity import by_popularity
from recsens.data.splitting._wrapper import Around
from recsens.errors import DesignError
from recsens.plugins import component
from recsens.plugins.prose import percent, several
from recsens.plugins.specs import Spec
from recsens.seeds import Stream
from recsens.vocabulary import Role


class MinTrain(Around):
    """Removes every rating of users with fewer than ``n`` train ratings from train, validation and test.

    This split removes such users before any fit, whereas ``users: with_ratings(train=n)`` only leaves them out of the averages.
    """

    label = "min_train"
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


class Pruned(Around):
    """Applies ``filter`` to the train set of the split ``of``. Dropped ratings become unused; test and validation stay unchanged.

    The key ``filter`` of a study applies a filter before the split. Rare users and items are then never tested, and the remaining
    data are easier than those in real use. This split, by contrast, removes rare users and items only from train. Their ratings
    stay in test, where a system that has learnt nothing about them is less accurate. The fold's record counts the ``unused``
    ratings. A filter that changes ratings, or that leaves no interactions, is refused.
    """

    label = "pruned"
    source = "Beel & Brunel (2019), Data pruning in recommender systems research: best-practice or malpractice?"
    keeps_test = True

    filter: Annotated[Spec, *component("filter")] = Field(Spec("k_core"), description="the filter of the train set")

    @field_validator("filter")
    @classmethod
    def _check_keeps_ratings(cls, spec: Spec) -> Spec:
        if not _build_filter(spec).keeps_ratings:
            raise ValueError(
                f"'{spec}' changes ratings, but here it would change only those in train: "
                "give it under the design's key 'filter:' instead"
            )
        return spec

    def prose(self, whose: str = "the ratings") -> str:
        """Describe the inner split and the filter of the training set."""
        chosen = self.full_spec.get("filter")
        return f"{self.inner.prose(whose)} Then only the training set was filtered, by '{chosen}'; the test set was not."

    @property
    def is_random(self) -> bool:
        """Whether the inner split or the filter draws."""
        return self.inner.is_random or _build_filter(self.filter).is_random

    @property
    def needs_timestamps(self) -> bool:
        """Whether the inner split or the filter needs time stamps."""
        return self.inner.needs_timestamps or _build_filter(self.filter).needs_timestamps

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Split, then filter the train set.

        Raises
        ------
        DesignError
            If the filter removes every train rating.
        """
        roles = self.inner.roles(interactions, fold, stream).copy()
        rows = np.flatnonzero(roles == Role.TRAIN)
        left: Interactions = _build_filter(self.filter).apply(interactions.take(roles == Role.TRAIN), stream.child("pruned"))
        if len(rows) and len(left) == 0:
            raise DesignError(f"split '{self.spec}' leaves the train set empty", remedy="use a weaker filter, or none")
        pairs = interactions.user[rows].astype(np.int64) * interactions.n_items + interactions.item[rows]
        kept = np.isin(pairs, left.user.astype(np.int64) * interactions.n_items + left.item)
        roles[rows[~kept]] = Role.UNUSED
        return roles


def _build_filter(spec: Spec) -> Any:
    # The filter is built by name, because splits and filters are in the same layer and must not import each other.
    return plugins.build("filter", spec)


class Thinned(Around):
    """Keeps a ``share`` of the test set of the split ``of``. All other test ratings become unused; train stays unchanged.

    ``by=ratings`` keeps each test rating with the probability ``share``. ``by=users`` keeps all test ratings of a user with this
    probability. ``by=popularity`` keeps the test ratings of a share of the items, those with the fewest train ratings. For example,
    share=.9 leaves out the head, which is the most popular tenth of the items (rounded down; ties are ordered by key). Each pair or
    user has one draw, so the test set at share .5 contains the test set at .4. With ``by=users``, averages that include users
    without test ratings are refused, because users left out would count as zero.
    """

    label = "thinned"
    source = "Valcarce et al. (2018), section 4, for ratings and popularity; Cremonesi, Koren & Turrin (2010) for the head"
    keeps_train = True

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
    def is_random(self) -> bool:
        """Whether the inner split or the thinning is random; thinning by popularity is not."""
        return self.inner.is_random or self.by != "popularity"

    @property
    def _n_nested(self) -> int:
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
        draws = stream.child("thinned", self.by, self._n_nested)
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
