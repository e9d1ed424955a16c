"""Random split: a given share of the interactions goes to train, either exactly or on average."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.data.splitting._base import Splitter
from recsens.data.splitting._groups import Groups, n_in_train, random_keys
from recsens.plugins.prose import number, percent
from recsens.seeds import Stream
from recsens.vocabulary import Role


class Random(Splitter):
    """Each interaction goes to train with probability ``ratio``, or exactly this share of all interactions is drawn into train.

    With ``count=exact``, floor(ratio · n) of n interactions go to train, but each side gets at least one interaction if n is 2 or
    more. ``per_user(of=random(count=exact))`` does this for each user. An interaction's draw is a hash of its user, its item and
    the repeat. The train set at ratio .6 therefore contains the train set at .5, and a sweep over the ratio compares nested train
    sets.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.2, 'random split ratio'"
    also_called = ("holdout", "random_split", "ratio_split", "train_test_split")
    prose_shares = (("ratio", "data in train"),)

    ratio: float = Field(0.8, gt=0, lt=1, description="share of the interactions that go to train")
    count: Literal["binomial", "exact"] = Field(
        "binomial", description="binomial: every interaction is drawn independently; exact: exactly that share goes to train"
    )

    def prose_title(self) -> str:
        """Name the split in a few words."""
        exactly = ", exactly" if self.count == "exact" else ""
        return f"random split ({percent(self.ratio)} in train{exactly})"

    def prose(self, whose: str = "the ratings") -> str:
        """Name the share, and say whether it is exact or an average."""
        if self.count == "exact":
            return f"We split {whose} at random: {percent(self.ratio)} (rounded down) for training, the others for testing."
        return (
            f"We split {whose} at random: each was taken for training with probability {number(self.ratio)}, independently of all "
            f"others ({percent(self.ratio)} on average), and for testing otherwise."
        )

    @property
    def indivisible(self) -> str | None:
        """Why `per_user` cannot wrap this split: independent draws do not depend on groups. None if ``count`` is ``exact``."""
        same = (
            "every interaction is drawn independently, so the split would be the same; count=exact gives every user the exact share"
        )
        return same if self.count == "binomial" else None

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Draw train or test."""
        if self.count == "exact":
            return self.roles_within(interactions, Groups.together(interactions), fold, stream)
        draws = stream.uniform(interactions.user_keys[interactions.user], interactions.item_keys[interactions.item])
        return np.where(draws < self.ratio, Role.TRAIN, Role.TEST).astype(np.uint8)

    def roles_within(self, interactions: Interactions, groups: Groups, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Draw the exact share of each group."""
        if self.count == "binomial":
            return super().roles_within(interactions, groups, fold, stream)
        is_train = groups.ranks(random_keys(interactions, stream)) < n_in_train(groups.sizes, self.ratio)[groups.code]
        return np.where(is_train, Role.TRAIN, Role.TEST).astype(np.uint8)
