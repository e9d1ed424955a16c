"""k-fold cross-validation: interactions are divided into k folds, and each fold is the test set once."""

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from recsens.data.interactions import Interactions
from recsens.data.splitting._base import Splitter
from recsens.data.splitting._groups import Groups, drawn
from recsens.seeds import Stream
from recsens.vocabulary import Role


class KFold(Splitter):
    """Fold j tests on the interactions whose rank in a random order is j modulo ``k``, and trains on all others.

    The test sets of the k folds are disjoint, cover the data, and differ in size by at most one. ``per_user(of=k_fold)`` divides
    each user's interactions into folds; each user's folds then differ in size by at most one. The folds that get one interaction
    more are drawn at random; otherwise, the first folds would always get more. A user with m < k interactions is tested in m folds.
    """

    source = "Cañamares, Castells & Moffat (2020), section 3.2"
    also_called = ("cross_validation", "cv")

    k: int = Field(5, ge=2, le=1000, description="number of folds")

    def prose_title(self) -> str:
        """Name the split in a few words."""
        return f"{self.k}-fold cross-validation"

    def prose(self, whose: str = "the ratings") -> str:
        """Name the number of folds."""
        return (
            f"We divided {whose} at random into {self.k} folds whose sizes differ by at most one; each fold was the test set "
            "once, and all other folds were for training."
        )

    @property
    def n_folds(self) -> int:
        """Number of folds: one for each of the ``k`` test sets."""
        return self.k

    @property
    def indivisible(self) -> str | None:
        """None: the split can be made for each user separately, because any group of ratings can be divided into folds."""
        return None

    def roles(self, interactions: Interactions, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Put the interactions of one fold into test."""
        return self.roles_within(interactions, Groups.together(interactions), fold, stream)

    def roles_within(self, interactions: Interactions, groups: Groups, fold: int, stream: Stream) -> NDArray[np.uint8]:
        """Put the interactions of one fold of every group into test."""
        first = (stream.child("first").hashes(groups.keys) % np.uint64(self.k)).astype(np.int64)
        dealt = (groups.ranks(drawn(interactions, stream)) + first[groups.code]) % self.k
        return np.where(dealt == fold, Role.TEST, Role.TRAIN).astype(np.uint8)
